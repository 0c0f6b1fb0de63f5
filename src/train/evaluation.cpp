#include "train/evaluation.h"

#include <chrono>

namespace ridgeline {
namespace {

// Leaves evaluation mode also when a batch throws.
class [[nodiscard]] EvaluationScope {
 public:
  explicit EvaluationScope(Trainer& trainer) : trainer_(trainer) { trainer_.begin_evaluation(); }
  ~EvaluationScope() { trainer_.end_evaluation(); }
  EvaluationScope(const EvaluationScope&) = delete;
  EvaluationScope& operator=(const EvaluationScope&) = delete;

 private:
  Trainer& trainer_;
};

}  // namespace

std::optional<Score> evaluate_batches(Trainer& trainer, const std::function<bool()>& judge_next,
                                      const std::function<bool()>& interrupted) {
  const auto start = std::chrono::steady_clock::now();
  (void)trainer.take_totals();
  bool whole = true;
  {
    const EvaluationScope scope(trainer);
    while (whole && judge_next()) whole = !interrupted();
  }
  const TrainTotals totals = trainer.take_totals();
  if (!whole) return std::nullopt;
  const auto samples = static_cast<double>(totals.samples + totals.bad_samples);
  Score score{.accuracy = 100 * static_cast<double>(totals.correct) / samples,
              .samples = totals.samples + totals.bad_samples,
              .time = std::chrono::steady_clock::now() - start};
  if (totals.bad_samples == 0) score.loss = totals.loss / samples;
  return score;
}

}  // namespace ridgeline
