#pragma once

#include <optional>
#include <string>

#include <CLI/App.hpp>

#include "cli/command.h"
#include "roofline/point.h"

namespace ridgeline {

// Against which peaks, as `roofline parse` and `roofline plot` understand it.
struct CeilingFlags {
  std::optional<std::string> gpu{};
  std::optional<double> peak_compute{};  // TFLOP/s
  std::optional<double> peak_bw{};       // GB/s, as are the next two
  std::optional<double> peak_l2{};
  std::optional<double> peak_l1{};
};
void add_ceiling_flags(CLI::App& command, CeilingFlags& flags);

// Peaks of the flags over those of --gpu over those a file brought. May be empty.
[[nodiscard]] Ceilings ceilings_of(const CeilingFlags& flags, const Ceilings& of_file);

// The unit that computes in a format where both could: "bf16" is the tensor cores', "fp32" is not.
// Throws Error(BadInput) for another word.
[[nodiscard]] ComputePath path_of_dtype(const std::string& dtype);

// "dram", "L2". Throws Error(BadInput) for another word.
[[nodiscard]] MemoryLevel level_named(const std::string& word);

// The subcommands, for roofline.cpp.
void add_roofline_parse(CLI::App& roofline, CommandLine& line);
void add_roofline_peaks(CLI::App& roofline, CommandLine& line);
void add_roofline_plot(CLI::App& roofline, CommandLine& line);
void add_roofline_run(CLI::App& roofline, CommandLine& line);

}  // namespace ridgeline
