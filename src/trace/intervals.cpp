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

Intervals common(const Intervals& a, const Intervals& b) {
  Intervals out;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    const TimeSpan both{.start_ns = std::max(i->start_ns, j->start_ns),
                        .end_ns = std::min(i->end_ns, j->end_ns)};
    if (both.end_ns > both.start_ns) out.push_back(both);
    i->end_ns < j->end_ns ? ++i : ++j;
  }
  return out;
}

std::int64_t overlap_ns(const Intervals& a, const Intervals& b) { return total_ns(common(a, b)); }

}  // namespace ridgeline
