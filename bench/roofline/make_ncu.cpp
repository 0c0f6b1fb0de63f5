// Writes a CSV as ncu would, of about the given size: make_ncu long|raw FILE MEGABYTES. The long
// page has eight metrics a kernel, the raw page 120 columns.

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "core/atomic_writer.h"
#include "core/error.h"
#include "stats/random.h"

namespace {

using ridgeline::AtomicWriter;
using ridgeline::Random;

constexpr std::string_view kBefore =
    R"("ID","Process ID","Process Name","Host Name","thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg","Id:Domain:Start/Stop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC")";

struct Metric {
  std::string_view name;
  std::string_view unit;
};
constexpr std::array kMetrics{
    Metric{"dram__bytes_read.sum", "Kbyte"},
    Metric{"dram__bytes_write.sum", "byte"},
    Metric{"dram__throughput.avg.pct_of_peak_sustained_elapsed", "%"},
    Metric{"gpu__time_duration.sum", "usecond"},
    Metric{"sm__throughput.avg.pct_of_peak_sustained_elapsed", "%"},
    Metric{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "inst"},
    Metric{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "inst"},
    Metric{"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "inst"},
};
constexpr int kOtherColumns = 99;

std::string value_of(const Metric& metric, Random& random) {
  const auto number = 100 + random.below(900);
  if (metric.unit == "inst") return fmt::format("{},{:03},{:03}", number, number % 97, number);
  return fmt::format("{}.{:02}", number % 100, number % 89);
}

std::string kernel_cells(std::uint64_t id, Random& random) {
  return fmt::format(
      R"r("{}","3984","python3.9","127.0.0.1","3984  ""<default domain>:train_step:none:none:none:none:none:none""  ""<default domain>:forward:none:none:none:none:none:none"" ","","void at::native::vectorized_elementwise_kernel<(int)4, at::native::CUDAFunctor_add<float>, at::detail::Array<char *, (int){}>>(int, T2, T3)","1","7","(128, 1, 1)","({}, 1, 1)","0","8.9")r",
      id, random.below(40), 1 + random.below(4096));
}

void write_long(AtomicWriter& file, double bytes) {
  Random random(1, 0);
  file.write(std::string(kBefore) +
             R"(,"Section Name","Metric Name","Metric Unit","Metric Value")" + "\n");
  for (std::uint64_t id = 0; static_cast<double>(file.written()) < bytes; ++id) {
    const std::string cells = kernel_cells(id, random);
    for (const Metric& metric : kMetrics) {
      file.write(fmt::format("{},\"Command line profiler metrics\",\"{}\",\"{}\",\"{}\"\n", cells,
                             metric.name, metric.unit, value_of(metric, random)));
    }
  }
}

void write_raw(AtomicWriter& file, double bytes) {
  Random random(1, 0);
  std::string names(kBefore);
  std::string units = R"("","","","","","","","","","","","","")";
  for (const Metric& metric : kMetrics) {
    names += fmt::format(",\"{}\"", metric.name);
    units += fmt::format(",\"{}\"", metric.unit);
  }
  for (int i = 0; i < kOtherColumns; ++i) {
    names += fmt::format(",\"launch__other_{}\"", i);
    units += ",\"\"";
  }
  file.write(names + "\n" + units + "\n");
  for (std::uint64_t id = 0; static_cast<double>(file.written()) < bytes; ++id) {
    std::string row = kernel_cells(id, random);
    for (const Metric& metric : kMetrics) row += ",\"" + value_of(metric, random) + "\"";
    for (int i = 0; i < kOtherColumns; ++i) row += fmt::format(",\"{}\"", random.below(100000));
    file.write(row + "\n");
  }
}

}  // namespace

int main(int count, char** words) {
  const std::string_view page = count == 4 ? words[1] : "";
  if (page != "long" && page != "raw") {
    std::fputs("usage: make_ncu long|raw FILE MEGABYTES\n", stderr);
    return 2;
  }
  try {
    AtomicWriter file(words[2]);
    (page == "long" ? write_long : write_raw)(file, std::atof(words[3]) * 1e6);
    file.commit();
    return 0;
  } catch (const ridgeline::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
