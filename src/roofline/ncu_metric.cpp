#include "roofline/ncu_metric.h"

#include <algorithm>
#include <array>

namespace ridgeline {
namespace {

struct Known {
  std::string_view name;
  NcuMetric metric;
  double factor = 1;
  NcuForm form = NcuForm::Sum;
};

constexpr double kSectorBytes = 32;

// The first name of a metric is the one that is asked for.
constexpr std::array kKnown{
    Known{"gpu__time_duration.sum", NcuMetric::Time},
    Known{"gpu__time_duration.avg", NcuMetric::Time},
    Known{"gpu__time_duration.max", NcuMetric::Time},
    Known{"sm__throughput.avg.pct_of_peak_sustained_elapsed", NcuMetric::SmPercent},
    Known{"dram__throughput.avg.pct_of_peak_sustained_elapsed", NcuMetric::DramPercent},
    Known{"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", NcuMetric::DramPercent},
    Known{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", NcuMetric::Fadd},
    Known{"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", NcuMetric::Fmul},
    Known{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", NcuMetric::Ffma},
    Known{"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", NcuMetric::Hadd},
    Known{"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", NcuMetric::Hmul},
    Known{"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", NcuMetric::Hfma},
    Known{"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", NcuMetric::Dadd},
    Known{"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", NcuMetric::Dmul},
    Known{"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", NcuMetric::Dfma},
    // The roofline section gives fused multiply-adds as twice the instructions a cycle.
    Known{"derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2", NcuMetric::Ffma, 0.5,
          NcuForm::PerCycle},
    Known{"derived__smsp__sass_thread_inst_executed_op_hfma_pred_on_x2", NcuMetric::Hfma, 0.5,
          NcuForm::PerCycle},
    Known{"derived__smsp__sass_thread_inst_executed_op_dfma_pred_on_x2", NcuMetric::Dfma, 0.5,
          NcuForm::PerCycle},
    Known{"sm__ops_path_tensor_src_fp64.sum", NcuMetric::TensorFp64},
    Known{"sm__ops_path_tensor_src_tf32_dst_fp32.sum", NcuMetric::TensorTf32},
    Known{"sm__ops_path_tensor_src_fp16.sum", NcuMetric::TensorFp16},
    Known{"sm__ops_path_tensor_src_fp16_dst_fp16.sum", NcuMetric::TensorFp16ToFp16},
    Known{"sm__ops_path_tensor_src_fp16_dst_fp32.sum", NcuMetric::TensorFp16ToFp32},
    // Turing's, whose tensor cores know fp16 alone of the three.
    Known{"sm__ops_path_tensor_src_fp16_bf16_tf32_dst_fp32.sum", NcuMetric::TensorFp16ToFp32},
    Known{"sm__ops_path_tensor_src_bf16_dst_fp32.sum", NcuMetric::TensorBf16},
    Known{"sm__ops_path_tensor_src_fp8.sum", NcuMetric::TensorFp8},
    Known{"sm__ops_path_tensor_src_fp8_dst_fp16.sum", NcuMetric::TensorFp8ToFp16},
    Known{"sm__ops_path_tensor_src_fp8_dst_fp32.sum", NcuMetric::TensorFp8ToFp32},
    // GB100 and its kin count fp8 with the narrower formats that share its instructions.
    Known{"sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp16.sum", NcuMetric::TensorFp8ToFp16},
    Known{"sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32.sum", NcuMetric::TensorFp8ToFp32},
    Known{"sm__ops_path_tensor_src_int8.sum", NcuMetric::TensorInt8},
    Known{"sm__inst_executed_pipe_tensor.sum", NcuMetric::TensorInstructions},
    Known{"smsp__inst_executed_pipe_tensor.sum", NcuMetric::TensorInstructions},
    Known{"dram__bytes_read.sum", NcuMetric::DramRead},
    Known{"dram__bytes_op_read.sum", NcuMetric::DramRead},
    Known{"dram__sectors_read.sum", NcuMetric::DramRead, kSectorBytes},
    Known{"dram__bytes_write.sum", NcuMetric::DramWrite},
    Known{"dram__bytes_op_write.sum", NcuMetric::DramWrite},
    Known{"dram__sectors_write.sum", NcuMetric::DramWrite, kSectorBytes},
    Known{"dram__bytes.sum", NcuMetric::DramBytes},
    Known{"lts__t_bytes.sum", NcuMetric::L2Bytes},
    Known{"lts__t_sectors.sum", NcuMetric::L2Bytes, kSectorBytes},
    Known{"l1tex__t_bytes.sum", NcuMetric::L1Bytes},
    Known{"smsp__cycles_elapsed.avg", NcuMetric::Cycles},
    Known{"sm__cycles_elapsed.avg", NcuMetric::Cycles},
    Known{"sm__cycles_elapsed.max", NcuMetric::Cycles},
    Known{"sm__warps_active.avg.pct_of_peak_sustained_active", NcuMetric::Occupancy},
    Known{"launch__waves_per_multiprocessor", NcuMetric::Waves},
};

struct Label {
  std::string_view label;
  bool percent;  // the unit that this meaning has
  NcuMetric metric;
  NcuForm form = NcuForm::Sum;
};
constexpr std::array kLabels{
    Label{"Duration", false, NcuMetric::Time},
    Label{"Compute (SM) Throughput", true, NcuMetric::SmPercent},
    Label{"SM [%]", true, NcuMetric::SmPercent},
    Label{"DRAM Throughput", true, NcuMetric::DramPercent},
    Label{"Memory Throughput", false, NcuMetric::DramBytes, NcuForm::PerSecond},
    Label{"Elapsed Cycles", false, NcuMetric::Cycles},
    Label{"SM Frequency", false, NcuMetric::Cycles, NcuForm::PerSecond},
    Label{"Achieved Occupancy", true, NcuMetric::Occupancy},
    Label{"Waves Per SM", false, NcuMetric::Waves},
};

static_assert(kKnown.size() + kLabels.size() < 256);

std::optional<NcuReading> by_name(std::string_view name) {
  NcuForm form = NcuForm::Sum;
  for (const auto& [suffix, meant] :
       {std::pair<std::string_view, NcuForm>{".per_second", NcuForm::PerSecond},
        {".per_cycle_elapsed", NcuForm::PerCycle}}) {
    if (!name.ends_with(suffix)) continue;
    name.remove_suffix(suffix.size());
    form = meant;
  }
  // The same counters are summed over multiprocessors or over their four partitions.
  const std::string_view plain = name.starts_with("sm__sass_") ? name.substr(3) : name;
  for (const Known& known : kKnown) {
    const bool same =
        known.name == name || (plain.size() != name.size() && known.name.starts_with("smsp_") &&
                               known.name.substr(5) == plain);
    if (same) {
      return NcuReading{.metric = known.metric,
                        .form = known.form == NcuForm::Sum ? form : known.form,
                        .factor = known.factor,
                        .spelling = static_cast<std::uint8_t>(&known - kKnown.data())};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(NcuMetric metric) {
  return std::ranges::find(kKnown, metric, &Known::metric)->name;
}

std::optional<NcuReading> ncu_reading(std::string_view name, std::string_view unit) {
  if (name.find("__") != std::string_view::npos) return by_name(name);
  for (const Label& label : kLabels) {
    if (label.label == name && label.percent == (unit == "%"))
      return NcuReading{
          .metric = label.metric,
          .form = label.form,
          .spelling = static_cast<std::uint8_t>(kKnown.size() + (&label - kLabels.data()))};
  }
  return std::nullopt;
}

}  // namespace ridgeline
