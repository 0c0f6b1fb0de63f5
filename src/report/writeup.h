#pragma once

#include <string>

#include "report/row.h"

namespace ridgeline {

// Above this spread the text advises more warm-up and more steps.
inline constexpr double kNoisyCvPercent = 10;

// The block of text a write-up quotes, a paragraph a row:
//   small model (128.6M parameters):
//     Forward pass:  152.30 ± 8.45 ms (CV: 5.55%)
//     Backward pass: 304.60 ± 9.10 ms (CV: 2.99%)
//     Ratio: Backward is 2.00x forward
[[nodiscard]] std::string writeup(const Rows& rows);

}  // namespace ridgeline
