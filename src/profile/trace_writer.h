#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "profile/records.h"

namespace ridgeline {

struct TraceDevice {
  std::uint32_t id{};
  std::string name{};
  double total_memory{};
  int compute_major{};
  int compute_minor{};
  int multiprocessors{};
};

struct TraceFacts {
  std::string name = "trace.json";
  std::int64_t process{};
  Nanoseconds steady_start{};  // times in the trace are since then
  std::int64_t unix_start{};   // the same moment as nanoseconds of Unix time
  bool shapes = false;
  // What lived on the host already: its allocator counts from where recording began. A device's
  // counts all there is.
  std::int64_t host_bytes_before = 0;
  std::string all_steps{};  // names a range from the first recorded step to the last; empty: none
  std::vector<TraceDevice> devices{};
  std::int64_t rank = 0;  // among `world_size` processes of one job
  std::int64_t world_size = 1;
};

// The recording as PyTorch's profiler would have written it, so that Perfetto, chrome://tracing,
// TensorBoard's plugin and HTA read it. Complete or absent; compressed when the name ends in ".gz".
void write_trace(const std::filesystem::path& path, const Recording& recording,
                 const TraceFacts& facts);

}  // namespace ridgeline
