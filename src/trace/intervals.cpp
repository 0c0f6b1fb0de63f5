#include "trace/intervals.h"

#include <algorithm>

#include "trace/event_table.h"

namespace ridgeline {

Intervals merged(std::vector<TimeSpan> spans) {
  std::ranges::sort(spans, {}, &TimeSpan::start_ns);
  Intervals out;
  for (const TimeSpan& span : spans) {
    if (!out.empty() && span.start_ns <= out.back().end_ns) {
      out.back().end_ns = std::max(out.back().end_ns, span.end_ns);
    } else {
      out.push_back(span);
    }
  }
  return out;
}

std::int64_t total_ns(const Intervals& intervals) {
  std::int64_t total = 0;
  for (const TimeSpan& span : intervals) total = add_times(total, span.end_ns - span.start_ns);
  return total;
}

std::int64_t overlap_ns(const Intervals& a, const Intervals& b) {
  std::int64_t total = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    const std::int64_t start = std::max(i->start_ns, j->start_ns);
    const std::int64_t end = std::min(i->end_ns, j->end_ns);
    if (end > start) total = add_times(total, end - start);
    i->end_ns < j->end_ns ? ++i : ++j;
  }
  return total;
}

}  // namespace ridgeline
