#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace ridgeline {

// Exit codes; docs/exit_codes.md. Codes 10 to 13 belong to `gate`.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitNothingMeasured = 3;
inline constexpr int kExitInterrupted = 130;

// One invocation: what was typed and, once parsed, the command to run.
struct CommandLine {
  std::vector<std::string> arguments;
  std::function<int()> chosen;
};

// Each adds its command to the program; the list is in command_table.cpp, the only place to extend.
void add_analyze(CLI::App& app, CommandLine& line);
void add_bench(CLI::App& app, CommandLine& line);
void add_completions(CLI::App& app, CommandLine& line);
void add_eval(CLI::App& app, CommandLine& line);
void add_doctor(CLI::App& app, CommandLine& line);
void add_fetch(CLI::App& app, CommandLine& line);
void add_measure_row(CLI::App& app, CommandLine& line);
void add_profile(CLI::App& app, CommandLine& line);
void add_report(CLI::App& app, CommandLine& line);
void add_roofline(CLI::App& app, CommandLine& line);
void add_run(CLI::App& app, CommandLine& line);
void add_train(CLI::App& app, CommandLine& line);
void add_warmup(CLI::App& app, CommandLine& line);

// Parses and runs; never throws. Arguments exclude the program's name.
[[nodiscard]] int run_command(const std::vector<std::string>& arguments);

}  // namespace ridgeline
