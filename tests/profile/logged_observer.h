#pragma once

#include <string>
#include <vector>

#include "profile/observer.h"

namespace ridgeline::testing {

// Writes down what happens, in letters: ( ) a frame around a step that is kept, < > around one that
// is not, F finish, R reset, W withdraw; where it has sides b, c, h, d for both, calls, host and
// device from then on.
struct Log {
  std::string letters;
};

class LoggedObserver final : public OpObserver {
 public:
  explicit LoggedObserver(Log& log) : log_(log) {}
  void resume(Keep keep) override { keep_ = keep; }
  void watch(Side side) override {
    if (!sides) return;
    if (side_ == Side::Calls) steps_.clear();
    side_ = side;
    log_.letters += "bchd"[static_cast<std::size_t>(side)];
  }
  [[nodiscard]] bool has_sides() const override { return sides; }
  void pause() override {}
  void withdraw() override { log_.letters += 'W'; }
  [[nodiscard]] bool is_away() const override { return away; }
  void begin_step(std::int64_t number) override {
    log_.letters += keep_ == Keep::Everything ? '(' : '<';
    number_ = number;
  }
  void end_step() override {
    log_.letters += keep_ == Keep::Everything ? ')' : '>';
    if (keep_ != Keep::Everything) return;
    (side_ == Side::Device ? device_steps_ : steps_)
        .push_back({.number = number_, .start = 100 * number_, .end = 100 * number_ + 50});
  }
  void reset() override {
    log_.letters += 'R';
    steps_.clear();
    device_steps_.clear();
  }
  [[nodiscard]] Recording finish() override {
    log_.letters += 'F';
    return {.names = {""}, .steps = steps_, .device_steps = device_steps_};
  }
  [[nodiscard]] Side side() const { return side_; }
  bool away = true;
  bool sides = false;

 private:
  Log& log_;
  Keep keep_ = Keep::Everything;
  Side side_ = Side::Both;
  std::int64_t number_ = 0;
  std::vector<RecordedStep> steps_;
  std::vector<RecordedStep> device_steps_;
};

}  // namespace ridgeline::testing
