#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "trace/event_file.h"
#include "train/run.h"

namespace ridgeline {

struct RecordOptions {
  std::string label{};               // "resnet18"
  std::int64_t tokens_a_sample = 0;  // 0: samples are images
  std::int64_t held_out = 0;         // images or tokens that stand where else the test set does
};

// What training reports, as run.json keeps it (`training`) and as TensorBoard shows it.
class TrainRecord {
 public:
  explicit TrainRecord(const RecordOptions& options);

  // From here on reports go there too.
  void show_in(EventFile& events) { events_ = &events; }

  void add(const StepReport& report);
  void add(const EpochReport& report);
  // With the summary; call it once, at the end.
  [[nodiscard]] nlohmann::json finish(const TrainOutcome& outcome);
  [[nodiscard]] const nlohmann::json& json() const { return json_; }

 private:
  RecordOptions options_;
  EventFile* events_ = nullptr;
  nlohmann::json json_{};
};

[[nodiscard]] std::string_view name_of(LoopEnd end);

}  // namespace ridgeline
