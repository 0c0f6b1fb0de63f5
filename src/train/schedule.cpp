#include "train/schedule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"

namespace ridgeline {
namespace {

struct Word {
  ScheduleKind kind;
  std::string_view name;
};
constexpr std::array kWords{
    Word{ScheduleKind::Constant, "constant"},  Word{ScheduleKind::Cosine, "cosine"},
    Word{ScheduleKind::Linear, "linear"},      Word{ScheduleKind::Step, "step"},
    Word{ScheduleKind::OneCycle, "one-cycle"},
};

// Half a cosine from `from` to `to` as `part` goes from 0 to 1.
double along_cosine(double from, double to, double part) {
  return to + (from - to) * 0.5 * (1 + std::cos(std::numbers::pi * part));
}

// torch.optim.lr_scheduler.OneCycleLR with its two-phase cosine.
double one_cycle(const Schedule& schedule, std::int64_t step) {
  const double first = schedule.peak / schedule.start_divisor;
  const double last = first / schedule.end_divisor;
  const double top = schedule.rise * static_cast<double>(schedule.total_steps) - 1;
  const double end = static_cast<double>(schedule.total_steps) - 1;
  const auto at = static_cast<double>(step);
  if (at <= top) return along_cosine(first, schedule.peak, top > 0 ? at / top : 1);
  return along_cosine(schedule.peak, last, end > top ? (at - top) / (end - top) : 1);
}

}  // namespace

std::string_view name_of(ScheduleKind kind) {
  return std::ranges::find(kWords, kind, &Word::kind)->name;
}

ScheduleKind parse_schedule(std::string_view word) {
  std::vector<std::string_view> known;
  for (const Word& entry : kWords) {
    if (entry.name == word) return entry.kind;
    known.push_back(entry.name);
  }
  throw bad_input(unknown_word("schedule", word, known));
}

void validate(const Schedule& schedule) {
  // Devices look their rate up in single precision.
  constexpr double kHighestRate = std::numeric_limits<float>::max();
  if (!(schedule.peak > 0) || schedule.peak > kHighestRate)
    throw bad_input(
        fmt::format("--lr {}: must be above zero and at most {:.3g}", schedule.peak, kHighestRate));
  if (schedule.total_steps < 1) throw bad_input("a run has at least one step");
  if (schedule.warmup_steps < 0) throw bad_input("--warmup: must be 0 or more");
  if (schedule.kind == ScheduleKind::Step && schedule.drop_every < 1)
    throw bad_input("--schedule step needs --lr-drop-every N, in epochs or steps");
}

double rate_at(const Schedule& schedule, std::int64_t step) {
  if (schedule.kind == ScheduleKind::OneCycle) return one_cycle(schedule, step);
  if (step < schedule.warmup_steps)
    return schedule.peak * static_cast<double>(step + 1) /
           static_cast<double>(schedule.warmup_steps);
  const auto after = static_cast<double>(step - schedule.warmup_steps);
  const auto length =
      static_cast<double>(std::max<std::int64_t>(1, schedule.total_steps - schedule.warmup_steps));
  switch (schedule.kind) {
    case ScheduleKind::Cosine:
      return along_cosine(schedule.peak, 0, std::min(1.0, after / length));
    case ScheduleKind::Linear:
      return schedule.peak * (1 - std::min(1.0, after / length));
    case ScheduleKind::Step:
      return schedule.peak *
             std::pow(schedule.drop_factor, static_cast<double>(step / schedule.drop_every));
    case ScheduleKind::Constant:
    case ScheduleKind::OneCycle:
      break;
  }
  return schedule.peak;
}

std::vector<float> rates_of(const Schedule& schedule) {
  std::vector<float> rates;
  rates.reserve(static_cast<std::size_t>(schedule.total_steps));
  for (std::int64_t step = 0; step < schedule.total_steps; ++step)
    rates.push_back(static_cast<float>(rate_at(schedule, step)));
  return rates;
}

}  // namespace ridgeline
