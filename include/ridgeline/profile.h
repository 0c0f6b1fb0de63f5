#pragma once

// Profiles steps of any LibTorch C++ program: link Ridgeline::profile and write
//
//   ridgeline::Profile profile({.out = "prof", .steps = 5});
//   for (...) {
//     profile.step();  // at the same place of every iteration
//     ...
//   }
//
// When the steps are recorded, or at the latest when `profile` goes away, the folder gets the files
// of `ridgeline profile`, and the tables are printed on standard error. Nothing here throws or ends
// the program: what goes wrong is one line on standard error, and the program runs on unprofiled.
// Needs C++17 (the designated initialisers above need C++20) and no header of torch.

#include <memory>
#include <string>

#define RIDGELINE_PUBLIC __attribute__((visibility("default")))

namespace ridgeline {

// RIDGELINE_PROFILE, where it is set, has the last word on each of these: "out=prof,steps=5",
// "on" for the program's own choice, "off" for no profile.
struct ProfileOptions {
  std::string out{};    // the folder to write; empty: runs/<time>-profile
  std::string title{};  // of tables and pages; empty: the program's name
  int wait = 1;         // steps that run before, without the profiler
  int warmup = 1;       // steps with it that are thrown away
  int steps = 3;        // steps recorded
  int repeat = 1;       // how often all of that happens
  int cost_pairs = 12;  // pairs of later steps that tell what profiling costs; 0: not measured
  bool shapes = false;  // of the ops' inputs
  bool memory = false;  // allocations on the host
  double trace_limit = 200e6;  // bytes of the uncompressed trace; beyond it only totals are kept
  int top = 15;                // rows printed
  bool quiet = false;          // print nothing but errors
  bool enabled_by_environment = false;  // no profile unless RIDGELINE_PROFILE is set
};

// One at a time in a process. A step lies between two calls of step() (or is a ProfileStep), so
// that what comes before the first and after the last call belongs to none. All calls come from one
// thread; ops are recorded on all.
class RIDGELINE_PUBLIC Profile {
 public:
  explicit Profile(const ProfileOptions& options = {}) noexcept;
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  // A step ends here, if one was begun, and the next begins. One branch once all is recorded.
  void step() noexcept;
  // Writes what was recorded so far, unless that has happened; later steps are not looked at.
  void finish() noexcept;
  // Whether steps are still awaited or recorded.
  [[nodiscard]] bool active() const noexcept;

 private:
  friend class ProfileStep;
  void begin_step() noexcept;
  void end_step() noexcept;

  struct State;
  std::unique_ptr<State> state_;
};

// The step is what happens while this lives; the time between two of them belongs to none.
class RIDGELINE_PUBLIC ProfileStep {
 public:
  explicit ProfileStep(Profile& profile) noexcept;
  ~ProfileStep();
  ProfileStep(const ProfileStep&) = delete;
  ProfileStep& operator=(const ProfileStep&) = delete;

 private:
  Profile& profile_;
};

// A part of a step under a name of the program's own, on any thread. Other profilers of torch see
// it too. Nearly free while none listens.
class RIDGELINE_PUBLIC Range {
 public:
  explicit Range(const char* name) noexcept;
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  void* record_ = nullptr;
};

}  // namespace ridgeline
