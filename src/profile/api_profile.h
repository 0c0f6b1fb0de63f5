#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <ridgeline/profile.h>

#include "core/run_folder.h"
#include "profile/profile_document.h"
#include "profile/profile_output.h"
#include "profile/step_recorder.h"

namespace ridgeline {

enum class ProfileExtent { Steps, WholeRun };

// What the public interface does behind its back, without torch: a profile of somebody else's
// program with its run folder. Everything throws Error; who calls it says so in a line.
class ApiProfile {
 public:
  using MakeObserver = std::function<std::unique_ptr<OpObserver>(const ObserverOptions&)>;
  // The folder is made now, so that a wrong one is known before the work is done. A whole run is
  // one step, which the caller begins and ends.
  ApiProfile(const ProfileOptions& options, ProfileExtent extent,
             const MakeObserver& make_observer);

  void begin_step() { steps_.begin(); }
  void end_step() { steps_.end(); }
  [[nodiscard]] bool done() const { return steps_.done(); }

  struct Report {
    std::string text{};               // to be printed
    std::vector<std::string> lost{};  // why files could not be written
  };
  // Writes every file. Without a recorded step there is nothing to write, and the folder goes.
  // Once.
  [[nodiscard]] Report write(const std::string& torch_version);
  // Nothing is to be written after all.
  void abandon() noexcept { folder_.discard(); }

 private:
  [[nodiscard]] std::string title() const;
  [[nodiscard]] ProfileView view() const;
  [[nodiscard]] WrittenFiles write_files(const ProfileDocument& profile,
                                         const std::string& torch_version);

  ProfileOptions options_;
  ProfileExtent extent_;
  RunFolder folder_;
  TraceFacts facts_;
  std::string started_;
  std::unique_ptr<OpObserver> observer_;
  StepRecorder steps_;
};

}  // namespace ridgeline
