#include "cli/train_profile.h"

#include <cstdio>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/profile_findings.h"
#include "cli/profile_memory.h"
#include "cli/profile_observer.h"
#include "core/table.h"
#include "core/timestamp.h"
#include "profile/device_times.h"
#include "profile/facts.h"
#include "profile/profile_output.h"
#include "trace/expectations.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWorkshopModel = "tiny-llama";
// Enough for an interval, and few steps that are slowed down for it.
constexpr int kCostPairs = 12;

std::string expectations_text(const ProfileFacts& facts) {
  Table table({{"Expected by the exercise"}, {"range"}, {"measured"}, {""}});
  for (const ExpectedRow& row : tiny_llama_expectations(facts))
    table.add({std::string(row.what), row.expected, row.measured, std::string(row.verdict)});
  return table.to_text();
}

}  // namespace

std::unique_ptr<TrainProfile> TrainProfile::make(const TrainFlags& flags, const Session& session) {
  if (!flags.pytorch_profiler && !flags.memory_profiling && !flags.all_profiling) return nullptr;
  return std::unique_ptr<TrainProfile>(new TrainProfile(flags, session));
}

TrainProfile::TrainProfile(const TrainFlags& flags, const Session& session)
    : session_(session),
      options_{.shapes = flags.all_profiling,
               .values = flags.all_profiling,
               .memory = flags.memory_profiling || flags.all_profiling,
               .program_ranges = false},
      schedule_{.wait = flags.profiler_warmup, .warmup = 1, .active = flags.profiler_steps},
      sort_by_(flags.sort_by.empty() ? "device" : flags.sort_by),
      facts_{.process = ::getpid(),
             .steady_start = steady_nanoseconds(),
             .unix_start = unix_nanoseconds(),
             .shapes = options_.shapes,
             .devices = trace_devices(session.engine, session.device)},
      observer_(make_observer(session.engine, session.device, options_, GraphDetail::Nodes)),
      driver_(session.device.kind == DeviceKind::Cuda ? nvml_source(session.device.index)
                                                      : UtilisationWatch::Source()) {
  (void)parse_op_order(sort_by_);
}

void TrainProfile::take(std::int64_t step, const std::function<void()>& take) {
  if (first_ < 0) first_ = step;
  const std::int64_t place = step - first_;
  if (place < step_count(schedule_)) return take_watched(step, action_at(schedule_, place), take);
  if (!recording_) end_recording();
  if (!pairs_->done()) return take_of_pair(take);
  take_plain(take);
}

void TrainProfile::take_watched(std::int64_t step, StepAction action,
                                const std::function<void()>& take) {
  if (action == StepAction::Wait) {
    observer_->pause();
    return take();
  }
  const WatchedStep watched(*observer_, step,
                            action == StepAction::Record ? Keep::Everything : Keep::Nothing);
  if (action == StepAction::Record) last_recorded_ = step;
  take();
}

void TrainProfile::end_recording() {
  recording_ = observer_->finish();
  observer_->reset();  // so that the pairs find the same room
  pairs_.emplace(*observer_, StepSchedule{.wait = 0, .warmup = 0, .active = 0}, kCostPairs);
}

// A training queues steps ahead of a device; one that is timed begins and ends with an empty queue.
void TrainProfile::take_of_pair(const std::function<void()>& take) {
  Backend& backend = session_.engine.backend(session_.device);
  backend.synchronize();
  pairs_->begin();
  take();
  backend.synchronize();
  pairs_->end();
}

// The driver's figure is that of the training without the profiler.
void TrainProfile::take_plain(const std::function<void()>& take) {
  if (!driver_) return take();
  if (!plain_) plain_.emplace(driver_);
  plain_->step_began();
  take();
  plain_->step_ended();
}

void TrainProfile::steps_pause() {
  if (plain_) plain_->steps_pause();
}

ProfileResult TrainProfile::result(const TrainOutcome& outcome) {
  ProfileResult result;
  if (!recording_) recording_ = observer_->finish();
  if (pairs_) result.cost = pairs_->finish().cost;
  result.recording = std::move(*recording_);
  if (batches_) result.recording.data_waits = batches_->waits_in(result.recording.steps);
  result.memory = memory_timeline(result.recording);
  result.planned_steps = schedule_.active;
  result.interrupted = outcome.loop.end == LoopEnd::Interrupted;
  (void)attribute_device_times(result.recording);
  if (plain_) result.utilisation = plain_->finish();
  return result;
}

// What the training knows of itself: speed and memory. How long the recorded steps waited for data
// the recording tells.
ProfileFacts TrainProfile::known(const TrainRequest& request, const TrainOutcome& outcome) const {
  ProfileFacts facts = known_facts(request.model, request.settings.run, session_.engine);
  facts.samples_per_s = samples_per_s(outcome.loop.total);
  facts.memory->peak = outcome.memory.peak;
  facts.memory->of_process = !facts.on_gpu;
  if (facts.on_gpu) facts.memory->reserved = outcome.memory.reserved;
  return facts;
}

TrainProfile::Result TrainProfile::finish(const fs::path& folder, const TrainRequest& request,
                                          const TrainOutcome& outcome) {
  if (last_recorded_ < 0)
    return {.text = fmt::format("Nothing was profiled: the training ended before step {}.\n",
                                schedule_.wait + schedule_.warmup + 1)};
  return publish(folder, request, outcome, {});
}

void TrainProfile::rescue(const fs::path& folder, const TrainRequest& request,
                          const TrainOutcome& outcome) noexcept {
  if (last_recorded_ < 0) return;
  try {
    const Result kept = publish(folder, request, outcome, failure_of(outcome.loop.failure));
    fmt::print(stderr, "ridgeline: what was profiled until the training failed is in {}\n",
               folder.string());
    for (const std::string& file : kept.lost) fmt::print(stderr, "ridgeline: {}\n", file);
  } catch (const std::exception& error) {
    fmt::print(stderr, "ridgeline: the profile is lost: {}\n", error.what());
  }
}

TrainProfile::Result TrainProfile::publish(const fs::path& folder, const TrainRequest& request,
                                           const TrainOutcome& outcome,
                                           const std::optional<ProfileFailure>& failure) {
  ProfileDocument profile{.title = request.facts.model,
                          .result = result(outcome),
                          .view = {.order = parse_op_order(sort_by_),
                                   .gpu = gpu_shape(session_.engine, session_.device),
                                   .parameters = parameter_sizes(request.model),
                                   .shapes_word = "--enable-all-profiling"},
                          .trace = facts_,
                          .page = "profile.html"};
  // The second is the name under which TensorBoard's plugin looks for runs.
  profile.traces = {
      fmt::format("trace_step_{}.json", last_recorded_ + 1),
      fmt::format("{}.{}.pt.trace.json.gz", request.facts.model, unix_nanoseconds() / 1'000'000)};
  profile.result.failure = failure;
  profile.tables = profile_tables(profile.result.recording, profile.view);
  profile.facts = facts_of(profile.result, known(request, outcome));
  if (request.facts.model == kWorkshopModel)
    profile.remarks = "\n" + expectations_text(profile.facts);
  WrittenFiles written = write_profile(folder, profile);
  Result out{.text = "\n" + profile_text(profile),
             .files = std::move(written.files),
             .lost = std::move(written.lost)};
  for (const std::string& problem : written.problems) out.text += problem + "\n";
  return out;
}

}  // namespace ridgeline
