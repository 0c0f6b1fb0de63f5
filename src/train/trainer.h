#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/image_array.h"
#include "data/sample_plan.h"
#include "data/transform.h"
#include "data/value.h"
#include "engine/backend.h"
#include "engine/optimizer.h"
#include "engine/workload.h"
#include "models/spec.h"

namespace ridgeline {

// In graph mode: lazy initialisation and autotuning must be over before a capture; these are steps
// like any other.
inline constexpr std::int64_t kStepsBeforeCapture = 3;

// How a model is trained, apart from what the model and the data are.
struct TrainSettings {
  RunSettings run{};
  OptimizerOptions optimizer{};
  double label_smoothing = 0;
  double clip_norm = 0;      // 0: gradients are not clipped
  double ema_decay = 0;      // 0: no average of the weights is kept
  bool mirror_test = false;  // tested is the mean of an image's logits and its mirror image's
  // A step with a loss that is not finite changes no weight; with this it leaves no trace in
  // BatchNorm's statistics either, so that training can go on.
  bool survive_bad_steps = false;
  // Only profiled steps are the range train_step, which ncu filters by; others are warmup_step.
  bool profiles_steps = false;
  Normalisation normalisation{};        // of batches that come as bytes
  std::vector<float> learning_rates{};  // one a step
};

// Host memory of one micro-batch. Images: NHWC, as floats already normalised or as bytes, with
// labels. Tokens: rows of context + 1 tokens, no pixels.
struct HostBatch {
  const std::byte* pixels = nullptr;
  TransformOptions::Output pixel_type = TransformOptions::Output::Float;
  int height = 0;
  int width = 0;
  const std::int64_t* labels = nullptr;  // or tokens
  std::size_t count = 0;                 // images, or rows
};

struct ResidentShape {
  std::int64_t batch = 1;
  std::int64_t steps_per_epoch = 1;
};

// Sums since they were last taken.
struct TrainTotals {
  double loss = 0;  // of all samples; divided by `samples` it is the mean
  std::int64_t correct = 0;
  std::int64_t samples = 0;
  std::int64_t bad_samples = 0;      // of batches whose loss was not finite; counted nowhere else
  std::int64_t bad_steps = 0;        // whose loss was not finite; they changed nothing
  std::int64_t first_bad_step = -1;  // counted from the start of training
};

// Device time of the steps since it was last taken. In graph mode the phases are known of the last
// step alone: a graph's inner marks are overwritten by its next replay.
struct TrainTimes {
  Seconds busy{};  // between start and end of each step, summed
  std::int64_t steps = 0;
  Seconds forward{};
  Seconds backward{};
  Seconds optimizer{};
  std::int64_t phase_steps = 0;
};

// What became of a weights file, tensor by tensor.
struct LoadedWeights {
  std::size_t loaded = 0;
  std::vector<std::string> reinitialised{};  // the head, when the number of classes differs
  std::vector<std::string> ignored{};        // in the file, not in the model
};

// A model being trained on a device. Whoever trains sees this and no torch. Failures are
// Error(Memory) and Error(Device).
class Trainer {
 public:
  virtual ~Trainer() = default;
  // Brings micro-batch `micro` of the next step; its host memory is free again on return.
  virtual void upload(const HostBatch& batch, std::size_t micro) = 0;
  // Keeps these images on the device; begin_epoch() then says what its steps see, and upload() has
  // nothing to do. Throws Error(BadInput) with the reason when the device cannot make the batches.
  virtual void keep_images(const ImageArray& images, const TransformOptions& transform,
                           const ResidentShape& shape) = 0;
  // One plan a sample, in the order of the steps.
  virtual void begin_epoch(std::span<const SamplePlan> plans) = 0;
  // Queues one step over what was uploaded; on a GPU it returns before the step ended.
  virtual void step() = 0;
  virtual void wait() = 0;
  [[nodiscard]] virtual TrainTotals take_totals() = 0;  // waits
  [[nodiscard]] virtual TrainTimes take_times() = 0;    // waits

  // Between begin and end the model is in evaluation mode, with averaged weights if kept.
  virtual void begin_evaluation() = 0;
  virtual void evaluate(const HostBatch& batch) = 0;  // adds to the totals
  [[nodiscard]] virtual std::vector<float> predict(const HostBatch& batch) = 0;  // logits, by row
  virtual void end_evaluation() = 0;

  // Steps taken; the place in the table of learning rates.
  [[nodiscard]] virtual std::int64_t steps_taken() const = 0;
  // model, optimizer and, where they are, scaler and average, as torch names and lays them out.
  [[nodiscard]] virtual Value state() = 0;
  // Throws Error(BadInput) that names the first thing that does not fit; nothing is changed then.
  virtual void restore(const Value& state, std::int64_t steps_taken) = 0;
  [[nodiscard]] virtual NamedArrays weights() = 0;  // averaged if kept
  virtual LoadedWeights load_weights(const NamedArrays& arrays) = 0;
  // Whether every weight and every statistic is a number: only then is there anything to go on
  // from.
  [[nodiscard]] virtual bool is_finite() = 0;

  [[nodiscard]] virtual MemoryUse memory() const = 0;
  virtual void reset_peak_memory() = 0;
  // The next step lies between profiler start and stop.
  virtual void profile_next_step() = 0;
};

// The engine library's entry point.
using MakeTrainer = Trainer* (*)(const ModelSpec&, const TrainSettings&, Backend&);
inline constexpr const char* kMakeTrainerSymbol = "ridgeline_make_trainer";

}  // namespace ridgeline
