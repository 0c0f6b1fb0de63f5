#pragma once

#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "profile/records.h"
#include "report/csv.h"
#include "report/html.h"
#include "report/trace_tables.h"
#include "trace/analysis.h"

namespace ridgeline {

// What the device did in the recorded steps, by the same analysis that reads other tools' traces:
// breakdown of each step, copies by direction, launches, why it was idle, waits of the host, gaps.
// Kernels and ops stand in tables of their own.
struct DeviceReport {
  TraceAnalysis analysis{};
  std::vector<Gap> gaps{};  // the kGapsWritten longest
};
inline constexpr std::size_t kGapsWritten = 1000;

// The device's records as events, each launch call once, the steps, and the host's waits.
[[nodiscard]] EventTable device_events(const Recording& recording);
// Absent without device records.
[[nodiscard]] std::optional<DeviceReport> device_report(const Recording& recording);

[[nodiscard]] std::vector<TitledTable> device_tables(const DeviceReport& report, std::size_t top);
[[nodiscard]] std::string to_text(const DeviceReport& report, std::size_t top);
[[nodiscard]] std::vector<Section> device_sections(const DeviceReport& report, std::size_t top);
[[nodiscard]] CsvTable copies_csv(const DeviceReport& report);
[[nodiscard]] CsvTable gaps_csv(const DeviceReport& report);
[[nodiscard]] nlohmann::json device_json(const DeviceReport& report);

}  // namespace ridgeline
