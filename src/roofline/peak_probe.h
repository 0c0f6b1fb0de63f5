#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/units.h"
#include "roofline/peak.h"

namespace ridgeline {

// One way to reach a ceiling: a shape, an algorithm, a working set.
struct PeakCandidate {
  std::string at{};
  double work{};  // FLOPs or bytes of one repetition
  // Does it so many times; the time that took, all device work done.
  std::function<Seconds(std::uint64_t repetitions)> run{};
};

// A ceiling to be measured: what it is called, and who can make its candidates when the time has
// come. Seam between who counts rounds and who knows a device.
struct PeakProbe {
  MeasuredPeak what{};  // all but the numbers
  // Of a CPU's threads those that compute all the time; 0: every one.
  int busy_threads = 0;
  Seconds rest{};     // before a sample: who limits power looks back a while
  Seconds warm_up{};  // then: clocks and caches settle
  std::function<std::vector<PeakCandidate>()> prepare{};
};

}  // namespace ridgeline
