#include "trace/event_message.h"

#include "trace/crc32c.h"

namespace ridgeline {
namespace {

// Field numbers of event.proto, summary.proto, tensor.proto and the plugins' plugin_data.proto,
// each in the function that writes the message.

constexpr std::int64_t kFloatTensor = 1;  // DataType of tensor.proto
constexpr std::int64_t kStringTensor = 7;
constexpr std::int64_t kTensorClass = 2;  // DataClass of summary.proto

WireMessage event(EventTime time) {
  return WireMessage().number(1, time.wall_s).integer(2, time.step);
}

WireMessage summary_event(EventTime time, const WireMessage& value) {
  return event(time).message(5, WireMessage().message(1, value));
}

WireMessage plugin_metadata(std::string_view plugin, std::string_view content) {
  return WireMessage()
      .message(1, WireMessage().text(1, plugin).bytes(2, content))
      .integer(4, kTensorClass);
}

// A tensor without dimensions; its content is added by the caller.
WireMessage scalar_tensor(std::int64_t type) {
  return WireMessage().integer(1, type).message(2, WireMessage());
}

WireMessage hparams_event(double wall_s, std::string_view tag, int kind, const WireMessage& data) {
  const WireMessage content = WireMessage().integer(1, 0).message(kind, data);
  // The plugin reads the metadata alone; the tensor is there because its readers list tensors.
  return summary_event({.wall_s = wall_s, .step = 0},
                       WireMessage()
                           .text(1, tag)
                           .message(9, plugin_metadata("hparams", content.encoded()))
                           .message(8, scalar_tensor(kFloatTensor).single(5, 0)));
}

std::int64_t type_of(const HParam& value) {
  if (std::holds_alternative<std::string>(value)) return 1;
  return std::holds_alternative<bool>(value) ? 2 : 3;
}

// google.protobuf.Value
WireMessage encoded_value(const HParam& value) {
  if (const auto* number = std::get_if<double>(&value)) return WireMessage().number(2, *number);
  if (const auto* flag = std::get_if<bool>(&value)) return WireMessage().integer(4, *flag ? 1 : 0);
  return WireMessage().text(3, std::get<std::string>(value));
}

}  // namespace

WireMessage file_version_event(double wall_s) {
  return WireMessage().number(1, wall_s).text(3, "brain.Event:2");
}

// A simple value rather than a tensor: the one form that EventAccumulator lists as a scalar, and
// that TensorBoard turns into its newer one as it reads.
WireMessage scalar_event(EventTime time, std::string_view tag, float value) {
  return summary_event(time, WireMessage().text(1, tag).single(2, value));
}

WireMessage text_event(EventTime time, std::string_view tag, std::string_view text) {
  return summary_event(time, WireMessage()
                                 .text(1, tag)
                                 .message(9, plugin_metadata("text", ""))
                                 .message(8, scalar_tensor(kStringTensor).text(8, text)));
}

WireMessage experiment_event(double wall_s, const HParams& values,
                             const std::vector<std::string>& metric_tags) {
  WireMessage experiment = WireMessage().number(3, wall_s);
  for (const auto& [name, value] : values) {
    experiment.message(4, WireMessage().text(1, name).integer(4, type_of(value)));
  }
  for (const std::string& tag : metric_tags) {
    experiment.message(5, WireMessage().message(1, WireMessage().text(2, tag)));
  }
  return hparams_event(wall_s, "_hparams_/experiment", 2, experiment);
}

WireMessage session_start_event(double wall_s, const HParams& values) {
  WireMessage start;
  for (const auto& [name, value] : values) {
    start.message(1, WireMessage().text(1, name).message(2, encoded_value(value)));
  }
  start.number(5, wall_s);
  return hparams_event(wall_s, "_hparams_/session_start_info", 3, start);
}

WireMessage session_end_event(double wall_s, SessionEnd how) {
  const WireMessage end =
      WireMessage().integer(1, how == SessionEnd::Success ? 1 : 2).number(2, wall_s);
  return hparams_event(wall_s, "_hparams_/session_end_info", 4, end);
}

std::string framed(const WireMessage& event_message) {
  const std::string& data = event_message.encoded();
  std::string record;
  record.reserve(data.size() + 16);
  append_little_endian(record, data.size(), 8);
  append_little_endian(record, masked_crc32c(record), 4);
  record += data;
  append_little_endian(record, masked_crc32c(data), 4);
  return record;
}

}  // namespace ridgeline
