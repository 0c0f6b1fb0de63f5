#include <cstdio>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "cli/command.h"
#include "cli/common_flags.h"
#include "cli/profile_findings.h"
#include "cli/profile_flags.h"
#include "cli/profile_memory.h"
#include "cli/profile_observer.h"
#include "cli/profile_subject.h"
#include "cli/session.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/progress.h"
#include "core/stack_sampler.h"
#include "core/timestamp.h"
#include "profile/device_times.h"
#include "profile/host_stacks.h"
#include "profile/op_report.h"
#include "profile/profile_json.h"
#include "profile/profile_output.h"
#include "profile/profile_steps.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(Examples:
  ridgeline profile transformer --size small --context-length 128 --steps 5 --out prof
  ridgeline profile resnet18 --batch-size 8 --image-size 32 --memory --shapes --top 10 --sort-by total
  ridgeline profile resnet18 --data synthetic --image-size 224 --batch-size 32 --steps 10 --out baseline
  ridgeline profile resnet18 --wait 2 --warmup 1 --active 3 --repeat 2 --group-by module
Writes trace.json.gz (Perfetto, chrome://tracing, TensorBoard, HTA), ops.csv, modules.csv, stacks.txt,
speedscope.json, findings.txt, profile.json and report.html; of a GPU kernels.csv, copies.csv and
gaps.csv. The cost of profiling is measured in the same run and printed.)";

// Without a slash at its end, which would leave no name.
std::string name_of_folder(const fs::path& folder) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

TraceFacts trace_facts(const ProfileFlags& flags, const Session& session, const fs::path& folder) {
  return {.name = "trace.json.gz",
          .process = ::getpid(),
          .steady_start = steady_nanoseconds(),
          .unix_start = unix_nanoseconds(),
          .shapes = flags.observe.shapes,
          .all_steps = flags.with_data ? name_of_folder(folder) + "_training" : std::string(),
          .devices = trace_devices(session.engine, session.device)};
}

constexpr Seconds kSamplePeriod{1e-3};
constexpr std::size_t kMostSamples = 100'000;  // of half a kilobyte each

// What else looks on while steps are recorded, and what they took before anybody did.
struct Onlookers {
  std::optional<Seconds> step_before{};
  std::optional<StackSampler> sampler{};
  std::optional<MemorySnapshot> snapshot{};
};

void write_seen(Onlookers& onlookers, const ProfileResult& result, const RowSpec& spec,
                const fs::path& folder) {
  if (onlookers.sampler) {
    const std::string lack =
        write_host_stacks(folder, onlookers.sampler->finish(), result.recording, describe(spec));
    if (!lack.empty()) fmt::print(stderr, "ridgeline: {}\n", lack);
  }
  if (onlookers.snapshot) onlookers.snapshot->write(folder);
}

// Not asked of a CPU.
UtilisationWatch::Source driver_of(const Device& device) {
  return device.kind == DeviceKind::Cuda ? nvml_source(device.index) : UtilisationWatch::Source();
}

std::optional<Seconds> step_before_observer(const ProfileFlags& flags, const Session& session) {
  const RowSpec spec = spec_for(flags, session.device);
  const bool stays =
      spec.settings.mode == Mode::Graph && flags.graphs == GraphDetail::Nodes && !flags.host_only;
  if (!stays || flags.with_data || flags.cost_rounds == 0) return std::nullopt;
  return step_before_watching(session.engine, spec);
}

ProfileResult watch(const ProfileFlags& flags, OpObserver& observer, const RowSpec& spec,
                    Workload& workload, Onlookers& onlookers) {
  if (flags.observe.memory) workload.reset_peak_memory();
  Progress progress({.enabled = !flags.common.quiet, .total = 1});
  progress.begin(describe(spec));
  ProfileResult result = profile_steps(
      workload, observer, flags.schedule,
      {.most = flags.cost_rounds, .budget = spec.plan.budget, .seed = flags.common.seed},
      {.interrupted = [] { return interrupted(); },
       .progressed = [&](double part) { progress.update(part); },
       .recording =
           [&](bool begins) {
             if (auto& sampler = onlookers.sampler) begins ? sampler->resume() : sampler->pause();
           },
       .recorded =
           [&] {
             if (onlookers.snapshot) onlookers.snapshot->take();
           },
       .step_before = onlookers.step_before,
       .gpu = driver_of(spec.settings.device)},
      sides_for(flags, spec.settings));
  progress.clear();
  if (result.memory) set_allocator_figures(*result.memory, workload.memory());
  (void)attribute_device_times(result.recording);
  return result;
}

// What fails before the first step (a model that does not fit) leaves no folder.
ProfileResult watch_or_discard(const ProfileFlags& flags, OpObserver& observer, const RowSpec& spec,
                               Workload& workload, Onlookers& onlookers, RunFolder& folder) {
  try {
    return watch(flags, observer, spec, workload, onlookers);
  } catch (...) {
    folder.discard();
    throw;
  }
}

int finish(const ProfileResult& result, const std::vector<std::string>& lost) {
  for (const std::string& reason : lost) fmt::print(stderr, "ridgeline: {}\n", reason);
  if (result.failure) {
    fmt::print(stderr, "ridgeline: {} (what was recorded until then is in the run folder)\n",
               result.failure->message);
    return kExitFailure;
  }
  if (!lost.empty()) return kExitFailure;
  if (result.interrupted || interrupted()) return kExitInterrupted;
  return result.recording.steps.empty() ? kExitNothingMeasured : kExitOk;
}

// The flags of `train` that mean the same here.
TrainFlags training_flags(const ProfileFlags& flags) {
  TrainFlags training = flags.training;
  training.common = flags.common;
  training.workload = flags.workload;
  const RowSpec spec = spec_for(flags, wanted_device(flags.common.device));
  training.precision = name_of(spec.settings.precision);
  training.mode = name_of(spec.settings.mode);
  training.kernels = name_of(spec.settings.kernels);
  return training;
}

// A training captures its step after some that are run as they come: none of those is what is
// asked for.
std::int64_t steps_until_captured(Mode mode) {
  return mode == Mode::Graph ? kStepsBeforeCapture + 1 : 0;
}

ProfileSubject make_subject(const ProfileFlags& flags, const Session& session,
                            OpObserver& observer) {
  ProfileSubject subject{.spec = spec_for(flags, session.device)};
  const WatchedCapture watched(observer, subject.spec.settings.mode);
  if (!flags.with_data) {
    subject.workload = make_profiled_workload(session.engine, subject.spec);
    return subject;
  }
  const std::int64_t before = steps_until_captured(subject.spec.settings.mode);
  subject.training = make_profiled_training(training_flags(flags), session,
                                            before + most_steps(flags.schedule, flags.cost_rounds),
                                            observer.hooks().now);
  for (std::int64_t i = 0; i < before && !interrupted(); ++i) (void)subject.steps().step();
  subject.spec.model = subject.training.setup.model;
  return subject;
}

// The table that is printed, as it stands in the run folder.
std::string printed_csv(const ProfileDocument& profile) {
  const bool kernels = profile.view.grouping == OpGrouping::Kernel && profile.tables.kernels;
  return to_csv(to_csv_table(kernels ? *profile.tables.kernels : profile.tables.ops));
}

bool csv_on_output(const ProfileFlags& flags) { return flags.common.csv == "-"; }

void write_named_csv(const ProfileFlags& flags, const ProfileDocument& profile) {
  if (!flags.common.csv || csv_on_output(flags)) return;
  const std::string& named = *flags.common.csv;
  write_file_atomically(named.empty() ? fs::path(kDefaultCsvFolder) / "ops.csv" : fs::path(named),
                        printed_csv(profile));
}

void print_profile(const ProfileFlags& flags, const ProfileDocument& profile,
                   const fs::path& folder) {
  if (csv_on_output(flags)) {
    fmt::print("{}", printed_csv(profile));
  } else if (flags.common.json) {
    fmt::print("{}", json_text(profile_json(profile)));
  } else if (!flags.common.quiet) {
    fmt::print("{}\n\n{}\nRun folder: {}\n", profile.title, profile_text(profile), folder.string());
  }
}

ProfileDocument document_of(const ProfileFlags& flags, const Session& session,
                            const ProfileSubject& subject, ProfileResult result,
                            const TraceFacts& trace, const fs::path& folder) {
  ProfileDocument profile{.title = describe(subject.spec),
                          .result = std::move(result),
                          .view = flags.view,
                          .trace = trace};
  profile.view.parameters = parameter_sizes(subject.spec.model);
  profile.tables = profile_tables(profile.result.recording, profile.view);
  if (!profile.result.recording.steps.empty())
    profile.facts = facts_about(subject, profile.result, session.engine);
  // Under the name that the workflow knows too: baseline/baseline_trace.json.
  if (flags.with_data) profile.traces.push_back(name_of_folder(folder) + "_trace.json");
  return profile;
}

void complain(const ProfileFlags& flags, const ProfileDocument& profile, bool in_graph_mode,
              const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) fmt::print(stderr, "ridgeline: {}\n", problem);
  if (flags.observe.memory && !profile.result.memory && !profile.result.recording.steps.empty())
    fmt::print(stderr, "ridgeline: --memory: no recorded step allocated anything{}\n",
               in_graph_mode ? ", as a captured graph does not" : "");
}

// What cannot be written costs itself alone: what was measured is printed all the same.
int publish(const ProfileFlags& flags, const RunSettings& settings, const ProfileDocument& profile,
            const fs::path& folder, std::vector<std::string> lost) {
  const WrittenFiles written = write_profile(folder, profile);
  lost.insert(lost.end(), written.lost.begin(), written.lost.end());
  complain(flags, profile, settings.mode == Mode::Graph, written.problems);
  write_or_note(lost, [&] { write_named_csv(flags, profile); });
  print_profile(flags, profile, folder);
  return finish(profile.result, lost);
}

void add_data_waits(Recording& recording, const WatchedBatches& batches) {
  recording.data_waits = batches.waits_in(recording.steps);
  const std::vector<DataWait> more = batches.waits_in(recording.device_steps);
  recording.data_waits.insert(recording.data_waits.end(), more.begin(), more.end());
}

int run_profile(ProfileFlags flags) {
  settle(flags);
  if (flags.dry_run) {
    fmt::print("{}: wait {}, warm-up {}, active {}, repeat {}\n",
               describe(spec_for(flags, wanted_device(flags.common.device))), flags.schedule.wait,
               flags.schedule.warmup, flags.schedule.active, flags.schedule.repeat);
    return kExitOk;
  }
  CommonFlags written = flags.common;
  if (csv_on_output(flags)) written.csv.reset();
  require_writable(written);
  const Session session = open_session(flags.common);
  (void)sides_for(flags, spec_for(flags, session.device).settings);
  flags.view.gpu = gpu_shape(session.engine, session.device);
  Onlookers onlookers{.step_before = step_before_observer(flags, session)};
  if (flags.memory_snapshot) onlookers.snapshot.emplace(session.engine.backend(session.device));
  flags.observe.program_ranges =
      std::holds_alternative<FileSpec>(spec_for(flags, session.device).model);
  const std::unique_ptr<OpObserver> observer = make_observer(
      session.engine, flags.host_only ? Device{} : session.device, flags.observe, flags.graphs);
  const ProfileSubject subject = make_subject(flags, session, *observer);
  RunDocument run = begin_document("profile", flags.common, &session.engine);
  RunFolder folder = RunFolder::create(flags.common.out, "profile");
  const TraceFacts facts = trace_facts(flags, session, folder.path());
  if (flags.host_stacks)
    onlookers.sampler.emplace(kSamplePeriod, kMostSamples, observer->hooks().current);
  ProfileResult result =
      watch_or_discard(flags, *observer, subject.spec, subject.steps(), onlookers, folder);
  if (subject.training.batches) add_data_waits(result.recording, *subject.training.batches);
  run.finished = utc_now();
  std::vector<std::string> lost;
  write_or_note(lost, [&] { folder.write("run.json", json_text(run_json(run))); });
  write_or_note(lost, [&] { write_seen(onlookers, result, subject.spec, folder.path()); });
  const ProfileDocument profile =
      document_of(flags, session, subject, std::move(result), facts, folder.path());
  return publish(flags, subject.spec.settings, profile, folder.path(), std::move(lost));
}

}  // namespace

void add_profile(CLI::App& app, CommandLine& line) {
  CLI::App* const command =
      app.add_subcommand("profile", "where the time of a step goes: by op, by layer, as a trace");
  command->footer(kExamples);
  const auto flags = std::make_shared<ProfileFlags>();
  flags->common.arguments = line.arguments;
  add_profile_flags(*command, *flags);
  command->callback([flags, command, &line] {
    flags->with_data = command->count("--data") > 0;
    flags->with_target = command->count("--target") > 0;
    line.chosen = [flags] { return run_profile(*flags); };
  });
}

}  // namespace ridgeline
