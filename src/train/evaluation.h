#pragma once

#include <functional>
#include <optional>

#include "train/loop.h"

namespace ridgeline {

// Judges the model in evaluation mode: `judge_next` takes one batch to Trainer::evaluate() and is
// false when there was none left. Absent when interrupted before that.
[[nodiscard]] std::optional<Score> evaluate_batches(Trainer& trainer,
                                                    const std::function<bool()>& judge_next,
                                                    const std::function<bool()>& interrupted);

}  // namespace ridgeline
