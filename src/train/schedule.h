#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ridgeline {

enum class ScheduleKind { Constant, Cosine, Linear, Step, OneCycle };
[[nodiscard]] std::string_view name_of(ScheduleKind kind);
[[nodiscard]] ScheduleKind parse_schedule(std::string_view word);

// The learning rate as a function of the step alone: a resumed run needs nothing but its number.
struct Schedule {
  ScheduleKind kind = ScheduleKind::Constant;
  double peak = 1e-3;
  std::int64_t total_steps = 1;
  std::int64_t warmup_steps = 0;  // linear from peak / warmup_steps; not for OneCycle
  std::int64_t drop_every = 0;  // Step: every so many steps of the run, the warm-up's included ...
  double drop_factor = 0.1;     // ... the rate is multiplied by this
  double rise = 0.3;            // OneCycle: part of the steps that climb
  double start_divisor = 25;    // OneCycle: first rate = peak / this, as torch's OneCycleLR
  double end_divisor = 1e4;     // OneCycle: last rate = first rate / this
};

// Throws Error(BadInput) for rates that are not finite and positive, warm-ups longer than the run.
void validate(const Schedule& schedule);
[[nodiscard]] double rate_at(const Schedule& schedule, std::int64_t step);
// One rate a step, for a device that looks its rate up.
[[nodiscard]] std::vector<float> rates_of(const Schedule& schedule);

}  // namespace ridgeline
