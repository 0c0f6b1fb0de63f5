#include "cli/session.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "cli/command.h"
#include "core/environment.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/timestamp.h"

namespace ridgeline {

Device wanted_device(const std::string& word) {
  if (word != "auto") return parse_device(word);
  return {.kind = has_nvidia_driver() ? DeviceKind::Cuda : DeviceKind::Cpu};
}

Session open_session(const CommonFlags& flags) {
  Device device = wanted_device(flags.device);
  // OpenMP reads this when LibTorch is loaded, and children inherit it; an own choice stands.
  if (flags.pin_threads) setenv("OMP_PROC_BIND", "true", /*overwrite=*/0);
  Engine engine = Engine::load(device.kind == DeviceKind::Cuda);
  if (flags.device == "auto" && device.kind == DeviceKind::Cuda && engine.cuda_obstacle()) {
    fmt::print(stderr, "ridgeline: using the CPU: {}\n", *engine.cuda_obstacle());
    device = {};
  }
  (void)engine.backend(device);
  return {.engine = std::move(engine), .device = device};
}

RunDocument begin_document(const std::string& command, const CommonFlags& flags,
                           const Engine* engine) {
  RunDocument run;
  run.command = command;
  run.command_line = {"ridgeline"};
  run.command_line.insert(run.command_line.end(), flags.arguments.begin(), flags.arguments.end());
  run.settings = {{"device", flags.device},
                  {"threads", flags.threads},
                  {"pin_threads", flags.pin_threads},
                  {"seed", flags.seed}};
  run.started = utc_now();
  run.environment = read_environment();
  if (engine != nullptr)
    run.environment["torch"] = {{"version", engine->torch_version()},
                                {"path", engine->libtorch().string()}};
  return run;
}

bool is_refused(const nlohmann::json& row) {
  return row.value("fault", "") == name_of(Fault::BadInput);
}

void end_if_refused(const std::vector<nlohmann::json>& rows, RunFolder& folder) {
  if (rows.empty() || !std::ranges::all_of(rows, is_refused)) return;
  folder.discard();
  throw bad_input(rows.front().at("reason").get<std::string>());
}

int exit_code_for(const std::vector<nlohmann::json>& rows, const CommonFlags& flags) {
  const auto count = [&](std::string_view outcome) {
    return std::ranges::count_if(
        rows, [&](const nlohmann::json& row) { return row.value("outcome", "") == outcome; });
  };
  if (interrupted()) return kExitInterrupted;
  if (count("measured") == 0) return kExitNothingMeasured;
  return flags.strict && count("failed") > 0 ? kExitFailure : kExitOk;
}

}  // namespace ridgeline
