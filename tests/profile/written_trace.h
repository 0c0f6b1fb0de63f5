#pragma once

#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/atomic_file.h"
#include "core/temporary_folder.h"
#include "profile/sample_recording.h"
#include "profile/trace_writer.h"

namespace ridgeline::testing {

inline TraceFacts sample_facts() {
  return {.process = 1234,
          .steady_start = kSampleStart,
          .unix_start = 1'700'000'000'000'000'000,
          .shapes = true,
          .devices = {{.id = 0, .name = "Test \"GPU\"", .total_memory = 1e9, .compute_major = 9}}};
}

inline nlohmann::json written(const Recording& recording,
                              const TraceFacts& facts = sample_facts()) {
  const TemporaryFolder folder;
  write_trace(folder.path() / "trace.json", recording, facts);
  return nlohmann::json::parse(read_file(folder.path() / "trace.json", {1e8}));
}

inline std::vector<nlohmann::json> events_of(const nlohmann::json& trace,
                                             std::string_view category) {
  std::vector<nlohmann::json> events;
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    if (event.value("cat", "") == category) events.push_back(event);
  }
  return events;
}

}  // namespace ridgeline::testing
