#include "train/saver.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "data/torch_file.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

// Of the time that saving may take.
constexpr double kLeastShare = 20;

}  // namespace

fs::path checkpoint_file(const fs::path& folder, const std::string& model,
                         std::string_view suffix) {
  return folder / fmt::format("{}_{}.pt", model, suffix);
}

std::vector<fs::path> replaceable(const SavePlan& plan, const std::string& model) {
  std::vector<fs::path> files;
  for (const char* suffix : {"best", "last", "final_weights"}) {
    std::error_code ignored;
    const fs::path file = checkpoint_file(plan.folder, model, suffix);
    if (fs::exists(file, ignored)) files.push_back(file);
  }
  return files;
}

Saver::Saver(Trainer& trainer, SavePlan plan, CheckpointFacts facts, const Device& device)
    : trainer_(trainer),
      plan_(std::move(plan)),
      facts_(std::move(facts)),
      behind_(device.kind != DeviceKind::Cpu) {}

bool Saver::is_due() const {
  if (plan_.pause <= Seconds{0}) return false;
  return Clock::now() - saved_at_ >= std::max(plan_.pause, kLeastShare * cost_);
}

// Statistics can be poisoned while every loss is finite. A file that was good stays then.
void Saver::require_finite() {
  if (!trainer_.is_finite())
    throw Error(Fault::Device,
                fmt::format("weights or statistics of the model are no longer finite: nothing is "
                            "saved, what was saved before in {} stays",
                            plan_.folder.string()));
}

void Saver::save(const LoopState& state, const std::string& suffix) {
  require_finite();
  write(suffix, make_checkpoint(trainer_.state(), state, facts_));
}

void Saver::save_last(const LoopState& state) {
  if (last_ == state) return;
  const auto start = Clock::now();
  save(state, "last");
  saved_at_ = Clock::now();
  cost_ = saved_at_ - start;
  last_ = state;
}

void Saver::save_epoch(const EpochReport& report) {
  if (report.best) save(report.state, "best");
  if (plan_.at_epoch_ends) save_last(report.state);
  // The last steps of a run may be no whole epoch.
  const bool whole = report.step % facts_.steps_per_epoch == 0;
  if (whole && plan_.every_epochs > 0 && (report.epoch + 1) % plan_.every_epochs == 0)
    save(report.state, fmt::format("epoch{}", report.epoch + 1));
}

void Saver::save_weights(const std::string& suffix) {
  require_finite();
  Dict dict;
  for (auto& [name, array] : trainer_.weights()) dict.emplace_back(name, Value{std::move(array)});
  write(suffix, {std::move(dict)});
}

void Saver::rescue(const LoopResult& result) noexcept {
  try {
    if (!result.inside_step && result.total.steps > 0 && trainer_.is_finite())
      save_last(result.state);
    finish();
  } catch (...) {
    // A full disk or a dead device: what was saved before stays as it is.
  }
}

void Saver::finish() {
  if (!writing_.valid()) return;
  try {
    writing_.get();
  } catch (...) {
    last_.reset();  // to be written again
    throw;
  }
  note(being_written_);
}

void Saver::write(const std::string& suffix, Value value) {
  const fs::path file = checkpoint_file(plan_.folder, facts_.model, suffix);
  finish();
  if (!behind_) {
    write_torch_file(file, value);
    return note(file);
  }
  being_written_ = file;
  writing_ = std::async(std::launch::async,
                        [file, held = std::move(value)] { write_torch_file(file, held); });
}

void Saver::note(const fs::path& file) {
  if (std::ranges::find(files_, file) == files_.end()) files_.push_back(file);
}

}  // namespace ridgeline
