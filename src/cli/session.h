#pragma once

#include <optional>
#include <string>

#include "cli/common_flags.h"
#include "core/run_folder.h"
#include "engine/engine.h"
#include "report/run_document.h"

namespace ridgeline {

// "auto" becomes CUDA where a driver is, else the CPU; the rest is parsed. Needs no torch.
[[nodiscard]] Device wanted_device(const std::string& word);

// The engine with the device checked: throws Error(Device) where a device asked for by name cannot
// be used. "auto" falls back to the CPU, with a line on standard error.
struct Session {
  Engine engine;
  Device device;
};
[[nodiscard]] Session open_session(const CommonFlags& flags);

// The record of a run as it begins: command line, settings, environment.
[[nodiscard]] RunDocument begin_document(const std::string& command, const CommonFlags& flags,
                                         const Engine* engine);

// A row whose input was refused, such as a file that is no model.
[[nodiscard]] bool is_refused(const nlohmann::json& row);
// A run of refusals alone is a usage error like any other: nothing of it is left, and the first
// one's reason is thrown as Error(BadInput).
void end_if_refused(const std::vector<nlohmann::json>& rows, RunFolder& folder);

// Exit code for what was measured: docs/exit_codes.md.
[[nodiscard]] int exit_code_for(const std::vector<nlohmann::json>& rows, const CommonFlags& flags);

}  // namespace ridgeline
