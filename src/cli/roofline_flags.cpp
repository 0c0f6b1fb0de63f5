#include "cli/roofline_flags.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "cli/numbers.h"
#include "core/error.h"
#include "core/text.h"
#include "roofline/datasheet.h"

namespace ridgeline {
namespace {

// Of any unit: below are no machines, but percentages of three hundred digits.
constexpr double kLeastPeak = 1e-6;
constexpr double kMostTera = 1e9;
constexpr double kMostGiga = 1e12;

struct Dtype {
  std::string_view name;
  ComputePath path;
};
constexpr std::array kDtypes{
    Dtype{"fp64", ComputePath::Fp64},       Dtype{"fp32", ComputePath::Fp32},
    Dtype{"tf32", ComputePath::TensorTf32}, Dtype{"fp16", ComputePath::TensorFp16},
    Dtype{"bf16", ComputePath::TensorBf16}, Dtype{"fp8", ComputePath::TensorFp8},
    Dtype{"int8", ComputePath::TensorInt8}};

void set_bandwidth(Ceilings& ceilings, MemoryLevel level, std::optional<double> gb_per_s) {
  if (gb_per_s) ceilings.set(level, BytesPerSecond{*gb_per_s * 1e9});
}

}  // namespace

void add_ceiling_flags(CLI::App& command, CeilingFlags& flags) {
  const auto add = [&](const char* name, std::optional<double>& value, const char* what,
                       double most) {
    command.add_option(name, value, what)
        ->check(number_between(kLeastPeak, most))
        ->type_name("NUMBER")
        ->group("Ceilings");
  };
  command
      .add_option("--gpu", flags.gpu, "peaks of a datasheet: L4, A100-40GB, H100-SXM, H200, ...")
      ->type_name("NAME")
      ->group("Ceilings");
  add("--peak-compute", flags.peak_compute, "peak of the compute units, TFLOP/s", kMostTera);
  add("--peak-bw", flags.peak_bw, "peak bandwidth of DRAM, GB/s", kMostGiga);
  add("--peak-l2", flags.peak_l2, "peak bandwidth of L2, GB/s", kMostGiga);
  add("--peak-l1", flags.peak_l1, "peak bandwidth of L1, GB/s", kMostGiga);
}

Ceilings ceilings_of(const CeilingFlags& flags, const Ceilings& of_file) {
  Ceilings ceilings = flags.gpu ? datasheet(*flags.gpu) : of_file;
  if (!flags.peak_compute && !flags.peak_bw && !flags.peak_l2 && !flags.peak_l1) return ceilings;
  const bool other_peaks = !ceilings.empty();
  if (flags.peak_compute) {
    for (const ComputePath path : all_compute_paths())
      ceilings.set(path, FlopPerSecond{*flags.peak_compute * 1e12});
  }
  set_bandwidth(ceilings, MemoryLevel::Dram, flags.peak_bw);
  set_bandwidth(ceilings, MemoryLevel::L2, flags.peak_l2);
  set_bandwidth(ceilings, MemoryLevel::L1, flags.peak_l1);
  if (other_peaks) {
    ceilings.source += "; some peaks given by flags";
    return ceilings;
  }
  std::vector<std::string> peaks;
  // A small one is not zero.
  const auto add = [&](double peak, int decimals, std::string_view unit) {
    const bool shown = peak >= std::pow(10, -decimals);
    peaks.push_back(shown ? fmt::format("{:.{}f} {}", peak, decimals, unit)
                          : fmt::format("{:.3g} {}", peak, unit));
  };
  if (flags.peak_compute) add(*flags.peak_compute, 2, "TFLOP/s");
  if (flags.peak_bw) add(*flags.peak_bw, 0, "GB/s");
  ceilings.machine = fmt::format("{}", fmt::join(peaks, ", "));
  ceilings.source = "peaks given by flags";
  return ceilings;
}

MemoryLevel level_named(const std::string& word) {
  for (const MemoryLevel level : all_memory_levels()) {
    std::string name(name_of(level));
    if (CLI::detail::to_lower(name) == CLI::detail::to_lower(word)) return level;
  }
  throw bad_input(fmt::format("unknown level '{}'; one of: dram, l3, l2, l1", word));
}

ComputePath path_of_dtype(const std::string& dtype) {
  const auto* const known = std::ranges::find(kDtypes, dtype, &Dtype::name);
  if (known != kDtypes.end()) return known->path;
  std::vector<std::string_view> names;
  for (const Dtype& one : kDtypes) names.push_back(one.name);
  throw bad_input(unknown_word("dtype", dtype, names));
}

}  // namespace ridgeline
