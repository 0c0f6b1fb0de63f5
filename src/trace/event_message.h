#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "trace/wire_message.h"

namespace ridgeline {

using HParam = std::variant<bool, double, std::string>;
using HParams = std::vector<std::pair<std::string, HParam>>;

enum class SessionEnd { Success, Failure };

// TensorBoard's Event messages, in the form that its own readers and PyTorch's write and show.
struct EventTime {
  double wall_s = 0;
  std::int64_t step = 0;
};
[[nodiscard]] WireMessage file_version_event(double wall_s);
[[nodiscard]] WireMessage scalar_event(EventTime time, std::string_view tag, float value);
[[nodiscard]] WireMessage text_event(EventTime time, std::string_view tag, std::string_view text);

// The HParams plugin wants three: what is varied and measured, the values of this run, its end.
[[nodiscard]] WireMessage experiment_event(double wall_s, const HParams& values,
                                           const std::vector<std::string>& metric_tags);
[[nodiscard]] WireMessage session_start_event(double wall_s, const HParams& values);
[[nodiscard]] WireMessage session_end_event(double wall_s, SessionEnd how);

// One TFRecord: length, data, and a checksum of each.
[[nodiscard]] std::string framed(const WireMessage& event);

}  // namespace ridgeline
