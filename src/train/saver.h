#pragma once

#include <chrono>
#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "train/checkpoint.h"
#include "train/loop.h"

namespace ridgeline {

// What is saved when, and under which names: FOLDER/MODEL_best.pt and the like.
struct SavePlan {
  std::filesystem::path folder{};
  std::int64_t every_epochs = 0;  // MODEL_epochN.pt; 0: none
  bool at_epoch_ends = true;      // MODEL_last.pt
  // MODEL_last.pt also inside an epoch when this has passed since the last one, so that a kill
  // loses at most this; 0: never.
  Seconds pause{60};
};

// FOLDER/MODEL_best.pt for "best".
[[nodiscard]] std::filesystem::path checkpoint_file(const std::filesystem::path& folder,
                                                    const std::string& model,
                                                    std::string_view suffix);

// Those of this model that are there already and that a run may replace.
[[nodiscard]] std::vector<std::filesystem::path> replaceable(const SavePlan& plan,
                                                             const std::string& model);

// Writes the checkpoints of one training. What a GPU trains is copied off it to be saved, so the
// file is written while it trains on; one at a time, and what went wrong is thrown by the next
// call. On a CPU a second thread would only take time from the first. What is not finite is never
// saved: Error(Device).
class Saver {
 public:
  Saver(Trainer& trainer, SavePlan plan, CheckpointFacts facts, const Device& device);

  // Whether SavePlan::pause is over. It is longer where saving takes long: a state of gigabytes
  // shall not cost more than a twentieth of the time.
  [[nodiscard]] bool is_due() const;
  void save(const LoopState& state, const std::string& suffix);
  void save_last(const LoopState& state);  // unless it was saved at this very place
  void save_epoch(const EpochReport& report);
  void save_weights(const std::string& suffix);
  // After a failure: keeps what was trained until then, where it is of use to go on from. Nothing
  // is thrown, for it is the failure that must be told.
  void rescue(const LoopResult& result) noexcept;
  void finish();  // all files are there when this returns
  // Written, in order, each once.
  [[nodiscard]] const std::vector<std::filesystem::path>& files() const { return files_; }

 private:
  using Clock = std::chrono::steady_clock;
  void require_finite();
  void write(const std::string& suffix, Value value);
  void note(const std::filesystem::path& file);

  Trainer& trainer_;
  SavePlan plan_;
  CheckpointFacts facts_;
  bool behind_;
  Clock::time_point saved_at_ = Clock::now();
  Seconds cost_{};
  std::optional<LoopState> last_;  // of MODEL_last.pt
  std::vector<std::filesystem::path> files_;
  std::filesystem::path being_written_;
  std::future<void> writing_;
};

}  // namespace ridgeline
