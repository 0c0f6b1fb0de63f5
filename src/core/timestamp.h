#pragma once

#include <cstdint>
#include <ctime>
#include <string>

namespace ridgeline {

// The only uses of the system clock: when something happened. How long it took is steady_clock's.
[[nodiscard]] std::string utc_now();          // "2026-11-15T06:00:00Z"
[[nodiscard]] std::string utc_now_compact();  // "20261115-060000", for file names

[[nodiscard]] std::int64_t unix_nanoseconds();

[[nodiscard]] std::string iso8601(std::time_t seconds_since_epoch);
[[nodiscard]] std::string compact_time(std::time_t seconds_since_epoch);

}  // namespace ridgeline
