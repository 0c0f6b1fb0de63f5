#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "profile/device_observer.h"
#include "profile/records.h"

namespace ridgeline {

// What a step does when it is watched for that alone: its frames in their order, and in which of
// them it gives the device work and waits for it. Steps alike do the same in the same order.
struct StepCalls {
  struct Call {
    std::uint64_t what{};          // LaunchCall::what, or the kind of wait
    std::size_t frame = kNoFrame;  // place in `frames`
    bool operator==(const Call&) const = default;
  };
  static constexpr std::size_t kNoFrame = static_cast<std::size_t>(-1);
  std::vector<NameId> frames{};
  std::vector<Call> launches{};
  std::vector<Call> waits{};
};

// Of the last recorded step, watched on both sides.
[[nodiscard]] StepCalls calls_of_step(const Recording& recording, const ObservedWork& work);

// Gives the device's work, and the waits for it, that were recorded in `device_steps` to the frames
// of the recording's step at the same place in the row. `calls` says which frame makes which call;
// it holds as far as the frames of the one step and the calls of the other are its own. Returns how
// many launches came after that: their work belongs to none.
std::uint64_t join_sides(ObservedWork& work, const Recording& recording,
                         const std::vector<RecordedStep>& device_steps, const StepCalls& calls);

}  // namespace ridgeline
