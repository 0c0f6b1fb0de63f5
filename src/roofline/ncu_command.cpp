#include "roofline/ncu_command.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace ridgeline {
namespace {

constexpr std::string_view kTensor = "sm__ops_path_tensor_src_";

// What CUPTI 13.0 knows of each chip; tests/cuda/counter_plan_test.cpp asks it.
bool is_turing(ComputeCapability chip) { return chip.major == 7 && chip.minor >= 5; }
bool is_ada(ComputeCapability chip) { return chip.major == 8 && chip.minor == 9; }
bool is_hopper(ComputeCapability chip) { return chip.major == 9; }
bool is_small_blackwell(ComputeCapability chip) { return chip.major >= 12; }

void add_fp8(std::vector<std::string_view>& names, ComputeCapability chip) {
  if (is_ada(chip) || is_hopper(chip)) {
    names.push_back("sm__ops_path_tensor_src_fp8.sum");
  } else if (is_small_blackwell(chip)) {
    names.push_back("sm__ops_path_tensor_src_fp8_dst_fp16.sum");
    names.push_back("sm__ops_path_tensor_src_fp8_dst_fp32.sum");
  } else if (chip.major >= 10) {
    names.push_back("sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp16.sum");
    names.push_back("sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32.sum");
  }
}

std::string word_on_others(const NcuCommandOptions& options) {
  if (options.chip) return "";
  std::string text = " (on RTX 50 dram__bytes_op_read.sum and dram__bytes_op_write.sum";
  if (options.tensor)
    text += fmt::format(
        "; on H100 and H200 {0}fp16.sum in place of {0}fp16_dst_fp16.sum and {0}fp16_dst_fp32.sum; "
        "fp8 is {0}fp8.sum there and on Ada",
        kTensor);
  return text + ")";
}

}  // namespace

std::optional<ComputeCapability> compute_capability(std::string_view cell) {
  ComputeCapability chip;
  const char* const end = cell.data() + cell.size();
  const auto major = std::from_chars(cell.data(), end, chip.major);
  if (major.ec != std::errc{} || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, chip.minor);
  if (minor.ec != std::errc{} || minor.ptr != end) return std::nullopt;
  if (chip.major < 7 || chip.major > 99 || chip.minor < 0) return std::nullopt;
  return chip;
}

std::vector<std::string_view> tensor_counters(ComputeCapability chip) {
  std::vector<std::string_view> names;
  if (is_hopper(chip)) {
    names.push_back("sm__ops_path_tensor_src_fp16.sum");
  } else {
    names.push_back("sm__ops_path_tensor_src_fp16_dst_fp16.sum");
    names.push_back(is_turing(chip) ? "sm__ops_path_tensor_src_fp16_bf16_tf32_dst_fp32.sum"
                                    : "sm__ops_path_tensor_src_fp16_dst_fp32.sum");
  }
  if (chip.major >= 8) {
    for (const NcuMetric metric :
         {NcuMetric::TensorBf16, NcuMetric::TensorTf32, NcuMetric::TensorFp64})
      names.push_back(name_of(metric));
  }
  add_fp8(names, chip);
  if (chip.major >= 8 || is_turing(chip)) names.push_back(name_of(NcuMetric::TensorInt8));
  return names;
}

std::string ncu_command(const NcuCommandOptions& options) {
  std::vector<std::string_view> names;
  for (const NcuMetric metric : {NcuMetric::SmPercent, NcuMetric::DramPercent, NcuMetric::Time,
                                 NcuMetric::Fadd, NcuMetric::Fmul, NcuMetric::Ffma})
    names.push_back(name_of(metric));
  const bool renamed = options.chip && is_small_blackwell(*options.chip);
  names.push_back(renamed ? "dram__bytes_op_read.sum" : name_of(NcuMetric::DramRead));
  names.push_back(renamed ? "dram__bytes_op_write.sum" : name_of(NcuMetric::DramWrite));
  for (const NcuMetric metric : options.also) {
    if (std::ranges::find(names, name_of(metric)) == names.end()) names.push_back(name_of(metric));
  }
  if (options.tensor) {
    for (const std::string_view name : tensor_counters(options.chip.value_or(kCommonChip)))
      names.push_back(name);
  }
  return fmt::format("ncu --metrics {} --csv", fmt::join(names, ","));
}

std::string ncu_line(const NcuCommandOptions& options) {
  return fmt::format("{} PROGRAM{}", ncu_command(options), word_on_others(options));
}

std::string how_to_count(const NcuCommandOptions& options) {
  return "collect them with: " + ncu_line(options);
}

}  // namespace ridgeline
