#pragma once

#include <string>
#include <string_view>

#include "core/units.h"

namespace ridgeline {

// Quantities for people. Independent of the locale: a decimal point everywhere, so that what is
// printed on one machine reads the same on another. Files carry raw numbers, never these.
[[nodiscard]] std::string format_bytes(Bytes size);                          // "1.25 GiB"
[[nodiscard]] std::string format_seconds(Seconds time);                      // "152.30 ms"
[[nodiscard]] std::string format_count(double count);                        // "128.6M"
[[nodiscard]] std::string format_rate(double per_s, std::string_view unit);  // "12.3k img/s"

}  // namespace ridgeline
