#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "data/value.h"
#include "train/loop.h"

namespace ridgeline {

// What must agree before a checkpoint is taken up again.
struct CheckpointFacts {
  std::string model{};  // "resnet18"
  std::uint64_t seed = 0;
  std::int64_t steps_per_epoch = 0;
  std::int64_t total_steps = 0;  // of the run, which the schedule of the rate depends on
  std::int64_t hold_out = 0;     // training images or tokens that are judged by
  std::string data{};            // kind and sum: another is said, inside an epoch refused
  // What the model computes, by name: much of it (heads, rope, a stem's stride) shows in no
  // tensor's shape. A difference is refused.
  std::vector<std::pair<std::string, std::string>> architecture{};
  // The rest of what an exact resume needs to be the same, by name: a change is said, not refused.
  std::vector<std::pair<std::string, std::string>> recipe{};
};

// The trainer's state with the place in the run beside it: model, optimizer, scheduler, epoch,
// best_acc, as Python's training scripts have them, and what an exact resume needs on top.
[[nodiscard]] Value make_checkpoint(Value trainer_state, const LoopState& state,
                                    const CheckpointFacts& facts);

struct ResumePoint {
  LoopState state{};
  std::string note{};  // what could not be taken over exactly; empty when everything was
};
// Reads ours and Python's (epoch, best_acc). Throws Error(BadInput) naming what is missing or of
// another run.
[[nodiscard]] ResumePoint read_checkpoint(const Value& checkpoint, const CheckpointFacts& facts);

}  // namespace ridgeline
