#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "cli/command.h"
#include "core/atomic_file.h"
#include "core/interrupt.h"
#include "core/run_folder.h"
#include "engine/engine.h"
#include "lab/preset.h"
#include "lab/runner.h"

namespace ridgeline {
namespace {

struct RunFlags {
  std::string preset;
  std::optional<std::filesystem::path> out;
  std::optional<std::string> data;
  bool dry_run = false;
};

Preset chosen_preset(const RunFlags& flags) {
  std::map<std::string, std::string> chosen;
  if (flags.data) chosen["data"] = *flags.data;
  return with_choices(find_preset(flags.preset), chosen);
}

// Of what a step may need there is one thing so far: a GPU.
std::optional<std::string> obstacle_to(const std::string& /*need*/) {
  if (has_nvidia_driver()) return std::nullopt;
  return "there is no NVIDIA driver here";
}

// A step that could not run at all is a failure; one whose rows were skipped is not.
int worst(const std::vector<StepResult>& results) {
  if (interrupted()) return kExitInterrupted;
  for (const StepResult& result : results) {
    if (result.exit_code == kExitFailure || result.exit_code == kExitUsage) return kExitFailure;
  }
  return kExitOk;
}

void announce(const Preset& preset, std::size_t index, const PresetStep& step) {
  fmt::print("\n[{}/{}] {}\n      ridgeline {}\n\n", index + 1, preset.steps.size(), step.title,
             join_words(step.arguments));
  std::fflush(stdout);
}

// Every step is tried, so that one look finds all mistakes.
int say_what_would_run(const Preset& preset) {
  int code = kExitOk;
  for (std::size_t i = 0; i < preset.steps.size(); ++i) {
    announce(preset, i, preset.steps[i]);
    const std::string& need = preset.steps[i].needs;
    if (const auto obstacle = need.empty() ? std::nullopt : obstacle_to(need)) {
      fmt::print("would be skipped: {}\n", *obstacle);
      continue;
    }
    auto arguments = preset.steps[i].arguments;
    if (std::ranges::find(arguments, "--dry-run") == arguments.end())
      arguments.emplace_back("--dry-run");
    if (run_command(arguments) != kExitOk) code = kExitUsage;
  }
  return code;
}

int run_preset_command(const RunFlags& flags) {
  const Preset preset = chosen_preset(flags);
  if (flags.dry_run) return say_what_would_run(preset);
  const RunFolder folder =
      RunFolder::create(flags.out, "run-" + std::filesystem::path(preset.name).stem().string());
  const auto results = run_preset(
      preset, folder.path(),
      {.execute = [](const std::vector<std::string>& arguments) { return run_command(arguments); },
       .interrupted = [] { return interrupted(); },
       .started = [&](std::size_t index, const PresetStep& step) { announce(preset, index, step); },
       .obstacle =
           [](const std::string& need) {
             const auto obstacle = obstacle_to(need);
             if (obstacle) fmt::print("Skipped: {}\n", *obstacle);
             return obstacle;
           }});
  write_file_atomically(folder.path() / "index.html",
                        index_page(preset.title, index_entries(results)));
  fmt::print("\nReport: {}\n", (folder.path() / "index.html").string());
  return worst(results);
}

}  // namespace

void add_run(CLI::App& app, CommandLine& line) {
  CLI::App* const command =
      app.add_subcommand("run", "run a whole workflow: a preset or a YAML file");
  command->footer(
      "Examples:\n  ridgeline run quickstart\n  ridgeline run cifar-roofline --data synthetic\n  "
      "ridgeline run my_workflow.yaml --out runs/mine");
  const auto flags = std::make_shared<RunFlags>();
  command->add_option("preset", flags->preset, "name of a preset, or a .yaml file")
      ->required()
      ->type_name("PRESET");
  command
      ->add_option("--data", flags->data,
                   "data set, for presets that train: synthetic, cifar10 or a folder")
      ->type_name("DATA");
  command->add_option("--out", flags->out, "the run folder")->type_name("DIR");
  command->add_flag("--dry-run", flags->dry_run, "say what each step would do, and stop");
  command->callback(
      [flags, &line] { line.chosen = [flags] { return run_preset_command(*flags); }; });
}

}  // namespace ridgeline
