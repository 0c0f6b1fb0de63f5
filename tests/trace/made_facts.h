#pragma once

#include <string>
#include <utility>
#include <vector>

#include "trace/profile_facts.h"

namespace ridgeline::testing {

inline OpFact op(std::string name, double seconds, double calls = 1) {
  OpFact fact{.name = std::move(name), .time = Seconds{seconds}, .calls = calls};
  fact.kind = kind_of_op(fact.name);
  return fact;
}

// A step of a tenth of a second on a GPU, about which nothing else is known.
inline ProfileFacts bare() { return {.on_gpu = true, .steps = 5, .step = Seconds{0.1}}; }

inline ProfileFacts with_ops(std::vector<OpFact> ops) {
  ProfileFacts facts = bare();
  facts.ops = std::move(ops);
  return facts;
}

inline ProfileFacts with_limits(double work, double traffic) {
  ProfileFacts facts = bare();
  facts.work = Flop{work};
  facts.traffic = Bytes{traffic};
  facts.peak = FlopPerSecond{100e12};
  facts.bandwidth = BytesPerSecond{1e12};
  return facts;
}

inline ProfileFacts with_communication(double time, double alone) {
  ProfileFacts facts = bare();
  facts.communication =
      CommunicationFacts{.time = Seconds{time}, .alone = Seconds{alone}, .count = 12};
  return facts;
}

}  // namespace ridgeline::testing
