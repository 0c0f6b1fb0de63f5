#pragma once

#include <string_view>

namespace ridgeline {

// Ops that are one thing to whoever reads a profile, though torch makes them of others: a view is
// made by another view, a conversion by an allocation and a copy. A quarter of the frames of a
// transformer's step lie inside these.
[[nodiscard]] bool is_whole_op(std::string_view name) noexcept;

}  // namespace ridgeline
