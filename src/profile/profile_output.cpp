#include "profile/profile_output.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/atomic_file.h"
#include "core/error.h"
#include "core/format.h"
#include "profile/device_report.h"
#include "profile/memory_files.h"
#include "profile/memory_report.h"
#include "profile/op_report.h"
#include "profile/profile_json.h"
#include "profile/profile_page.h"
#include "profile/stacks.h"
#include "report/plotly_script.h"
#include "report/run_document.h"
#include "stats/summary.h"
#include "trace/findings.h"

namespace ridgeline {
namespace {

// Of a profile that was cut short also how much of it there is.
std::string interruption(const ProfileResult& result) {
  if (!result.interrupted) return {};
  const std::size_t steps = result.recording.steps.size();
  if (result.planned_steps > static_cast<std::int64_t>(steps))
    return fmt::format("Interrupted: only {} of {} steps were recorded.\n", steps,
                       result.planned_steps);
  return "Interrupted after the recorded steps.\n";
}

std::string median_time(const std::vector<RecordedStep>& steps) {
  std::vector<Seconds> times;
  for (const RecordedStep& step : steps)
    times.emplace_back(std::chrono::nanoseconds(step.end - step.start));
  return format_seconds(summarise(times).median);
}

std::string steps_line(const ProfileResult& result) {
  const Recording& recording = result.recording;
  if (recording.steps.empty()) return interruption(result) + "No step was recorded.\n";
  const std::size_t count = recording.steps.size();
  const std::string steps = fmt::format("{} step{}", count, count == 1 ? "" : "s");
  std::uint64_t ops = 0;  // those without a record too
  for (const OpTotal& total : recording.totals) ops += is_op(total.kind) ? total.calls : 0;
  const std::string median = median_time(recording.steps);
  if (recording.device_steps.empty())
    return interruption(result) +
           fmt::format("{} recorded, {} ops, median {} with the profiler on.\n", steps, ops,
                       median);
  return interruption(result) + fmt::format(
                                    "{} recorded for ops ({} ops, median {}), then {} for kernels "
                                    "(median {}), with the profiler on.\n",
                                    steps, ops, median, count, median_time(recording.device_steps));
}

// The host's allocator counts from where recording began; the curve knows what lived by then.
std::int64_t host_bytes_before(const ProfileResult& result) {
  if (!result.memory) return 0;
  const MemoryCurve* const curve = !result.memory->main.on_device ? &result.memory->main
                                   : result.memory->host          ? &*result.memory->host
                                                                  : nullptr;
  const MemoryRecord* first = nullptr;
  for (const MemoryRecord& record : result.recording.memory) {
    if (!record.on_device && (first == nullptr || record.time < first->time)) first = &record;
  }
  if (curve == nullptr || first == nullptr) return 0;
  return curve->first - (first->allocated - first->bytes);
}

// A file that is being written into a folder is also listed.
class FileList {
 public:
  explicit FileList(const std::filesystem::path& folder)
      : folder_(folder), replaces_(std::filesystem::exists(folder / "profile.json")) {}
  using Write = std::function<void(const std::filesystem::path& file)>;
  void write(const std::string& name, const Write& write) {
    write_or_note(written_.lost, [&] {
      write(folder_ / name);
      written_.files.push_back(folder_ / name);
    });
  }
  void write(const std::string& name, const std::string& text) {
    write(name, [&](const auto& file) { write_file_atomically(file, text); });
  }
  void write(const MemoryTimeline& memory, const std::string& title) {
    write_or_note(written_.lost, [&] {
      MemoryFiles files = write_memory(folder_, memory, title);
      written_.files.insert(written_.files.end(), files.files.begin(), files.files.end());
      written_.problems = std::move(files.problems);
    });
  }
  // Where an earlier profile of ours lies in the folder, its files that this one has none of go: a
  // peak of memory beside the ops of another run would be believed.
  void remove_stale() const {
    if (!replaces_) return;
    std::error_code gone;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, gone)) {
      const std::string name = entry.path().filename().string();
      const auto is_this = [&](const auto& path) { return path.filename() == name; };
      if (!is_ours(name) || std::ranges::any_of(written_.files, is_this)) continue;
      std::filesystem::remove(entry.path(), gone);
    }
  }
  [[nodiscard]] WrittenFiles finish() { return std::move(written_); }

 private:
  // Those that not every profile has. Traces for TensorBoard bear their time: they are runs of
  // their own.
  static bool is_ours(std::string_view name) {
    constexpr std::array<std::string_view, 7> kSome{"kernels.csv", "copies.csv", "gaps.csv",
                                                    "memory.json", "memory.png", "memory.svg",
                                                    "memory.gp"};
    if (std::ranges::find(kSome, name) != kSome.end()) return true;
    constexpr std::string_view kStart = "trace_step_";
    constexpr std::string_view kEnd = ".json";
    if (!name.starts_with(kStart) || !name.ends_with(kEnd)) return false;
    name = name.substr(kStart.size(), name.size() - kStart.size() - kEnd.size());
    return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
  }

  const std::filesystem::path& folder_;
  bool replaces_;
  WrittenFiles written_;
};

void write_traces(FileList& files, const ProfileDocument& profile) {
  TraceFacts trace = profile.trace;
  trace.host_bytes_before = host_bytes_before(profile.result);
  for (const std::string& name : profile.traces) {
    trace.name = name;
    files.write(name,
                [&](const auto& file) { write_trace(file, profile.result.recording, trace); });
  }
}

std::vector<Section> write_device(FileList& files, const ProfileDocument& profile) {
  if (profile.tables.kernels)
    files.write("kernels.csv", to_csv(to_csv_table(*profile.tables.kernels)));
  const auto device = device_report(profile.result.recording);
  if (!device) return {};
  files.write("copies.csv", to_csv(copies_csv(*device)));
  files.write("gaps.csv", to_csv(gaps_csv(*device)));
  return device_sections(*device, profile.view.top);
}

}  // namespace

std::string closing_lines(const ProfileDocument& profile) {
  if (profile.result.recording.steps.empty()) return {};
  return findings_text(profile.facts) + profile.remarks;
}

void write_or_note(std::vector<std::string>& lost, const std::function<void()>& write) {
  try {
    write();
  } catch (const Error& error) {
    if (error.fault() != Fault::Io) throw;
    lost.emplace_back(error.what());
  }
}

WrittenFiles write_profile(const std::filesystem::path& folder, const ProfileDocument& profile) {
  const ProfileResult& result = profile.result;
  FileList files(folder);
  const auto stacks = folded_stacks(result.recording);
  ProfilePage page{.title = profile.title,
                   .findings = closing_lines(profile),
                   .cost = cost_text(result),
                   .flames = flame_graph_svg(stacks, {.title = profile.title, .unit = "us"})};
  files.write("findings.txt", page.findings);
  files.write("ops.csv", to_csv(to_csv_table(profile.tables.ops)));
  files.write("modules.csv", to_csv(to_csv_table(profile.tables.modules)));
  page.more = write_device(files, profile);
  files.write("profile.json", json_text(profile_json(profile)));
  if (result.memory) {
    files.write(*result.memory, profile.title);
    page.more.push_back(memory_section(*result.memory));
  }
  write_traces(files, profile);
  files.write("stacks.txt", [&](const auto& file) { write_folded_stacks(file, stacks); });
  files.write("flamegraph.svg", page.flames);
  files.write("speedscope.json",
              [&](const auto& file) { write_speedscope(file, result.recording, profile.title); });
  files.write(profile.page,
              html_page(profile_page(page, profile.tables), {.plotly_js = plotly_script()}));
  files.remove_stale();
  return files.finish();
}

std::string profile_text(const ProfileDocument& profile) {
  const ProfileResult& result = profile.result;
  const ProfileView& view = profile.view;
  const bool by_kernel = view.grouping == OpGrouping::Kernel;
  std::string text = steps_line(result);
  if (!result.recording.steps.empty()) {
    if (!by_kernel) text += "\n" + to_text(profile.tables.ops, view.top);
    if (profile.tables.kernels) text += "\n" + to_text(*profile.tables.kernels, view.top);
    if (by_kernel && !profile.tables.kernels) text += "\nno kernels: nothing ran on a GPU\n";
    text += "\n" + to_text(profile.tables.modules, view.module_depth);
    if (!profile.tables.flop_note.empty()) text += "\n" + profile.tables.flop_note + "\n";
  }
  if (const auto device = device_report(result.recording))
    text += "\n" + to_text(*device, view.top);
  if (result.memory) text += "\n" + to_text(*result.memory);
  text += "\n";
  for (const std::string& line : gap_lines(result.recording.gaps))
    text += fmt::format("Note: {}.\n", line);
  text += result.cost ? cost_text(result) : "The cost of profiling was not measured.\n";
  const std::string findings = closing_lines(profile);
  return findings.empty() ? text : text + "\n" + findings;
}

}  // namespace ridgeline
