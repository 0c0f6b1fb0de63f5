#include "roofline/counters.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "roofline/flop_metrics.h"

namespace ridgeline {
namespace {

// One thing to count, under all its spellings: the first is how it is told, the last may be parts.
using Spellings = std::array<std::string_view, 5>;
constexpr std::array kCounters{
    Spellings{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"},
    Spellings{"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"},
    Spellings{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"},
    Spellings{"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum"},
    Spellings{"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum"},
    Spellings{"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum"},
    Spellings{"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum"},
    Spellings{"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum"},
    Spellings{"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum"},
    Spellings{"sm__ops_path_tensor_src_fp64.sum"},
    Spellings{"sm__ops_path_tensor_src_tf32_dst_fp32.sum"},
    Spellings{"sm__ops_path_tensor_src_fp16.sum", "sm__ops_path_tensor_src_fp16_dst_fp16.sum",
              "sm__ops_path_tensor_src_fp16_dst_fp32.sum",
              "sm__ops_path_tensor_src_fp16_bf16_tf32_dst_fp32.sum"},
    Spellings{"sm__ops_path_tensor_src_bf16_dst_fp32.sum"},
    Spellings{"sm__ops_path_tensor_src_fp8.sum", "sm__ops_path_tensor_src_fp8_dst_fp16.sum",
              "sm__ops_path_tensor_src_fp8_dst_fp32.sum",
              "sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp16.sum",
              "sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32.sum"},
    Spellings{"sm__ops_path_tensor_src_int8.sum"},
    Spellings{"dram__bytes_read.sum", "dram__bytes_op_read.sum"},
    Spellings{"dram__bytes_write.sum", "dram__bytes_op_write.sum"},
    Spellings{"lts__t_bytes.sum"},
    Spellings{"l1tex__t_bytes.sum"}};

// Beyond 2^63 or below zero a counter overflowed, as in a file of ncu.
bool is_count(double value) { return std::isfinite(value) && value >= 0 && value < 0x1p63; }

// What was read, by metric. One that the device does not have is as absent as one that was lost.
class Readings {
 public:
  Readings(std::span<const std::string> metrics, std::span<const double> values) {
    RIDGELINE_CHECK(metrics.size() == values.size());
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      const auto reading = ncu_reading(metrics[i], "");
      RIDGELINE_CHECK(reading.has_value());
      const auto place = static_cast<std::size_t>(reading->metric);
      asked_[place] = true;
      if (is_count(values[i])) {
        values_[place] = values[i] * reading->factor;
      } else {
        is_partial_ = true;
      }
    }
  }
  [[nodiscard]] bool asked(NcuMetric metric) const {
    return asked_[static_cast<std::size_t>(metric)];
  }
  [[nodiscard]] bool is_partial() const { return is_partial_; }
  [[nodiscard]] std::optional<double> of(NcuMetric metric) const {
    return values_[static_cast<std::size_t>(metric)];
  }

 private:
  std::bitset<kNcuMetrics> asked_;
  std::array<std::optional<double>, kNcuMetrics> values_{};
  bool is_partial_ = false;
};

// A path's FLOPs are known when every counter of it was read.
std::optional<Flop> flop_of(const Readings& readings, ComputePath path) {
  std::optional<Flop> sum;
  for (const FlopMetric& counted : kFlopMetrics) {
    if (counted.path != path || !readings.asked(counted.metric)) continue;
    if (const auto whole = sum_with(counted.metric); whole && readings.asked(*whole)) continue;
    const auto value = readings.of(counted.metric);
    if (!value) return std::nullopt;
    sum = Flop{(sum ? sum->count : 0) + counted.flop * *value};
  }
  return sum;
}

std::optional<Bytes> as_bytes(std::optional<double> value) {
  return value ? std::optional(Bytes{*value}) : std::nullopt;
}

}  // namespace

std::vector<std::string> roofline_counters() {
  std::vector<std::string> names;
  for (const Spellings& spellings : kCounters) {
    for (const std::string_view name : spellings)
      if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

std::vector<std::string> not_counted(std::span<const std::string> unsupported) {
  const auto lacks = [&](std::string_view name) {
    return name.empty() || std::ranges::find(unsupported, name) != unsupported.end();
  };
  std::vector<std::string> names;
  for (const Spellings& spellings : kCounters)
    if (std::ranges::all_of(spellings, lacks)) names.emplace_back(spellings.front());
  return names;
}

CountedKernel counted_kernel(const std::string& name, std::span<const std::string> metrics,
                             std::span<const double> values) {
  const Readings readings(metrics, values);
  CountedKernel kernel{.name = name};
  for (const ComputePath path : all_compute_paths())
    kernel.flop[index_of(path)] = flop_of(readings, path);
  const auto read = readings.of(NcuMetric::DramRead);
  const auto written = readings.of(NcuMetric::DramWrite);
  if (read && written) kernel.bytes[index_of(MemoryLevel::Dram)] = Bytes{*read + *written};
  kernel.bytes[index_of(MemoryLevel::L2)] = as_bytes(readings.of(NcuMetric::L2Bytes));
  kernel.bytes[index_of(MemoryLevel::L1)] = as_bytes(readings.of(NcuMetric::L1Bytes));
  kernel.is_partial = readings.is_partial();
  kernel.totals = {.fadd = readings.of(NcuMetric::Fadd),
                   .fmul = readings.of(NcuMetric::Fmul),
                   .ffma = readings.of(NcuMetric::Ffma),
                   .dram_read = as_bytes(read),
                   .dram_write = as_bytes(written)};
  return kernel;
}

}  // namespace ridgeline
