#include "profile/profile_output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/atomic_file.h"
#include "core/format.h"
#include "profile/device_report.h"
#include "profile/memory_files.h"
#include "profile/memory_report.h"
#include "profile/op_report.h"
#include "profile/profile_page.h"
#include "profile/stacks.h"
#include "report/plotly_script.h"
#include "report/run_document.h"
#include "stats/summary.h"

namespace ridgeline {
namespace {

std::string steps_line(const Recording& recording) {
  if (recording.steps.empty()) return "No step was recorded.\n";
  std::vector<Seconds> times;
  for (const RecordedStep& step : recording.steps)
    times.emplace_back(std::chrono::nanoseconds(step.end - step.start));
  return fmt::format("{} step{} recorded, {} ops, median {} with the profiler on.\n", times.size(),
                     times.size() == 1 ? "" : "s", recording.ops.size(),
                     format_seconds(summarise(times).median));
}

}  // namespace

std::vector<std::string> write_profile(const std::filesystem::path& folder,
                                       const ProfileResult& result, const ProfileTables& tables,
                                       const TraceFacts& facts, const ProfileView& view,
                                       const std::string& title, const std::string& findings) {
  const OpTable& ops = tables.ops;
  const ModuleTable& modules = tables.modules;
  // The trace first: should the disk be full, it is what cannot be had from the others.
  write_trace(folder / "trace.json.gz", result.recording, facts);
  write_file_atomically(folder / "ops.csv", to_csv(to_csv_table(ops)));
  write_file_atomically(folder / "modules.csv", to_csv(to_csv_table(modules)));
  const auto stacks = folded_stacks(result.recording);
  write_folded_stacks(folder / "stacks.txt", stacks);
  const std::string flames = flame_graph_svg(stacks, {.title = title, .unit = "us"});
  write_file_atomically(folder / "flamegraph.svg", flames);
  write_speedscope(folder / "speedscope.json", result.recording, title);
  write_file_atomically(folder / "profile.json", json_text(profile_json(result, ops, modules)));
  write_file_atomically(folder / "findings.txt", findings);
  ProfilePage page{.title = title,
                   .findings = findings,
                   .cost = result.cost ? sentence(*result.cost) : std::string(),
                   .flames = flames};
  if (const auto device = device_report(result.recording)) {
    write_file_atomically(folder / "copies.csv", to_csv(copies_csv(*device)));
    write_file_atomically(folder / "gaps.csv", to_csv(gaps_csv(*device)));
    page.more = device_sections(*device, view.top);
  }
  std::vector<std::string> problems;
  if (result.memory) {
    problems = write_memory(folder, *result.memory, title).problems;
    page.more.push_back(memory_section(*result.memory));
  }
  write_file_atomically(folder / "report.html", html_page(profile_page(page, ops, modules),
                                                          {.plotly_js = plotly_script()}));
  return problems;
}

void write_host_stacks(const std::filesystem::path& folder, const StackSamples& samples,
                       const std::string& title) {
  std::vector<FoldedStack> stacks;
  for (const SampledStack& stack : samples.stacks)
    stacks.push_back({.frames = stack.frames, .value = static_cast<double>(stack.samples)});
  write_folded_stacks(folder / "host_stacks.txt", stacks);
  write_file_atomically(folder / "host_flamegraph.svg",
                        flame_graph_svg(stacks, {.title = title + ", host", .unit = "samples"}));
}

std::string profile_text(const ProfileResult& result, const ProfileTables& tables,
                         const ProfileView& view) {
  std::string text = steps_line(result.recording);
  if (!result.recording.steps.empty()) {
    text += "\n" + to_text(tables.ops, view.top);
    text += "\n" + to_text(tables.modules, view.module_depth);
    if (!tables.flop_note.empty()) text += "\n" + tables.flop_note + "\n";
  }
  if (const auto device = device_report(result.recording))
    text += "\n" + to_text(*device, view.top);
  if (result.memory) text += "\n" + to_text(*result.memory);
  text += "\n";
  for (const std::string& line : gap_lines(result.recording.gaps))
    text += fmt::format("Note: {}.\n", line);
  text += result.cost ? sentence(*result.cost) + "\n" : "The cost of profiling was not measured.\n";
  return text;
}

}  // namespace ridgeline
