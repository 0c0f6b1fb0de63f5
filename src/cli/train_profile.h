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
#include "profile/step_recorder.h"
#include "profile/trace_writer.h"
#include "trace/profile_facts.h"
#include "train/run.h"
#include "train/watched_batches.h"

namespace ridgeline {

// The profiler of `train`: records some steps of the training itself, loader included, and tells
// what that costs from pairs of the steps that follow. On a GPU the driver is asked about the rest.
class TrainProfile {
 public:
  // Absent when no flag asks for it. Throws Error(BadInput) for a word that --sort-by does not
  // know.
  [[nodiscard]] static std::unique_ptr<TrainProfile> make(const TrainFlags& flags,
                                                          const Session& session);

  // What the training is to be fed with.
  [[nodiscard]] BatchSource& watch(BatchSource& source) {
    return batches_.emplace(source, observer_->hooks().now);
  }
  // These two are for TrainHooks.
  void take(std::int64_t step, const std::function<void()>& take);
  void steps_pause();

  struct Result {
    std::string text{};  // tables and findings
    std::vector<std::filesystem::path> files{};
    std::vector<std::string> lost{};  // what could not be written, and why
  };
  // Writes what `profile` writes, with the traces as trace_step_N.json and for TensorBoard's plugin
  // and the page as profile.html, since a training has a report of its own.
  [[nodiscard]] Result finish(const std::filesystem::path& folder, const TrainRequest& request,
                              const TrainOutcome& outcome);
  // Of a training that failed: what was recorded until then, if anything, and where it is.
  void rescue(const std::filesystem::path& folder, const TrainRequest& request,
              const TrainOutcome& outcome) noexcept;

 private:
  TrainProfile(const TrainFlags& flags, const Session& session);
  void take_watched(std::int64_t step, StepAction action, const std::function<void()>& take);
  void take_of_pair(const std::function<void()>& take);
  void take_plain(const std::function<void()>& take);
  void end_recording();
  [[nodiscard]] Result publish(const std::filesystem::path& folder, const TrainRequest& request,
                               const TrainOutcome& outcome,
                               const std::optional<ProfileFailure>& failure);
  [[nodiscard]] ProfileResult result(const TrainOutcome& outcome);
  [[nodiscard]] ProfileFacts known(const TrainRequest& request, const TrainOutcome& outcome) const;

  const Session& session_;
  ObserverOptions options_;
  StepSchedule schedule_;
  std::string sort_by_;
  TraceFacts facts_;
  std::unique_ptr<OpObserver> observer_;
  std::optional<WatchedBatches> batches_;
  std::optional<Recording> recording_;     // once all is in it
  std::optional<StepRecorder> pairs_;      // after that
  UtilisationWatch::Source driver_;        // empty on a CPU
  std::optional<UtilisationWatch> plain_;  // the steps after the pairs
  std::int64_t first_ = -1;                // a resumed training starts later than at 0
  std::int64_t last_recorded_ = -1;
};

}  // namespace ridgeline
