#include "roofline/ncu_missing.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include <fmt/format.h>

#include "roofline/flop_metrics.h"
#include "roofline/ncu_quantity.h"

namespace ridgeline {
namespace {

constexpr std::array kHalf{NcuMetric::Hadd, NcuMetric::Hmul, NcuMetric::Hfma};
constexpr std::array kDouble{NcuMetric::Dadd, NcuMetric::Dmul, NcuMetric::Dfma};

bool says(std::string_view name, std::span<const std::string_view> marks) {
  return std::ranges::any_of(
      marks, [&](std::string_view mark) { return name.find(mark) != std::string_view::npos; });
}

// Names of matrix kernels that use tensor cores: shapes of their instructions, or their makers.
bool names_tensor_cores(std::string_view name) {
  constexpr std::array<std::string_view, 9> kMarks{"tensorop", "16816", "s1688", "h1688", "884",
                                                   "hmma",     "nvjet", "gmma",  "xmma"};
  // cuBLAS calls kernels of the vector units after the same maker, and names their instruction.
  constexpr std::array<std::string_view, 3> kOthers{"simt", "_ffma", "_dfma"};
  return says(name, kMarks) && !says(name, kOthers);
}

// The format of a tensor kernel's operands, where its name tells.
std::optional<ComputePath> named_format(std::string_view name) {
  struct Mark {
    std::string_view text;
    ComputePath path;
  };
  // bf16 has f16 in it.
  constexpr std::array kMarks{
      Mark{"bf16", ComputePath::TensorBf16},  Mark{"tf32", ComputePath::TensorTf32},
      Mark{"e4m3", ComputePath::TensorFp8},   Mark{"e5m2", ComputePath::TensorFp8},
      Mark{"f16", ComputePath::TensorFp16},   Mark{"h16816", ComputePath::TensorFp16},
      Mark{"h1688", ComputePath::TensorFp16}, Mark{"h884", ComputePath::TensorFp16},
      Mark{"d884", ComputePath::TensorFp64},  Mark{"imma", ComputePath::TensorInt8}};
  const auto* const told = std::ranges::find_if(
      kMarks, [&](const Mark& mark) { return name.find(mark.text) != std::string_view::npos; });
  return told != kMarks.end() ? std::optional(told->path) : std::nullopt;
}

bool has_value(const NcuKernel& kernel, NcuMetric metric) {
  return ncu_quantity(kernel, metric).state == QuantityState::Value;
}

double tensor_flop(const NcuKernel& kernel) {
  double sum = 0;
  for (const FlopMetric& counted : kFlopMetrics)
    if (is_tensor(counted.path)) sum += ncu_quantity(kernel, counted.metric).value;
  return sum;
}

// Whether all counters that the chip has of the format, or of every format, were read: where they
// say zero, they know better than a name.
bool is_counted(const NcuKernel& kernel, std::optional<ComputePath> format,
                std::optional<ComputeCapability> chip) {
  return std::ranges::all_of(tensor_counters(chip.value_or(kCommonChip)), [&](auto name) {
    const NcuMetric metric = ncu_reading(name, "")->metric;
    const auto* const counted = std::ranges::find(kFlopMetrics, metric, &FlopMetric::metric);
    if (format && counted->path != *format) return true;
    const auto sum = sum_with(metric);
    return has_value(kernel, metric) || (sum && has_value(kernel, *sum));
  });
}

// Kernels that ran on tensor cores, by their count of instructions or by their names, and have no
// FLOPs of them.
struct UncountedKernels {
  std::size_t count = 0;
  bool by_name = true;  // all of them
  std::set<ComputePath> formats{};
};

UncountedKernels without_tensor_flop(const NcuReport& report) {
  std::vector<bool> named;
  for (std::uint32_t i = 0; i < report.names.size(); ++i)
    named.push_back(names_tensor_cores(report.names[i]));
  UncountedKernels result;
  for (const NcuKernel& kernel : report.kernels) {
    const bool ran = ncu_quantity(kernel, NcuMetric::TensorInstructions).value > 0;
    if ((!ran && !named[kernel.name]) || tensor_flop(kernel) > 0) continue;
    const auto format = named_format(report.names[kernel.name]);
    if (!ran && is_counted(kernel, format, report.chip)) continue;
    ++result.count;
    result.by_name = result.by_name && !ran;
    if (format) result.formats.insert(*format);
  }
  return result;
}

std::string tensor_note(const UncountedKernels& kernels) {
  std::vector<std::string_view> formats;
  for (const ComputePath path : kernels.formats) formats.push_back(name_of(path));
  return fmt::format(
      "{}{} {} ran on tensor cores{}, whose FLOPs the file does not have: its FLOPs are too few.",
      kernels.by_name ? "By their names " : "", kernels.count,
      kernels.count == 1 ? "kernel" : "kernels",
      formats.empty() ? "" : fmt::format(" ({})", fmt::join(formats, ", ")));
}

// Of half and double precision's counters: a file that has some is meant to have all, and one whose
// kernels' names say the format needs them. The plain eight metrics have none.
bool wants(const NcuReport& report, const NcuMetrics& has, std::span<const NcuMetric> format,
           std::span<const std::string_view> marks) {
  const auto is_there = [&](NcuMetric metric) { return has[static_cast<std::size_t>(metric)]; };
  if (std::ranges::any_of(kHalf, is_there) || std::ranges::any_of(kDouble, is_there)) return true;
  if (std::ranges::all_of(format, is_there)) return false;
  for (std::uint32_t i = 0; i < report.names.size(); ++i)
    if (says(report.names[i], marks)) return true;
  return false;
}

std::vector<NcuMetric> missing_metrics(const NcuReport& report) {
  constexpr std::array<std::string_view, 2> kHalfMarks{"hgemm", "half2"};
  constexpr std::array<std::string_view, 2> kDoubleMarks{"dgemm", "double"};
  const NcuMetrics has = metrics_of(report);
  std::vector<NcuMetric> wanted{NcuMetric::SmPercent, NcuMetric::DramPercent, NcuMetric::Fadd,
                                NcuMetric::Fmul, NcuMetric::Ffma};
  if (wants(report, has, kHalf, kHalfMarks))
    wanted.insert(wanted.end(), kHalf.begin(), kHalf.end());
  if (wants(report, has, kDouble, kDoubleMarks))
    wanted.insert(wanted.end(), kDouble.begin(), kDouble.end());
  std::erase_if(wanted, [&](NcuMetric metric) { return has[static_cast<std::size_t>(metric)]; });
  return wanted;
}

NcuCommandOptions with_missing(const NcuReport& report, const std::vector<NcuMetric>& missing) {
  NcuCommandOptions options{.chip = report.chip};
  const NcuMetrics has = metrics_of(report);
  for (const FlopMetric& counted : kFlopMetrics) {
    const bool there = has[static_cast<std::size_t>(counted.metric)];
    if (is_tensor(counted.path)) {
      options.tensor = options.tensor || there;
    } else if (there || std::ranges::find(missing, counted.metric) != missing.end()) {
      options.also.push_back(counted.metric);
    }
  }
  for (const NcuMetric metric :
       {NcuMetric::L2Bytes, NcuMetric::L1Bytes, NcuMetric::Occupancy, NcuMetric::Waves})
    if (has[static_cast<std::size_t>(metric)]) options.also.push_back(metric);
  return options;
}

NcuCommandOptions collection(const NcuReport& report, const std::vector<NcuMetric>& missing,
                             const UncountedKernels& uncounted) {
  NcuCommandOptions options = with_missing(report, missing);
  options.tensor = options.tensor || uncounted.count > 0;
  return options;
}

}  // namespace

NcuCommandOptions whole_collection(const NcuReport& report) {
  return collection(report, missing_metrics(report), without_tensor_flop(report));
}

std::vector<std::string> missing_notes(const NcuReport& report) {
  std::vector<std::string> notes;
  const UncountedKernels uncounted = without_tensor_flop(report);
  if (uncounted.count > 0) notes.push_back(tensor_note(uncounted));
  const std::vector<NcuMetric> missing = missing_metrics(report);
  std::vector<std::string_view> names;
  for (const NcuMetric metric : missing) names.push_back(name_of(metric));
  if (!names.empty()) notes.push_back(fmt::format("Not in the file: {}.", fmt::join(names, ", ")));
  if (!notes.empty())
    notes.push_back("One line collects all of it: " +
                    ncu_line(collection(report, missing, uncounted)));
  return notes;
}

}  // namespace ridgeline
