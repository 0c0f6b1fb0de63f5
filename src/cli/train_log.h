#pragma once

#include <exception>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/train_data.h"
#include "cli/train_setup.h"
#include "report/growing_csv.h"
#include "train/record.h"

namespace ridgeline {

// Everything that a training reports while it goes on: lines for people, metrics.csv, TensorBoard's
// events. Writes nothing before the first report, so that a run that never began leaves no file. A
// file that cannot be written is said once and ends no training: tell() throws it at the end.
class TrainingLog {
 public:
  TrainingLog(const TrainFlags& flags, const TrainSetup& setup, const TrainRequest& request,
              const TrainData& data, std::filesystem::path folder);

  void say(const std::string& line) const;
  void add(const StepReport& report);
  void add(const EpochReport& report);
  [[nodiscard]] std::int64_t tokens_a_sample() const { return tokens_a_sample_; }  // 0: of images
  [[nodiscard]] std::filesystem::path events() const;  // empty when there are none
  void end_events(const TrainOutcome& outcome);
  // `training` of run.json; call it once, at the end.
  [[nodiscard]] nlohmann::json finish(const TrainOutcome& outcome);
  void tell() const;

 private:
  template <class Work>
  void attempt(const Work& work);
  void open_events();
  [[nodiscard]] CsvTable last_row() const;

  const TrainFlags& flags_;
  const TrainSetup& setup_;
  const TrainRequest& request_;
  std::filesystem::path folder_;
  bool talks_;
  std::int64_t tokens_a_sample_;
  std::unique_ptr<EventFile> events_;
  TrainRecord record_;
  GrowingCsv metrics_;
  std::exception_ptr failure_;
};

}  // namespace ridgeline
