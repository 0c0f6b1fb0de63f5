#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/device_work.h"

namespace ridgeline {

// All runs of one kernel, copy or set.
struct KernelRow {
  std::string name{};
  WorkClass work{};
  std::uint64_t count{};
  std::int64_t total_ns{};
  std::int64_t min_ns{};
  std::int64_t max_ns{};
  double share{};  // of the summed time of all device work
  [[nodiscard]] double mean_ns() const {
    return static_cast<double>(total_ns) / static_cast<double>(count);
  }
};
// Longest total first.
[[nodiscard]] std::vector<KernelRow> kernel_table(const EventTable& events, const DeviceWork& work);

// Copies of one direction ("HtoD"), or sets.
struct CopyRow {
  std::string direction{};
  std::uint64_t count{};
  std::int64_t total_ns{};
  std::int64_t merged_ns{};  // of the device they take longest on: two at once count once
  std::uint64_t sized{};     // how many of them tell their size
  std::int64_t bytes{};      // of those
  std::int64_t sized_ns{};   // their time
  // Absent when no size is known or no time passed.
  [[nodiscard]] std::optional<double> bytes_per_s() const;
};
[[nodiscard]] std::vector<CopyRow> copy_table(const EventTable& events, const DeviceWork& work);

}  // namespace ridgeline
