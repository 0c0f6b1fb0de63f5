#include <chrono>
#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "cli/command.h"
#include "cli/common_flags.h"
#include "cli/numbers.h"
#include "cli/profile_findings.h"
#include "cli/profile_memory.h"
#include "cli/profile_observer.h"
#include "cli/profile_subject.h"
#include "cli/session.h"
#include "cli/workload_flags.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/progress.h"
#include "core/size_text.h"
#include "core/stack_sampler.h"
#include "core/timestamp.h"
#include "profile/device_times.h"
#include "profile/profile_output.h"
#include "profile/profile_steps.h"
#include "trace/findings.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGroup = "Profiling";
constexpr std::uint64_t kMostSteps = 1'000'000;

constexpr const char* kExamples = R"(Examples:
  ridgeline profile transformer --size small --context-length 128 --steps 5 --out prof
  ridgeline profile resnet18 --batch-size 8 --image-size 32 --memory --shapes --top 10 --sort-by total
  ridgeline profile resnet18 --data synthetic --image-size 224 --batch-size 32 --steps 10 --out baseline
  ridgeline profile resnet18 --wait 2 --warmup 1 --active 3 --repeat 2 --group-by module
Writes trace.json.gz (Perfetto, chrome://tracing, TensorBoard, HTA), ops.csv, modules.csv, stacks.txt,
speedscope.json and profile.json. The cost of profiling is measured in the same run and printed.)";

struct ProfileFlags {
  CommonFlags common;
  WorkloadFlags workload;
  StepSchedule schedule;
  std::optional<int> active;
  ObserverOptions observe;
  std::string graph_word = "node";
  GraphDetail graphs = GraphDetail::Nodes;
  bool host_only = false;
  std::string trace_limit = "200MB";
  std::string group_by = "op";
  std::string sort_by = "device";
  ProfileView view;
  int cost_rounds = CostRounds{}.most;
  bool host_stacks = false;
  bool memory_snapshot = false;
  TrainFlags training;     // where --data is given: the loader's flags
  bool with_data = false;  // profile the training itself, not steps on a fixed batch
  bool with_target = false;
  bool dry_run = false;
};

void add_schedule_flags(CLI::App& app, ProfileFlags& flags) {
  const auto add = [&](const char* name, auto& value, std::uint64_t least, const char* what) {
    return app.add_option(name, value, what)->check(whole_number(least, kMostSteps))->group(kGroup);
  };
  add("--wait", flags.schedule.wait, 0, "steps before each cycle, without the profiler")
      ->capture_default_str();
  add("--warmup", flags.schedule.warmup, 0, "steps with the profiler on, thrown away")
      ->capture_default_str();
  add("--active", flags.active, 1, "steps recorded a cycle (default 3; --steps means the same)");
  add("--repeat", flags.schedule.repeat, 1, "cycles")->capture_default_str();
  app.add_option("--cost-rounds", flags.cost_rounds,
                 "most pairs of steps to measure the cost with; 0: do not")
      ->check(whole_number(0, 1000))
      ->capture_default_str()
      ->group(kGroup);
}

void add_profile_flags(CLI::App& app, ProfileFlags& flags) {
  add_workload_flags(app, flags.workload);
  add_schedule_flags(app, flags);
  app.add_flag("--memory", flags.observe.memory, "record allocations, and what they are for")
      ->group(kGroup);
  app.add_flag("--memory-snapshot", flags.memory_snapshot,
               "write memory_snapshot.pickle for PyTorch's memory viewer (GPU only)")
      ->group(kGroup);
  app.add_flag("--shapes", flags.observe.shapes,
               "record the shapes of inputs, for FLOPs and FLOP/s too")
      ->group(kGroup);
  app.add_flag("--host-only", flags.host_only, "leave out a GPU's kernels and copies")
      ->group(kGroup);
  app.add_flag("--host-stacks", flags.host_stacks,
               "sample the native stacks too: host_stacks.txt, host_flamegraph.svg")
      ->group(kGroup);
  app.add_option("--trace-limit", flags.trace_limit,
                 "about the most that trace.json may hold; beyond it only totals are kept")
      ->capture_default_str()
      ->group(kGroup);
  app.add_option(
         "--graph-detail", flags.graph_word,
         "of --mode graph: node (every kernel, by op and module), whole (one time a replay)")
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--top", flags.view.top, "rows to print")
      ->check(whole_number(1, kMostSteps))
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--sort-by", flags.sort_by, "self, total, calls, device (self without a GPU)")
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--group-by", flags.group_by, "op, shape, module, kernel")
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--module-depth", flags.view.module_depth, "levels of the table of modules")
      ->check(whole_number(0, 100))
      ->capture_default_str()
      ->group(kGroup);
  app.add_flag("--dry-run", flags.dry_run, "say what would be profiled, and stop")->group(kGroup);
  add_common_flags(app, flags.common);
}

// Flags that only make sense together, and words that become values.
void settle(ProfileFlags& flags) {
  if (flags.common.markdown) throw bad_input("--markdown means nothing to profile; --csv does");
  if (flags.with_target)
    throw bad_input(
        "--target means nothing to profile, which records as many steps as --steps says");
  flags.view.grouping = parse_op_grouping(flags.group_by);
  flags.view.order = parse_op_order(flags.sort_by);
  flags.graphs = parse_graph_detail(flags.graph_word);
  flags.observe.values = flags.observe.shapes;  // FLOPs need both
  flags.observe.trace_bytes = parse_size("--trace-limit", flags.trace_limit).count;
  if (flags.view.grouping == OpGrouping::Shape && !flags.observe.shapes)
    throw bad_input("--group-by shape needs --shapes: they are not recorded otherwise");
  if (flags.active && flags.workload.measure_steps)
    throw bad_input("--active and --steps both say how many steps to record: give one");
  const auto asked = flags.active ? flags.active : flags.workload.measure_steps;
  flags.schedule.active = asked.value_or(flags.schedule.active);
}

RowSpec spec_for(const ProfileFlags& flags, const Device& device) {
  const auto specs = expand(flags.workload, device, flags.common.threads, flags.common.seed);
  if (specs.size() != 1)
    throw bad_input(fmt::format("profile takes one setting at a time, this is {}", specs.size()));
  return specs.front();
}

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

// What else looks on while steps are recorded.
struct Onlookers {
  std::optional<StackSampler> sampler{};
  std::optional<MemorySnapshot> snapshot{};
};

// Not asked of a CPU.
UtilisationWatch::Source driver_of(const Device& device) {
  return device.kind == DeviceKind::Cuda ? nvml_source(device.index) : UtilisationWatch::Source();
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
       .gpu = driver_of(spec.settings.device)});
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

int finish(const ProfileResult& result) {
  if (result.failure) {
    fmt::print(stderr, "ridgeline: {} (what was recorded until then is in the run folder)\n",
               result.failure->message);
    return kExitFailure;
  }
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

ProfileSubject make_subject(const ProfileFlags& flags, const Session& session,
                            OpObserver& observer) {
  ProfileSubject subject{.spec = spec_for(flags, session.device)};
  const WatchedCapture watched(observer, subject.spec.settings.mode);
  if (!flags.with_data) {
    subject.workload = make_profiled_workload(session.engine, subject.spec);
    return subject;
  }
  const std::int64_t most =
      step_count(flags.schedule) + 4 * std::int64_t{flags.cost_rounds} + kMostPlainSteps;
  subject.training = make_profiled_training(training_flags(flags), session, most);
  subject.spec.model = subject.training.setup.model;
  return subject;
}

// Under the name that the workflow knows: baseline/baseline_trace.json.
void write_named_trace(const fs::path& folder, const ProfileResult& result, TraceFacts facts) {
  facts.name = name_of_folder(folder) + "_trace.json";
  write_trace(folder / facts.name, result.recording, facts);
}

int report_profile(const ProfileFlags& flags, const Session& session, const ProfileSubject& subject,
                   const ProfileResult& result, const TraceFacts& facts, RunFolder& folder) {
  const std::string title = describe(subject.spec);
  const std::string findings = result.recording.steps.empty()
                                   ? std::string()
                                   : findings_text(facts_about(subject, result, session.engine));
  ProfileView view = flags.view;
  view.parameters = parameter_sizes(subject.spec.model);
  const ProfileTables tables = profile_tables(result.recording, view);
  for (const std::string& problem :
       write_profile(folder.path(), result, tables, facts, view, title, findings))
    fmt::print(stderr, "ridgeline: {}\n", problem);
  if (flags.observe.memory && !result.memory)
    fmt::print(stderr, "ridgeline: --memory: no recorded step allocated anything{}\n",
               subject.spec.settings.mode == Mode::Graph ? ", as a captured graph does not" : "");
  if (flags.with_data) write_named_trace(folder.path(), result, facts);
  if (flags.common.csv) {
    const fs::path csv = flags.common.csv->empty() ? fs::path(kDefaultCsvFolder) / "ops.csv"
                                                   : fs::path(*flags.common.csv);
    write_file_atomically(csv, read_file(folder.path() / "ops.csv", Bytes{1e9}));
  }
  if (flags.common.json) {
    fmt::print("{}", read_file(folder.path() / "profile.json", Bytes{1e9}));
  } else if (!flags.common.quiet) {
    fmt::print("{}\n\n{}\n{}\nRun folder: {}\n", title, profile_text(result, tables, view),
               findings, folder.path().string());
  }
  return finish(result);
}

int run_profile(ProfileFlags flags) {
  settle(flags);
  if (flags.dry_run) {
    fmt::print("{}: wait {}, warm-up {}, active {}, repeat {}\n",
               describe(spec_for(flags, wanted_device(flags.common.device))), flags.schedule.wait,
               flags.schedule.warmup, flags.schedule.active, flags.schedule.repeat);
    return kExitOk;
  }
  require_writable(flags.common);
  const Session session = open_session(flags.common);
  flags.view.gpu = gpu_shape(session.engine, session.device);
  Onlookers onlookers;
  if (flags.memory_snapshot) onlookers.snapshot.emplace(session.engine.backend(session.device));
  flags.observe.program_ranges =
      std::holds_alternative<FileSpec>(spec_for(flags, session.device).model);
  const std::unique_ptr<OpObserver> observer = make_observer(
      session.engine, flags.host_only ? Device{} : session.device, flags.observe, flags.graphs);
  const ProfileSubject subject = make_subject(flags, session, *observer);
  RunDocument run = begin_document("profile", flags.common, &session.engine);
  RunFolder folder = RunFolder::create(flags.common.out, "profile");
  const TraceFacts facts = trace_facts(flags, session, folder.path());
  if (flags.host_stacks) onlookers.sampler.emplace();
  const ProfileResult result =
      watch_or_discard(flags, *observer, subject.spec, subject.steps(), onlookers, folder);
  run.finished = utc_now();
  folder.write("run.json", json_text(run_json(run)));
  if (onlookers.sampler)
    write_host_stacks(folder.path(), onlookers.sampler->finish(), describe(subject.spec));
  if (onlookers.snapshot) onlookers.snapshot->write(folder.path());
  return report_profile(flags, session, subject, result, facts, folder);
}

}  // namespace

void add_profile(CLI::App& app, CommandLine& line) {
  CLI::App* const command =
      app.add_subcommand("profile", "where the time of a step goes: by op, by layer, as a trace");
  command->footer(kExamples);
  const auto flags = std::make_shared<ProfileFlags>();
  flags->common.arguments = line.arguments;
  add_profile_flags(*command, *flags);
  add_data_flags(*command, flags->training.data);
  command->callback([flags, command, &line] {
    flags->with_data = command->count("--data") > 0;
    flags->with_target = command->count("--target") > 0;
    line.chosen = [flags] { return run_profile(*flags); };
  });
}

}  // namespace ridgeline
