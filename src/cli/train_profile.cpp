#include "cli/train_profile.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/profile_findings.h"
#include "cli/profile_memory.h"
#include "cli/profile_observer.h"
#include "core/atomic_file.h"
#include "core/table.h"
#include "core/timestamp.h"
#include "profile/device_times.h"
#include "profile/facts.h"
#include "profile/memory_files.h"
#include "profile/memory_report.h"
#include "profile/op_report.h"
#include "profile/profile_json.h"
#include "profile/profile_tables.h"
#include "trace/expectations.h"
#include "trace/findings.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRows = 15;
constexpr const char* kWorkshopModel = "tiny-llama";

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
    : options_{.shapes = flags.all_profiling,
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
  const StepAction action =
      place < step_count(schedule_) ? action_at(schedule_, place) : StepAction::Wait;
  if (action == StepAction::Wait) {
    observer_->pause();
    return place < step_count(schedule_) ? take() : take_plain(take);
  }
  const WatchedStep watched(*observer_, step,
                            action == StepAction::Record ? Keep::Everything : Keep::Nothing);
  if (action == StepAction::Record) last_recorded_ = step;
  take();
}

// The driver's figure is that of the training without the profiler.
void TrainProfile::take_plain(const std::function<void()>& take) {
  if (!driver_) return take();
  if (!plain_) plain_.emplace(driver_);
  plain_->step_began();
  take();
  plain_->step_ended();
}

TrainProfile::Result TrainProfile::finish(const fs::path& folder, const TrainRequest& request,
                                          const Engine& engine, double speed) {
  if (last_recorded_ < 0)
    return {.text = fmt::format("Nothing was profiled: the training ended before step {}.\n",
                                schedule_.wait + schedule_.warmup + 1)};
  ProfileResult result;
  result.recording = observer_->finish();
  result.memory = memory_timeline(result.recording);
  (void)attribute_device_times(result.recording);
  if (plain_) result.utilisation = plain_->finish();
  Result out;
  const auto keep = [&](const std::string& name) { return out.files.emplace_back(folder / name); };
  facts_.name = fmt::format("trace_step_{}.json", last_recorded_ + 1);
  write_trace(keep(facts_.name), result.recording, facts_);
  // The name under which TensorBoard's plugin looks for runs.
  write_trace(keep(fmt::format("{}.{}.pt.trace.json.gz", request.facts.model,
                               unix_nanoseconds() / 1'000'000)),
              result.recording, facts_);
  const auto [ops, modules, flop_note] =
      profile_tables(result.recording, {.order = parse_op_order(sort_by_),
                                        .parameters = parameter_sizes(request.model),
                                        .shapes_word = "--enable-all-profiling"});
  write_file_atomically(keep("ops.csv"), to_csv(to_csv_table(ops)));
  write_file_atomically(keep("modules.csv"), to_csv(to_csv_table(modules)));
  ProfileFacts facts = facts_of(result, known_facts(request.model, request.settings.run, engine));
  facts.samples_per_s = speed;
  std::string findings = findings_text(facts);
  if (request.facts.model == kWorkshopModel) findings += "\n" + expectations_text(facts);
  write_file_atomically(keep("findings.txt"), findings);
  out.text = fmt::format("\n{}\n{}\n", to_text(ops, kRows), to_text(modules, 1));
  if (!flop_note.empty()) out.text += flop_note + "\n\n";
  if (result.memory) {
    MemoryFiles memory = write_memory(folder, *result.memory, request.facts.model);
    out.files.insert(out.files.end(), memory.files.begin(), memory.files.end());
    out.text += to_text(*result.memory) + "\n";
    for (const std::string& problem : memory.problems) out.text += problem + "\n";
  }
  out.text += findings;
  for (const std::string& line : gap_lines(result.recording.gaps))
    out.text += fmt::format("Note: {}.\n", line);
  return out;
}

}  // namespace ridgeline
