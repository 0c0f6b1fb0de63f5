#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/preset.h"
#include "report/index_page.h"

namespace ridgeline {

struct StepResult {
  std::string title;
  std::filesystem::path folder;  // empty for commands that leave none
  int exit_code = 0;
  std::string skipped{};  // why; empty for a step that was run
};

// How a step is carried out is the command line's business: it gets the arguments, with the folder
// to write into added, and returns the exit code.
using ExecuteStep = std::function<int(const std::vector<std::string>& arguments)>;

struct RunnerHooks {
  ExecuteStep execute;
  std::function<bool()> interrupted;
  std::function<void(std::size_t index, const PresetStep& step)> started;
  // Why what a step needs is not here; absent when it is.
  std::function<std::optional<std::string>(const std::string& need)> obstacle =
      [](const std::string&) { return std::nullopt; };
};

// Runs the steps in order under `folder`; one that fails does not keep the next from running, and
// one that needs what is not here is skipped.
[[nodiscard]] std::vector<StepResult> run_preset(const Preset& preset,
                                                 const std::filesystem::path& folder,
                                                 const RunnerHooks& hooks);

// The steps' own reports, for an index of them.
[[nodiscard]] std::vector<IndexEntry> index_entries(const std::vector<StepResult>& results);

}  // namespace ridgeline
