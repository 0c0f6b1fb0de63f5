#include "trace/profile_facts.h"

#include <algorithm>

namespace ridgeline {

std::string_view the_step(const ProfileFacts& facts) {
  return facts.marks_steps ? "the step" : "the trace";
}

std::string_view a_step(const ProfileFacts& facts) {
  return facts.marks_steps ? "a step" : "in all";
}

double wait_share(const DataFacts& data) {
  const Seconds whole = data.wait + data.compute;
  return whole > Seconds{0} ? data.wait / whole : 0;
}

double idle_wait_share(const DataFacts& data) {
  const Seconds whole = data.wait + data.compute;
  return whole > Seconds{0} ? (data.wait - data.covered) / whole : 0;
}

double queued_idle_share(const ProfileFacts& facts) {
  if (!facts.busy || !facts.idle || facts.step <= Seconds{0}) return 0;
  return std::clamp(facts.idle->queued / facts.step, 0.0, 1 - *facts.busy);
}

double launch_idle_share(const ProfileFacts& facts) {
  if (!facts.busy) return 0;
  const double waits = facts.data ? idle_wait_share(*facts.data) : 0;
  const double synced =
      facts.idle && facts.step > Seconds{0} ? facts.idle->in_wait / facts.step : 0;
  return std::max(0.0, 1 - *facts.busy - queued_idle_share(facts) - waits - synced);
}

Seconds op_time(const ProfileFacts& facts) {
  Seconds sum{};
  for (const OpFact& op : facts.ops) sum += op.time;
  return sum;
}

Seconds op_time(const ProfileFacts& facts, OpKind kind) {
  Seconds sum{};
  for (const OpFact& op : facts.ops) {
    if (op.kind == kind) sum += op.time;
  }
  return sum;
}

double share_of(const ProfileFacts& facts, OpKind kind) {
  const Seconds all = op_time(facts);
  return all > Seconds{0} ? op_time(facts, kind) / all : 0;
}

}  // namespace ridgeline
