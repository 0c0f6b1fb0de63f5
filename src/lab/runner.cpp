#include "lab/runner.h"

#include <fmt/format.h>

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

bool leaves_a_folder(const PresetStep& step) {
  const std::string& command = step.arguments.front();
  if (command == "roofline") return step.arguments.size() > 1 && step.arguments[1] == "run";
  return command == "bench" || command == "warmup" || command == "train" || command == "profile";
}

}  // namespace

std::vector<StepResult> run_preset(const Preset& preset, const fs::path& folder,
                                   const RunnerHooks& hooks) {
  std::vector<StepResult> results;
  for (std::size_t i = 0; i < preset.steps.size() && !hooks.interrupted(); ++i) {
    const PresetStep& step = preset.steps[i];
    hooks.started(i, step);
    StepResult result{.title = step.title, .folder = {}};
    if (const auto obstacle = step.needs.empty() ? std::nullopt : hooks.obstacle(step.needs)) {
      result.skipped = *obstacle;
      results.push_back(std::move(result));
      continue;
    }
    std::vector<std::string> arguments = step.arguments;
    if (leaves_a_folder(step)) {
      result.folder = folder / fmt::format("{}-{}", i + 1, step.arguments.front());
      arguments.insert(arguments.end(), {"--out", result.folder.string()});
    }
    result.exit_code = hooks.execute(arguments);
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<IndexEntry> index_entries(const std::vector<StepResult>& results) {
  std::vector<IndexEntry> entries;
  for (const StepResult& result : results) {
    IndexEntry entry{.title = result.title};
    if (!result.folder.empty())
      entry.link = (result.folder.filename() / "report.html").generic_string();
    if (!result.skipped.empty()) entry.note = "skipped: " + result.skipped;
    if (result.exit_code != 0) entry.note = fmt::format("exit code {}", result.exit_code);
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace ridgeline
