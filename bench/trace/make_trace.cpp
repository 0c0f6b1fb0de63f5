// Writes a trace as PyTorch's profiler would, of about the given size: make_trace FILE MEGABYTES.
// Steps of ops with shapes, launches and kernels, a copy each, memory instants.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "core/atomic_writer.h"
#include "core/error.h"
#include "stats/random.h"

namespace {

// clang-format off
constexpr const char* kOp = R"t(  {{
    "ph": "X", "cat": "cpu_op", "name": "aten::op_{}", "pid": 4242, "tid": 4242,
    "ts": {:.3f}, "dur": {:.3f},
    "args": {{
      "External id": {},"Record function id": {}, "Concrete Inputs": ["", "", "[1, 1]", "False"], "Input type": ["float", "float", "ScalarList", "Scalar"], "Input Strides": [[{}, 3136, 56, 1], [576, 9, 3, 1], [], []], "Input Dims": [[{}, 64, 56, 56], [64, 64, 3, 3], [], []], "Ev Idx": {}
    }}
  }},
)t";
constexpr const char* kLaunch = R"t(  {{
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4242, "tid": 4242,
    "ts": {:.3f}, "dur": {:.3f},
    "args": {{
      "External id": {}, "cbid": 211, "correlation": {}
    }}
  }},
  {{
    "ph": "s", "id": {}, "pid": 4242, "tid": 4242, "ts": {:.3f},
    "cat": "ac2g", "name": "ac2g"
  }},
)t";
constexpr const char* kKernel = R"t(  {{
    "ph": "X", "cat": "kernel", "name": "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, {}> >(int, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)", "pid": 0, "tid": 7,
    "ts": {:.3f}, "dur": {:.3f},
    "args": {{
      "External id": {}, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": {}, "registers per thread": 32, "shared memory": 0, "blocks per SM": 29.037037, "warps per SM": 116.148148, "grid": [3136, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %": 100
    }}
  }},
  {{
    "ph": "f", "id": {}, "pid": 0, "tid": 7, "ts": {:.3f},
    "cat": "ac2g", "name": "ac2g", "bp": "e"
  }},
)t";
// clang-format on

int make(const char* path, double megabytes) {
  ridgeline::Random random(1, 0);
  ridgeline::AtomicWriter file(path);
  file.write(
      "{\n  \"schemaVersion\": 1,\n  \"distributedInfo\": {\"rank\": 0},\n  \"traceEvents\": [\n");
  double now = 4458676416431.397;
  for (std::uint64_t id = 1; static_cast<double>(file.written()) < megabytes * 1e6; ++id) {
    const double length = 20 + static_cast<double>(random.below(100)) / 8;
    const auto kind = random.below(40);
    file.write(
        fmt::format(kOp, kind, now, length, id, id, 200704 + kind, 1 + random.below(256), id));
    file.write(fmt::format(kLaunch, now + 5, 4.5, id, id, id, now + 5));
    file.write(fmt::format(kKernel, kind, now + 12, length / 2, id, id, id, now + 12));
    now += length + 2;
  }
  file.write("  {\"ph\": \"i\", \"name\": \"end\", \"ts\": 0}\n  ]\n}\n");
  file.commit();
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    std::fputs("usage: make_trace FILE MEGABYTES\n", stderr);
    return 2;
  }
  try {
    return make(words[1], std::atof(words[2]));
  } catch (const ridgeline::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
