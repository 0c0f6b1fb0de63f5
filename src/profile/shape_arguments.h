#pragma once

#include <string>
#include <string_view>

namespace ridgeline {

// What ShapeText made, as PyTorch's profiler writes it: members of an event's args with a comma
// before each, "Input Dims", "Input type" and, with values, "Concrete Inputs"; empty for no shape.
// Truth values stand there as 1 and 0: they were recorded as numbers.
[[nodiscard]] std::string trace_arguments(std::string_view shape);

}  // namespace ridgeline
