#pragma once

#include <string>
#include <vector>

#include "profile/observer.h"

namespace ridgeline::testing {

// Writes down what happens, in letters: ( ) a frame around a step that is kept, < > around one that
// is not, F finish, R reset, W withdraw.
struct Log {
  std::string letters;
};

class LoggedObserver final : public OpObserver {
 public:
  explicit LoggedObserver(Log& log) : log_(log) {}
  void resume(Keep keep) override { keep_ = keep; }
  void pause() override {}
  void withdraw() override { log_.letters += 'W'; }
  [[nodiscard]] bool is_away() const override { return away; }
  void begin_step(std::int64_t number) override {
    log_.letters += keep_ == Keep::Everything ? '(' : '<';
    number_ = number;
  }
  void end_step() override {
    log_.letters += keep_ == Keep::Everything ? ')' : '>';
    if (keep_ == Keep::Everything)
      steps_.push_back({.number = number_, .start = 100 * number_, .end = 100 * number_ + 50});
  }
  void reset() override {
    log_.letters += 'R';
    steps_.clear();
  }
  [[nodiscard]] Recording finish() override {
    log_.letters += 'F';
    return {.names = {""}, .steps = steps_};
  }
  bool away = true;

 private:
  Log& log_;
  Keep keep_ = Keep::Everything;
  std::int64_t number_ = 0;
  std::vector<RecordedStep> steps_;
};

}  // namespace ridgeline::testing
