#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units.h"

namespace ridgeline {

struct ChildOptions {
  std::vector<std::pair<std::string, std::string>> environment{};  // added to ours, or replacing
  std::string input{};                                             // the child's standard input
  std::optional<Seconds> timeout{};
  bool pass_stderr_through = false;
  bool outlives_interrupt = false;  // what finishes a run's files, once its work was interrupted
  Seconds grace{5};                 // between the request to end (SIGTERM) and SIGKILL
};

struct ChildResult {
  int exit_code = -1;  // -1 when a signal ended the child
  int signal = 0;
  bool timed_out = false;
  std::string out{};
  std::string err{};

  [[nodiscard]] bool succeeded() const { return exit_code == 0; }
};

// Runs a program and waits for it; argv[0] is looked up in PATH. The child is asked to end, then
// killed, on timeout and (unless it is to outlive that) when interrupted() becomes true; it dies
// with us. It gets a process group of its own, so that Ctrl-C reaches it once, through us.
// Error(Io) when it cannot be started.
[[nodiscard]] ChildResult run_child(const std::vector<std::string>& argv,
                                    const ChildOptions& options);

[[nodiscard]] std::filesystem::path own_program();
[[nodiscard]] std::optional<std::filesystem::path> find_program(std::string_view name);

}  // namespace ridgeline
