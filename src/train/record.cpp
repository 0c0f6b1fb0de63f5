#include "train/record.h"

#include <exception>

namespace ridgeline {
namespace {

using Json = nlohmann::json;

double per_second(double count, Seconds time) {
  return time.count() > 0 ? count / time.count() : 0;
}

Json stretch_json(const Stretch& stretch) {
  Json entry{
      {"samples", stretch.samples},
      {"samples_per_s", per_second(static_cast<double>(stretch.timed_samples), stretch.wall)},
      {"wall_s", stretch.wall.count()},
      {"data_wait_s", stretch.data_wait.count()},
      {"compute_s", stretch.compute.count()}};
  // Of an epoch that an earlier session began, the speed is that of this one's part.
  if (stretch.timed_samples != stretch.samples) entry["timed_samples"] = stretch.timed_samples;
  if (stretch.loss) entry["loss"] = *stretch.loss;
  if (stretch.accuracy) entry["accuracy_percent"] = *stretch.accuracy;
  if (stretch.bad_steps > 0) entry["skipped_steps"] = stretch.bad_steps;
  return entry;
}

void add_phases(Json& entry, const TrainTimes& times) {
  if (times.phase_steps == 0) return;
  const auto steps = static_cast<double>(times.phase_steps);
  entry["forward_s"] = times.forward.count() / steps;
  entry["backward_s"] = times.backward.count() / steps;
  entry["optimizer_s"] = times.optimizer.count() / steps;
}

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

std::string_view name_of(LoopEnd end) {
  switch (end) {
    case LoopEnd::Finished:
      return "finished";
    case LoopEnd::ReachedAccuracy:
      return "reached the accuracy asked for";
    case LoopEnd::Stopped:
      return "stopped as asked";
    case LoopEnd::Failed:
      return "failed";
    case LoopEnd::Interrupted:
      break;
  }
  return "interrupted";
}

TrainRecord::TrainRecord(const RecordOptions& options)
    : options_(options),
      json_{{"label", options.label}, {"steps", Json::array()}, {"epochs", Json::array()}} {
  if (options.held_out > 0)
    json_[options.tokens_a_sample > 0 ? "held_out_tokens" : "held_out_images"] = options.held_out;
}

void TrainRecord::add(const StepReport& report) {
  Json entry = stretch_json(report.stretch);
  entry["step"] = report.step;
  entry["epoch"] = report.epoch + 1;
  entry["learning_rate"] = report.learning_rate;
  if (report.stretch.steps > 0)
    entry["step_s"] = report.stretch.wall.count() / static_cast<double>(report.stretch.steps);
  entry["current_bytes"] = report.memory.current.count;
  entry["peak_bytes"] = report.memory.peak.count;
  const double samples_per_s = entry["samples_per_s"].get<double>();
  if (options_.tokens_a_sample > 0)
    entry["tokens_per_s"] = samples_per_s * static_cast<double>(options_.tokens_a_sample);
  add_phases(entry, report.stretch.times);
  if (options_.tokens_a_sample > 0) entry.erase("accuracy_percent");
  json_["steps"].push_back(std::move(entry));
  // Last, for a disk may refuse them.
  if (events_ != nullptr) {
    if (report.stretch.loss) events_->scalar("train/loss", report.step, *report.stretch.loss);
    if (options_.tokens_a_sample == 0 && report.stretch.accuracy)
      events_->scalar("train/accuracy_percent", report.step, *report.stretch.accuracy);
    events_->scalar("train/learning_rate", report.step, report.learning_rate);
    events_->scalar("speed/samples_per_s", report.step, samples_per_s);
    events_->scalar("speed/data_wait_s", report.step, report.stretch.data_wait.count());
    events_->scalar("memory/current_bytes", report.step, report.memory.current.count);
    events_->flush();
  }
}

void TrainRecord::add(const EpochReport& report) {
  Json entry = stretch_json(report.training);
  entry["epoch"] = report.epoch + 1;
  entry["step"] = report.step;
  entry["learning_rate"] = report.learning_rate;
  entry["peak_bytes"] = report.memory.peak.count;
  if (options_.tokens_a_sample > 0) entry.erase("accuracy_percent");
  if (report.test) {
    if (report.test->loss) {
      entry["test_loss"] = *report.test->loss;
      if (report.test->accuracy) entry["test_accuracy_percent"] = *report.test->accuracy;
    }
    entry["test_s"] = report.test->time.count();
  }
  json_["epochs"].push_back(std::move(entry));
  if (events_ == nullptr || !report.test || !report.test->loss) return;
  const std::string judged = options_.held_out > 0 ? "held_out" : "test";
  events_->scalar(judged + "/loss", report.step, *report.test->loss);
  if (report.test->accuracy)
    events_->scalar(judged + "/accuracy_percent", report.step, *report.test->accuracy);
  events_->flush();
}

Json TrainRecord::finish(const TrainOutcome& outcome) {
  const Stretch& total = outcome.loop.total;
  Json summary{{"end", name_of(outcome.loop.end)},
               {"steps", total.steps},
               {"samples", total.samples},
               {"samples_per_s", per_second(static_cast<double>(total.timed_samples), total.wall)},
               {"wall_s", total.wall.count()},
               {"data_wait_s", total.data_wait.count()},
               {"compute_s", total.compute.count()},
               {"peak_bytes", outcome.memory.peak.count}};
  if (outcome.loop.last_loss) summary["final_loss"] = *outcome.loop.last_loss;
  if (outcome.loop.failure) summary["error"] = text_of(outcome.loop.failure);
  if (!json_["epochs"].empty() && json_["epochs"].back().contains("test_accuracy_percent")) {
    summary["best_accuracy_percent"] = outcome.loop.state.best_accuracy;
    summary["final_accuracy_percent"] = json_["epochs"].back()["test_accuracy_percent"];
    if (options_.held_out > 0)
      summary["accuracy_of"] =
          "the last " + std::to_string(options_.held_out) + " training images, held out";
  }
  if (outcome.loop.state.best_loss) summary["best_held_out_loss"] = *outcome.loop.state.best_loss;
  add_phases(summary, total.times);
  json_["summary"] = std::move(summary);
  return json_;
}

}  // namespace ridgeline
