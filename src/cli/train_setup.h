#pragma once

#include <string>

#include "cli/train_flags.h"
#include "data/loader.h"
#include "data/transform.h"
#include "train/run.h"

namespace ridgeline {

// The flags with every default filled in, checked; no data was read and no torch loaded yet.
struct TrainSetup {
  ModelSpec model{};
  std::string label{};  // with the family, which a resized model's own label lacks: "32x1"
  bool images = false;
  bool classes_given = false;  // else the data's number is taken
  bool vocab_given = false;    // else the text's is taken
  RunSettings run{};
  OptimizerOptions optimizer{};
  Schedule schedule{};          // its total is known once the data is
  std::int64_t epochs = 0;      // 0: `schedule.total_steps` says it
  std::int64_t drop_every = 0;  // epochs (images) or steps
  TransformOptions train_transform{};
  TransformOptions test_transform{};
  LoaderOptions loader{};
  std::size_t hold_out = 0;            // 0: judged by the test set
  bool augment_on_device = false;      // the images are kept there
  std::vector<std::string> remarks{};  // "--amp is ignored on a CPU"
};

[[nodiscard]] TrainSetup resolve(const TrainFlags& flags, const Device& device);
// What accuracy is measured on: "test", "held-out".
[[nodiscard]] std::string_view judged(const TrainSetup& setup);

// The transforms for training and testing images of the model's size. Each family has its own
// normalisation; --mean and --std replace it.
struct TransformPair {
  TransformOptions train{};
  TransformOptions test{};
};
[[nodiscard]] TransformPair resolve_transforms(const DataFlags& flags, const ResNetSpec& model,
                                               const Device& device);
// 224 for "rrc224"; absent when --transform is not given.
[[nodiscard]] std::optional<int> transform_size(const DataFlags& flags);

}  // namespace ridgeline
