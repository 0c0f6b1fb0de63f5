#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/analysis.h"
#include "trace/finding_changes.h"

namespace ridgeline {

enum class ChangeKind { Slower, Faster, Same, Appeared, Vanished };
[[nodiscard]] std::string_view name_of(ChangeKind kind);

// Less than this either way is called the same. A trace is one sample: there is no interval to tell
// noise by, so the words stay coarse.
inline constexpr double kSameWithin = 0.02;

// One name in two traces. Times and counts are per step where both traces have steps.
struct ChangeRow {
  std::string name{};
  ChangeKind kind{};
  double before_ns{};
  double after_ns{};
  double before_count{};
  double after_count{};
  [[nodiscard]] double difference_ns() const { return after_ns - before_ns; }
};

// As files bear it: a share of a sum over steps ends between two nanoseconds, and says no more.
[[nodiscard]] std::int64_t whole_ns(double ns);

// A step of one trace in few numbers; where not both have steps, all of it.
struct StepFigures {
  bool marks_steps = false;
  double time_ns{};
  std::optional<double> busy{};                    // of that time, the device; 0 to 1
  std::optional<double> kernels{};                 // where there is a device
  std::optional<double> data_wait_ns{};            // where the trace marks its loader
  std::optional<double> communication_alone_ns{};  // where there is a device, or gloo or MPI
  std::string bound{};                             // "bound by data"; empty: not known
  std::string target{};                            // the lever that could win most; empty: none
};

struct TraceComparison {
  bool per_step = false;
  // One of them has steps: verdict, target and findings would be of unlike things, and are absent.
  bool unlike = false;
  bool incomplete = false;  // one of them: what needs the rest is absent
  double before_steps = 1;
  double after_steps = 1;
  StepFigures before{};
  StepFigures after{};
  // Largest difference first.
  std::vector<ChangeRow> kernels{};     // device time
  std::vector<ChangeRow> ops{};         // self host time
  std::vector<ChangeRow> ops_device{};  // self device time, without runtime calls
  std::vector<FindingChange> findings{};
};
[[nodiscard]] TraceComparison compare(const TraceAnalysis& before, const TraceAnalysis& after);

}  // namespace ridgeline
