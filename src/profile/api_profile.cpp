#include "profile/api_profile.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "core/atomic_file.h"
#include "core/environment.h"
#include "core/error.h"
#include "core/process.h"
#include "core/timestamp.h"
#include "profile/device_times.h"
#include "profile/driver_devices.h"
#include "profile/facts.h"
#include "profile/job_rank.h"
#include "report/run_document.h"

namespace ridgeline {
namespace {

constexpr StepSchedule kWholeRun{.wait = 0, .warmup = 0, .active = 1, .repeat = 1};

StepSchedule schedule_of(const ProfileOptions& options, ProfileExtent extent) {
  if (extent == ProfileExtent::WholeRun) return kWholeRun;
  return {.wait = options.wait,
          .warmup = options.warmup,
          .active = options.steps,
          .repeat = options.repeat};
}

std::optional<std::filesystem::path> wanted_folder(const ProfileOptions& options) {
  if (options.out.empty()) return std::nullopt;
  return options.out;
}

// The words that started the program; empty where the system does not tell.
std::vector<std::string> command_line() {
  std::vector<std::string> words;
  try {
    const std::string text = read_file("/proc/self/cmdline", Bytes{1e6});
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = std::min(text.find('\0', start), text.size());
      words.push_back(text.substr(start, end - start));
      start = end + 1;
    }
  } catch (const Error&) {
    words.clear();
  }
  return words;
}

nlohmann::json settings_json(const ProfileOptions& options, ProfileExtent extent) {
  nlohmann::json settings{{"extent", extent == ProfileExtent::WholeRun ? "whole run" : "steps"},
                          {"shapes", options.shapes},
                          {"memory", options.memory},
                          {"trace_limit_bytes", options.trace_limit}};
  if (extent == ProfileExtent::Steps) {
    settings["wait"] = options.wait;
    settings["warmup"] = options.warmup;
    settings["steps"] = options.steps;
    settings["repeat"] = options.repeat;
  }
  return settings;
}

// Settings that only a program's own steps can give a meaning.
std::string unused_settings(const ProfileOptions& options, ProfileExtent extent) {
  const ProfileOptions usual;
  const bool unused = options.wait != usual.wait || options.warmup != usual.warmup ||
                      options.steps != usual.steps || options.repeat != usual.repeat ||
                      options.cost_pairs != usual.cost_pairs;
  if (extent == ProfileExtent::Steps || !unused) return "";
  return "Note: the program does not say where its steps are (ridgeline/profile.h), so its whole "
         "run is one; steps, wait, warmup, repeat and cost_pairs were left aside.\n";
}

ProfileFacts facts_for(const ProfileResult& result) {
  ProfileFacts known;
  known.on_gpu = !result.recording.device.empty();
  return facts_of(result, known);
}

std::vector<TraceDevice> devices_of(const Recording& recording) {
  std::set<std::uint32_t> numbers;
  for (const DeviceRecord& record : recording.device) numbers.insert(record.device);
  return driver_devices(numbers);
}

// What occupancy is told by; of several devices only where all are alike.
std::optional<GpuShape> shape_of(const std::vector<TraceDevice>& devices) {
  const auto shape = [](const TraceDevice& device) {
    return GpuShape{.compute_major = device.compute_major,
                    .compute_minor = device.compute_minor,
                    .multiprocessors = device.multiprocessors};
  };
  if (devices.empty()) return std::nullopt;
  const GpuShape first = shape(devices.front());
  const bool alike = std::ranges::all_of(
      devices, [&](const TraceDevice& device) { return shape(device) == first; });
  return alike ? std::optional(first) : std::nullopt;
}

}  // namespace

ApiProfile::ApiProfile(const ProfileOptions& options, ProfileExtent extent,
                       const MakeObserver& make_observer)
    : options_(options),
      extent_(extent),
      folder_(RunFolder::create(wanted_folder(options), "profile")),
      facts_{.name = "trace.json.gz",
             .process = ::getpid(),
             .steady_start = steady_nanoseconds(),
             .unix_start = unix_nanoseconds(),
             .shapes = options.shapes},
      started_(utc_now()),
      observer_([&] {
        try {
          return make_observer({.shapes = options.shapes,
                                .values = options.shapes,
                                .memory = options.memory,
                                .trace_bytes = options.trace_limit});
        } catch (...) {
          folder_.discard();
          throw;
        }
      }()),
      steps_(*observer_, schedule_of(options, extent),
             extent == ProfileExtent::WholeRun ? 0 : options.cost_pairs) {}

std::string ApiProfile::title() const {
  const std::string program =
      options_.title.empty() ? own_program().filename().string() : options_.title;
  return extent_ == ProfileExtent::WholeRun ? program + ", from start to exit" : program;
}

ProfileView ApiProfile::view() const {
  return {.top = static_cast<std::size_t>(options_.top), .shapes_word = "the setting shapes"};
}

WrittenFiles ApiProfile::write_files(const ProfileDocument& profile,
                                     const std::string& torch_version) {
  RunDocument run;
  run.command = "profile";
  run.command_line = command_line();
  run.settings = settings_json(options_, extent_);
  run.started = started_;
  run.finished = utc_now();
  run.environment = read_environment();
  run.environment["torch"] = {{"version", torch_version}};
  std::vector<std::string> lost;
  write_or_note(lost, [&] { folder_.write("run.json", json_text(run_json(run))); });
  WrittenFiles written = write_profile(folder_.path(), profile);
  written.lost.insert(written.lost.begin(), lost.begin(), lost.end());
  return written;
}

ApiProfile::Report ApiProfile::write(const std::string& torch_version) {
  ProfileResult result = steps_.finish();
  observer_->pause();
  (void)attribute_device_times(result.recording);
  if (result.recording.steps.empty()) {
    folder_.discard();
    throw bad_input(fmt::format(
        "nothing was profiled: the program ended before step {} was whole (wait {}, warm-up {})",
        options_.wait + options_.warmup + 1, options_.wait, options_.warmup));
  }
  ProfileDocument profile{.title = title(), .result = std::move(result), .view = view()};
  profile.trace = facts_;
  profile.trace.devices = devices_of(profile.result.recording);
  const JobRank job = job_rank(std::getenv("RANK"), std::getenv("WORLD_SIZE"));
  profile.trace.rank = job.rank;
  profile.trace.world_size = job.world_size;
  profile.view.gpu = shape_of(profile.trace.devices);
  profile.facts = facts_for(profile.result);
  profile.tables = profile_tables(profile.result.recording, profile.view);
  std::string skipped;
  WrittenFiles written = write_files(profile, torch_version);
  for (const std::string& line : written.problems) skipped += line + '\n';
  return {.text = fmt::format("{}\n\n{}{}{}\nRun folder: {}\n", title(), profile_text(profile),
                              unused_settings(options_, extent_), skipped, folder_.path().string()),
          .lost = std::move(written.lost)};
}

}  // namespace ridgeline
