#pragma once

#include <functional>
#include <string>
#include <vector>

#include "roofline/peak_probe.h"

namespace ridgeline {

struct PeakRoundsPlan {
  std::size_t rounds = 11;
  std::size_t batches = 3;  // timed a round; their median is the round's sample
  Seconds batch{0.005};     // as long as a batch shall take
  std::uint64_t most_repetitions = std::uint64_t{1} << 40;
};

struct PeakRoundsHooks {
  std::function<bool()> interrupted = [] { return false; };
  std::function<void(double)> progressed = [](double) {};  // 0 to 1
  // What all our threads have computed for so far. Somebody who always works makes every sample
  // alike, and no interval tells; that our threads got less than the time that passed does.
  std::function<Seconds()> cpu_time{};
};

struct PeakRoundsResult {
  std::vector<MeasuredPeak> peaks{};
  std::vector<std::string> notes{};  // what could not be measured, and why
  bool interrupted = false;          // then there are no peaks: half a sample is none
};

// Chooses each probe's best candidate, then samples all probes in turns, so that a moment in which
// the machine was busy costs each of them a sample and none of them all. A probe of which nothing
// runs is told and left out; one that shared its cores in most rounds is marked.
[[nodiscard]] PeakRoundsResult measure_in_rounds(const std::vector<PeakProbe>& probes,
                                                 const PeakRoundsPlan& plan,
                                                 const PeakRoundsHooks& hooks);

}  // namespace ridgeline
