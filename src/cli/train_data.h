#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cli/train_setup.h"
#include "data/image_folder.h"
#include "data/image_set.h"
#include "data/text.h"
#include "train/image_batches.h"
#include "train/token_batches.h"

namespace ridgeline {

// What --data names, for `train` and `eval`: read, or fetched when the folder is empty.
[[nodiscard]] ImageData open_data(const DataFlags& flags, bool say,
                                  const ImageFolderOptions& options = {});

// For --dry-run, which reads no image: the model with the classes and vocabulary
// that the data will give it, and what is said of the data.
[[nodiscard]] ModelSpec foreseen_model(const DataFlags& flags, const TrainSetup& setup);
[[nodiscard]] std::string describe_data(const DataFlags& flags, const TrainSetup& setup);
// Refuses what the number of images alone would refuse, where it is known.
void foresee_refusals(const DataFlags& flags, const TrainSetup& setup);

// The data of one training, with the loaders over it.
class TrainData {
 public:
  TrainData(const DataFlags& flags, const TrainSetup& setup, Backend& backend, bool say);

  // The setup's model with what only the data says: classes, vocabulary.
  [[nodiscard]] const ModelSpec& model() const { return model_; }
  [[nodiscard]] std::string label() const;  // what checkpoints are named after
  [[nodiscard]] std::int64_t steps_per_epoch() const;
  [[nodiscard]] std::int64_t tokens_a_sample() const;  // 0 for images
  [[nodiscard]] std::string description() const { return description_; }
  [[nodiscard]] const std::string& identity() const { return identity_; }
  [[nodiscard]] const std::string& note() const { return images_.note; }
  [[nodiscard]] BatchSource& batches() { return *batches_; }
  // Whether there is something to judge by.
  [[nodiscard]] bool is_tested() const { return test_loader_ || held_out_tokens_; }
  // Where there is; absent when interrupted.
  [[nodiscard]] std::optional<Score> evaluate(Trainer& trainer,
                                              const std::function<bool()>& interrupted);

 private:
  [[nodiscard]] TokenShape token_shape() const;
  void open_images(const DataFlags& flags, const TrainSetup& setup, Backend& backend, bool say);
  void open_tokens(const DataFlags& flags, const TrainSetup& setup);

  ModelSpec model_;
  std::string label_;
  std::string description_;
  std::string identity_;  // what a checkpoint knows it by
  std::int64_t accumulation_ = 1;
  ImageData images_;
  std::unique_ptr<Transform> train_transform_;
  std::unique_ptr<Transform> test_transform_;
  std::unique_ptr<Loader> train_loader_;
  std::unique_ptr<Loader> test_loader_;
  std::unique_ptr<TokenSource> tokens_;
  std::unique_ptr<TokenSource> held_out_tokens_;
  std::unique_ptr<BatchSource> batches_;
};

}  // namespace ridgeline
