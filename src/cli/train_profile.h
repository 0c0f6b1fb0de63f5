#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.h"
#include "cli/train_flags.h"
#include "engine/engine.h"
#include "measure/utilisation_watch.h"
#include "profile/observer.h"
#include "profile/schedule.h"
#include "profile/trace_writer.h"
#include "train/run.h"

namespace ridgeline {

// The profiler of `train`: records some steps of the training itself, loader included.
class TrainProfile {
 public:
  // Absent when no flag asks for it. Throws Error(BadInput) for a word that --sort-by does not
  // know.
  [[nodiscard]] static std::unique_ptr<TrainProfile> make(const TrainFlags& flags,
                                                          const Session& session);

  // For TrainHooks::around_step.
  void take(std::int64_t step, const std::function<void()>& take);

  struct Result {
    std::string text{};  // tables and findings
    std::vector<std::filesystem::path> files{};
  };
  // Writes trace_step_N.json, the same for TensorBoard's plugin, ops.csv, modules.csv,
  // findings.txt, with memory also memory.json, memory.png, memory.svg. `speed` is the whole
  // training's, in samples a second.
  [[nodiscard]] Result finish(const std::filesystem::path& folder, const TrainRequest& request,
                              const Engine& engine, double speed);

 private:
  TrainProfile(const TrainFlags& flags, const Session& session);
  void take_plain(const std::function<void()>& take);

  ObserverOptions options_;
  StepSchedule schedule_;
  std::string sort_by_;
  TraceFacts facts_;
  std::unique_ptr<OpObserver> observer_;
  UtilisationWatch::Source driver_;        // empty on a CPU
  std::optional<UtilisationWatch> plain_;  // the steps after the recorded ones
  std::int64_t first_ = -1;                // a resumed training starts later than at 0
  std::int64_t last_recorded_ = -1;
};

}  // namespace ridgeline
