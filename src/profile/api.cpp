#include <ATen/Context.h>
#include <ATen/record_function.h>
#include <torch/headeronly/version.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string_view>
#include <thread>

#include <fmt/format.h>
#include <ridgeline/profile.h>
#include <unistd.h>

#include "core/error.h"
#include "profile/api_options.h"
#include "profile/api_profile.h"
#include "profile/device_observer.h"

extern "C" {
ridgeline::OpObserver* ridgeline_make_op_observer(const ridgeline::ObserverOptions& options);
ridgeline::DeviceObserver* ridgeline_make_device_observer(
    const ridgeline::DeviceObserverOptions& options);
}

namespace ridgeline {
namespace {

// The one place of this library that prints: it has no caller of ours who would.
void say(std::string_view text) noexcept { (void)std::fwrite(text.data(), 1, text.size(), stderr); }

void complain(const char* before, const char* reason, const char* after) noexcept {
  const std::string_view text = reason;
  const auto line = static_cast<int>(text.substr(0, text.find('\n')).size());
  (void)std::fprintf(stderr, "ridgeline: %s%.*s%s\n", before, line, reason, after);
}

// Nothing of ours may end somebody else's program.
template <class Work>
bool guarded(Work&& work, const char* before = "", const char* after = "") noexcept {
  try {
    work();
    return true;
  } catch (const std::exception& error) {
    complain(before, error.what(), after);
  } catch (...) {
    complain(before, "an unknown error", after);
  }
  return false;
}

const char* variable() { return std::getenv(kProfileVariable); }

std::optional<ProfileOptions> wanted(const ProfileOptions& options) noexcept {
  const char* const text = variable();
  const bool from_outside = text != nullptr && *text != '\0';
  std::optional<ProfileOptions> result;
  guarded([&] { result = effective_options(options, text); },
          from_outside ? "RIDGELINE_PROFILE: " : "ridgeline::Profile: ",
          "; the program runs unprofiled");
  return result;
}

// The host's side, and the device's where torch has one. A device that cannot be watched costs its
// half of the profile, not the profile.
std::unique_ptr<OpObserver> make_observer(const ObserverOptions& options) {
  std::unique_ptr<OpObserver> host(ridgeline_make_op_observer(options));
#ifdef RIDGELINE_WITH_CUPTI
  if (!at::globalContext().hasCUDA()) return host;
  std::unique_ptr<DeviceObserver> device;
  guarded([&] { device.reset(ridgeline_make_device_observer({.hooks = host->hooks()})); }, "",
          "; kernels are not recorded");
  if (device)
    return watch_both(std::move(host), std::move(device), [](const Error& reason) {
      complain("", reason.what(), "; kernels are not recorded any more");
    });
#endif
  return host;
}

// A profile and whose it is: a forked child inherits it and must not write it, and torch's state
// that the observer holds belongs to a thread.
struct OwnedProfile {
  OwnedProfile(const ProfileOptions& options, ProfileExtent extent)
      : profile(options, extent, make_observer), quiet(options.quiet) {}
  [[nodiscard]] bool in_own_process() const { return process == ::getpid(); }
  [[nodiscard]] bool on_own_thread() const { return thread == std::this_thread::get_id(); }

  ApiProfile profile;
  bool quiet;
  ::pid_t process = ::getpid();
  std::thread::id thread = std::this_thread::get_id();
};

void write(std::unique_ptr<OwnedProfile> owned) noexcept {
  if (!owned->in_own_process()) return void(owned.release());
  guarded([&] {
    const ApiProfile::Report report = owned->profile.write(TORCH_VERSION);
    if (!owned->quiet) say(report.text);
    for (const std::string& reason : report.lost) complain("", reason.c_str(), "");
  });
  if (!owned->on_own_thread()) (void)owned.release();
}

// Of a program that was not written to be profiled. A Profile of the program's own takes its place.
std::atomic<OwnedProfile*> whole_run{nullptr};

void end_whole_run() {
  std::unique_ptr<OwnedProfile> owned(whole_run.exchange(nullptr));
  if (!owned) return;
  if (owned->in_own_process() && owned->on_own_thread()) owned->profile.end_step();
  write(std::move(owned));
}

void begin_whole_run() noexcept {
  const auto options = wanted({});
  if (!options) return;
  guarded(
      [&] {
        auto owned = std::make_unique<OwnedProfile>(*options, ProfileExtent::WholeRun);
        // Before torch's own exit handlers, which are older.
        if (std::atexit(end_whole_run) != 0) throw Error(Fault::Internal, "no room for atexit");
        owned->profile.begin_step();
        whole_run = owned.release();
      },
      "", "; the program runs unprofiled");
}

}  // namespace

struct Profile::State {
  std::unique_ptr<OwnedProfile> owned;
};

Profile::Profile(const ProfileOptions& options) noexcept {
  const auto effective = wanted(options);
  if (!effective) return;
  guarded(
      [&] {
        if (OwnedProfile* const other = whole_run.exchange(nullptr)) {
          other->profile.abandon();
          delete other;
        }
        auto owned = std::make_unique<OwnedProfile>(*effective, ProfileExtent::Steps);
        state_ = std::make_unique<State>(State{std::move(owned)});
      },
      "", "; the program runs unprofiled");
}

Profile::~Profile() { finish(); }

bool Profile::active() const noexcept { return state_ != nullptr; }

void Profile::finish() noexcept {
  if (const auto state = std::move(state_)) write(std::move(state->owned));
}

void Profile::begin_step() noexcept {
  if (!state_) return;
  OwnedProfile& owned = *state_->owned;
  if (!owned.on_own_thread())
    return complain("", "a step was begun on another thread than the profile's: left out", "");
  if (!guarded([&] { owned.profile.begin_step(); }) || owned.profile.done()) finish();
}

void Profile::end_step() noexcept {
  if (!state_ || !state_->owned->on_own_thread()) return;
  OwnedProfile& owned = *state_->owned;
  if (!guarded([&] { owned.profile.end_step(); }) || owned.profile.done()) finish();
}

void Profile::step() noexcept { begin_step(); }

ProfileStep::ProfileStep(Profile& profile) noexcept : profile_(profile) { profile_.begin_step(); }
ProfileStep::~ProfileStep() { profile_.end_step(); }

Range::Range(const char* name) noexcept {
  guarded([&] {
    auto callbacks = at::getStepCallbacksUnlessEmpty(at::RecordScope::USER_SCOPE);
    if (!callbacks) return;
    auto record = std::make_unique<at::RecordFunction>(std::move(*callbacks));
    record->before(std::string(name == nullptr ? "" : name));
    record_ = record.release();
  });
}
Range::~Range() { delete static_cast<at::RecordFunction*>(record_); }

}  // namespace ridgeline

// For the library that is preloaded.
extern "C" void ridgeline_profile_whole_run() { ridgeline::begin_whole_run(); }
