#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "cli/checkup.h"
#include "cli/command.h"
#include "core/atomic_file.h"
#include "core/build_info.h"
#include "core/error.h"
#include "core/process.h"
#include "core/resources.h"
#include "engine/engine.h"

namespace ridgeline {
namespace {

struct DoctorFlags {
  bool json = false;
  bool dry_run = false;
};

std::optional<bool> read_counter_permission() {
  try {
    return counters_permitted(read_file("/proc/driver/nvidia/params", Bytes{1e6}), geteuid() == 0);
  } catch (const Error&) {
    return std::nullopt;
  }
}

Installation inspect_installation() {
  Installation installation;
  try {
    const Engine engine = Engine::load(/*want_cuda=*/true);
    installation.torch_version = engine.torch_version();
    installation.torch_path = engine.libtorch().string();
    installation.cuda_obstacle = engine.cuda_obstacle();
  } catch (const Error& error) {
    installation.torch_obstacle = error.what();
    installation.cuda_obstacle = "needs LibTorch first";
  }
  installation.has_cuda_plugin = std::filesystem::exists(library_path("libridgeline_cuda.so"));
  installation.has_gnuplot = find_program("gnuplot").has_value();
  installation.has_plotly = find_resource("plotly.min.js").has_value();
  installation.counters_permitted = read_counter_permission();
  return installation;
}

std::string_view mark(Check::State state) {
  switch (state) {
    case Check::State::Fine:
      return "ok";
    case Check::State::Note:
      return "note";
    case Check::State::Missing:
      break;
  }
  return "missing";
}

nlohmann::json to_json(const std::vector<Check>& checks) {
  nlohmann::json list = nlohmann::json::array();
  for (const Check& check : checks) {
    nlohmann::json entry{
        {"topic", check.topic}, {"state", mark(check.state)}, {"found", check.found}};
    if (!check.cost.empty()) entry["cost"] = check.cost;
    if (!check.remedy.empty()) entry["remedy"] = check.remedy;
    list.push_back(entry);
  }
  return list;
}

void print_checks(const std::vector<Check>& checks) {
  for (const Check& check : checks) {
    fmt::print("{:8} {:13} {}\n", mark(check.state), check.topic, check.found);
    if (!check.cost.empty()) fmt::print("{:22} costs: {}\n", "", check.cost);
    if (!check.remedy.empty()) fmt::print("{:22} do:    {}\n", "", check.remedy);
  }
}

int run_doctor(const DoctorFlags& flags) {
  if (flags.dry_run) {
    fmt::print("would look at this machine; measures and writes nothing\n");
    return kExitOk;
  }
  const Environment environment = inspect_environment();
  const Installation installation = inspect_installation();
  const auto checks = check_up(environment, installation);
  if (flags.json) {
    fmt::print(
        "{}\n",
        nlohmann::json{{"checks", to_json(checks)}, {"environment", to_json(environment)}}.dump(2));
  } else {
    const BuildInfo build = build_info();
    fmt::print("ridgeline {} ({}) on {}, {}\n\n", build.version, build.revision, environment.os,
               environment.kernel);
    print_checks(checks);
    fmt::print("\n{}\n", can_run(installation)
                             ? "Ready: try 'ridgeline run quickstart'."
                             : "Nothing can be measured yet: see LibTorch above.");
  }
  return can_run(installation) ? kExitOk : kExitFailure;
}

}  // namespace

void add_doctor(CLI::App& app, CommandLine& line) {
  CLI::App* const command = app.add_subcommand(
      "doctor", "what this machine has, what is missing, what it means, what to do");
  command->footer("Example:\n  ridgeline doctor --json");
  const auto flags = std::make_shared<DoctorFlags>();
  command->add_flag("--json", flags->json, "the list and the whole environment as JSON");
  command->add_flag("--dry-run", flags->dry_run, "check the flags, and stop");
  command->callback([flags, &line] { line.chosen = [flags] { return run_doctor(*flags); }; });
}

}  // namespace ridgeline
