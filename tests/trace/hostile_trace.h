#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"
#include "trace/analysis_facts.h"
#include "trace/chrome_trace.h"
#include "trace/comparison.h"
#include "trace/findings.h"

namespace ridgeline {

// A small good trace with one of everything the reader looks at, to begin from.
inline constexpr std::string_view kGoodTrace = R"t({
  "schemaVersion": 1,
  "deviceProperties": [{"id": 0, "name": "GPU \u00b5", "regs": [1, {"a": "]"}]}],
  "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8},
  "traceEvents": [
  {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 9, "tid": 9, "ts": 100, "dur": 50},
  {"ph": "X", "cat": "cpu_op", "name": "aten::\"mm\"", "pid": 9, "tid": "9", "ts": 101.5, "dur": 20.25,
    "args": {"External id": 7, "Input Dims": [[2, 3], [3, 4]], "Bad": NaN, "Worse": N/A}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, "ts": 102, "dur": 3,
    "args": {"correlation": 5, "External id": 7}},
  {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 110, "dur": 8.001,
    "args": {"device": 0, "stream": 7, "correlation": 5, "External id": 7}},
  {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)",
                                  "pid" : 0, "tid" : 7, "ts" : 120, "dur" : 2, "args" : {
  "device" : 0, "stream" : 7, "bytes" : 4096, "correlation" : 6
}
},
  {"ph": "i", "name": "[memory]", "pid": 9, "tid": 9, "ts": 103, "s": "t",
    "args": {"Device Type": 1, "Device Id": 0, "Bytes": 512, "Total Allocated": 1024}},
  {"ph": "B", "name": "outer", "pid": 9, "tid": 9, "ts": 130},
  {"ph": "E", "pid": 9, "tid": 9, "ts": 131},
  {"ph": "M", "name": "process_name", "pid": 9, "args": {"name": "python"}}
  ],
  "traceName": "x"
})t";

// The same of a tool that knows no categories.
inline constexpr std::string_view kGoodForeignTrace = R"t([
  {"ph": "M", "name": "process_name", "pid": 2, "args": {"name": "/device:GPU:0"}},
  {"ph": "M", "name": "thread_name", "pid": 2, "tid": 13, "args": {"name": "Stream #13(Compute)"}},
  {"ph": "X", "name": "launch", "pid": 1, "tid": 1, "ts": 1, "dur": 90},
  {"ph": "X", "name": "gloo:all_reduce", "pid": 1, "tid": 2, "ts": 20, "dur": 30},
  {"ph": "X", "name": "range", "pid": 2, "tid": 13, "ts": 5, "dur": 60},
  {"ph": "X", "name": "fusion", "pid": 2, "tid": 13, "ts": 5, "dur": 20},
  {"ph": "X", "name": "MemcpyH2D", "pid": 2, "tid": 13, "ts": 40, "dur": 25},
  {"ph": "X", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 0, "dur": 100}
])t";

// Whatever the bytes, the reader returns or throws one line of Error(BadInput) that names the
// source; anything else is wrong. What it returns can be analysed to the last sentence.
inline bool survives_as_trace(std::span<const std::byte> bytes) {
  try {
    const Trace trace = parse_chrome_trace(bytes, "hostile");
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      if (trace.events.duration_ns(i) < 0 || trace.events.end_ns(i) < trace.events.start_ns(i))
        return false;
      (void)trace.events.name_text(i).size();
    }
    const TraceAnalysis analysis = analyse(trace);
    (void)findings_text(facts_of(analysis));
    (void)compare(analysis, analysis);
    return true;
  } catch (const Error& error) {
    const std::string_view line = error.what();
    return error.fault() == Fault::BadInput && line.find("hostile") != std::string_view::npos &&
           line.find('\n') == std::string_view::npos;
  }
}

}  // namespace ridgeline
