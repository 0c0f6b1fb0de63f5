#include "cli/profile_flags.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/numbers.h"
#include "cli/profile_observer.h"
#include "core/error.h"
#include "core/size_text.h"
#include "core/text.h"

namespace ridgeline {
namespace {

constexpr const char* kGroup = "Profiling";
constexpr std::uint64_t kMostSteps = 1'000'000;

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

// Flags of all commands that mean something else here, or nothing: then they are refused with a
// reason, and not among those to choose from.
void describe_shared_flags(CLI::App& app) {
  app.get_option("--json")->description("print profile.json on standard output");
  app.get_option("--csv")->description(
      "write the table that is printed as CSV; - is standard output (default name when FILE is "
      "left out)");
  for (const char* const name : {"--markdown", "--target"}) app.get_option(name)->group("");
}

Sides parse_sides(const std::string& word) {
  if (word == "auto") return Sides::Auto;
  if (word == "together") return Sides::Together;
  if (word == "apart") return Sides::Apart;
  throw bad_input(unknown_word("--record", word, {"auto", "together", "apart"}));
}

// What would be taken and then left aside.
void refuse_idle_flags(const CLI::App& app) {
  const auto given = [&](const char* name) { return app.get_option(name)->count() > 0; };
  if (given("--strict"))
    throw bad_input("--strict means nothing to profile, which has no rows that could fail");
  const auto modes = app.get_option("--mode")->results();
  if (given("--graph-detail") && std::ranges::find(modes, "graph") == modes.end())
    throw bad_input("--graph-detail means nothing without --mode graph");
  if (given("--record") &&
      (given("--host-only") || std::ranges::find(modes, "graph") != modes.end()))
    throw bad_input(
        "--record means nothing where the host's side is alone or does nothing: with --host-only, "
        "or with --mode graph");
  if (given("--data")) return;
  for (const CLI::Option* const option : app.get_options()) {
    if (option->get_group() == app.get_option("--data")->get_group() && option->count() > 0)
      throw bad_input(
          fmt::format("{} means nothing to profile without --data", option->get_name()));
  }
}

}  // namespace

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
  app.add_option(
         "--record", flags.record_word,
         "ops and kernels of a GPU: together in the same steps, apart in steps of their own, "
         "auto (apart where together is dear)")
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
  add_data_flags(app, flags.training.data);
  describe_shared_flags(app);
  app.parse_complete_callback([&app] { refuse_idle_flags(app); });
}

Sides sides_for(const ProfileFlags& flags, const RunSettings& settings) {
  if (settings.device.kind == DeviceKind::Cuda && settings.mode == Mode::Eager) return flags.sides;
  if (flags.sides == Sides::Apart)
    throw bad_input("--record apart needs a GPU whose kernels could be recorded apart from ops");
  return Sides::Together;
}

void settle(ProfileFlags& flags) {
  if (flags.common.markdown) throw bad_input("--markdown means nothing to profile; --csv does");
  refuse_conflicts(flags.common);
  if (flags.with_target)
    throw bad_input(
        "--target means nothing to profile, which records as many steps as --steps says");
  flags.view.grouping = parse_op_grouping(flags.group_by);
  flags.view.order = parse_op_order(flags.sort_by);
  flags.graphs = parse_graph_detail(flags.graph_word);
  flags.sides = parse_sides(flags.record_word);
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
  refuse_lone_phases(specs.front(), "a profile");
  return specs.front();
}

}  // namespace ridgeline
