#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace ridgeline {

// Text as ncu prints it, for tests to begin from.

struct MetricRow {
  std::string_view id;
  std::string_view kernel;
  std::string_view metric;
  std::string_view unit;
  std::string_view value;
};

inline constexpr std::string_view kLongHeader =
    R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value")";

inline std::string long_row(const MetricRow& row) {
  return fmt::format(
      R"r("{}","77","python3","127.0.0.1","{}","1","7","(128, 1, 1)","(64, 1, 1)","0","8.9","Command line profiler metrics","{}","{}","{}")r"
      "\n",
      row.id, row.kernel, row.metric, row.unit, row.value);
}

inline std::string long_csv(std::initializer_list<MetricRow> rows) {
  std::string text = std::string(kLongHeader) + "\n";
  for (const MetricRow& row : rows) text += long_row(row);
  return text;
}

// One kernel with everything a roofline needs: 10 µs, 1,000 + 2,000 + 2 × 3,500 = 10,000 FLOP,
// 1,500 + 500 = 2,000 bytes.
inline std::string whole_kernel(std::string_view id, std::string_view name) {
  constexpr std::string_view kOp = "smsp__sass_thread_inst_executed_op_";
  std::string text;
  text += long_row({id, name, "gpu__time_duration.sum", "usecond", "10"});
  text += long_row({id, name, fmt::format("{}fadd_pred_on.sum", kOp), "inst", "1,000"});
  text += long_row({id, name, fmt::format("{}fmul_pred_on.sum", kOp), "inst", "2,000"});
  text += long_row({id, name, fmt::format("{}ffma_pred_on.sum", kOp), "inst", "3,500"});
  text += long_row({id, name, "dram__bytes_read.sum", "Kbyte", "1.5"});
  text += long_row({id, name, "dram__bytes_write.sum", "byte", "500"});
  text += long_row({id, name, "sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", "40.25"});
  text += long_row({id, name, "dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", "50"});
  return text;
}

inline std::string good_long_csv() {
  return std::string(kLongHeader) + "\n" + whole_kernel("0", "gemm") + whole_kernel("1", "relu");
}

// The raw page: a column a metric, a row of units, a row a kernel.
inline constexpr std::string_view kGoodWideCsv =
    R"w("ID","Process ID","Process Name","Host Name","thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","device__attribute_display_name","dram__bytes.sum.per_second","derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2","gpu__time_duration.sum","smsp__cycles_elapsed.avg.per_second","smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed","smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed","lts__t_bytes.sum","launch__waves_per_multiprocessor","unknown__metric.sum"
"","","","","","","","","","","","","","Gbyte/second","inst","msecond","cycle/nsecond","inst/cycle","inst/cycle","Mbyte","",""
"0","77","app","127.0.0.1","77  ""<default domain>:train_step:none:none:none:none:none:none""  ""<default domain>:forward:none:none:none:none:none:none"" ","conv","1","7","(8, 8, 1)","(512, 2, 1)","0","8.9","NVIDIA L4","200","1,000","2","1.5","100","50","600","0.5","n/a"
"1","77","app","127.0.0.1","77  ""<default domain>:train_step:none:none:none:none:none:none"" ","relu","1","7","(8, 8, 1)","(512, 2, 1)","0","8.9","NVIDIA L4","250","0","1","1.5","10","0","300","4","n/a"
)w";

}  // namespace ridgeline
