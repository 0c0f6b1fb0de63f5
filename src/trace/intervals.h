#pragma once

#include <cstdint>
#include <vector>

namespace ridgeline {

struct TimeSpan {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  bool operator==(const TimeSpan&) const = default;
};

// In order and apart from each other: what several streams did, seen as one.
using Intervals = std::vector<TimeSpan>;

[[nodiscard]] Intervals merged(std::vector<TimeSpan> spans);
[[nodiscard]] std::int64_t total_ns(const Intervals& intervals);
// What is in both.
[[nodiscard]] Intervals common(const Intervals& a, const Intervals& b);
[[nodiscard]] std::int64_t overlap_ns(const Intervals& a, const Intervals& b);

}  // namespace ridgeline
