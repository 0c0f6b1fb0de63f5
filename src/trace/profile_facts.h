#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "trace/op_kind.h"

namespace ridgeline {

// One op (or kernel) of a step: its own time, on the device where there is one, else on the host.
struct OpFact {
  std::string name{};
  OpKind kind = OpKind::Other;
  Seconds time{};
  double calls{};
};

// Shares of the time in ops by where they ran, 0 to 1: what the name of an op does not tell.
struct ModuleShares {
  double attention{};  // within attentions, their projections included
  double normalisation{};
};

struct KernelFacts {
  double count{};       // a step
  double distinct{};    // names
  double short_ones{};  // a step, that run less than kShortKernel
  Seconds median{};
};
inline constexpr Seconds kShortKernel{10e-6};

struct CopyFacts {
  Seconds time{};    // a step, of each copy, summed
  Seconds merged{};  // a step, of the device that copies longest: two at once count once
  Bytes bytes{};     // 0: not told
  double count{};
};

struct MemoryFacts {
  Bytes peak{};
  bool of_process = false;   // all that the process holds, for allocations were not recorded
  bool since_start = false;  // what was in use before the recording began is not in it
  std::string device{};      // where several were recorded: that of the highest peak
  std::string phase{};       // "forward", "backward", "optimizer"
  std::string module{};
  std::string op{};  // that allocated at the peak
  Bytes capacity{};  // of the device; 0: not known
  Bytes reserved{};  // held by the allocator at the peak; 0: not known
  // What lives at the peak; zero where it was not told apart.
  Bytes parameters{};
  Bytes gradients{};
  Bytes activations{};
  Bytes optimizer_state{};
  Bytes temporaries{};
  Bytes inputs{};
  Bytes buffers{};
  Bytes other{};
  Bytes before_forward{};
  Bytes after_forward{};
  double allocations{};        // a step
  double small_allocations{};  // a step, below kSmallAllocation
};
inline constexpr Bytes kSmallAllocation{1 << 20};

// Of the host for the device.
struct WaitFacts {
  Seconds held{};  // a step, with launches still to come: they were kept back
  double held_count{};
  std::string op{};  // that took most of `held`; may be empty
};

// Why the busiest device did nothing, as far as the launches tell; the rest of its idle time nobody
// had asked for anything.
struct IdleFacts {
  Seconds queued{};   // a step: the next work had been asked for already
  Seconds in_wait{};  // a step: it had not, and the host waited for a device
};

// Between devices and between processes.
struct CommunicationFacts {
  Seconds time{};   // a step
  Seconds alone{};  // of it while nothing was computed
  double count{};   // kernels or calls a step
};

// Where more than one device worked: utilisation and communication are of the busiest, ops, kernels
// and copies of all of them.
struct OtherDevices {
  double devices{};     // with the busiest
  double least_busy{};  // part of the step, 0 to 1
};

struct DataFacts {
  Seconds wait{};     // a step, for its batch
  Seconds compute{};  // a step, the rest
  Seconds covered{};  // of the wait, while the device worked all the same
};

// Of what the recorded steps took, 0 to 1; and of that what left the device idle.
[[nodiscard]] double wait_share(const DataFacts& data);
[[nodiscard]] double idle_wait_share(const DataFacts& data);

struct ProfilingCost {
  double time_ratio = 1;  // step with the profiler over step without
  // The ratio's interval; absent with too few steps for one.
  std::optional<double> low{};
  std::optional<double> high{};
  Bytes memory{};  // of its records
};

// What the GPU's driver (NVML) says of steps without the profiler.
struct DriverFacts {
  std::optional<double> utilisation{};  // of its sampling periods, with any kernel; 0 to 1
  std::string why_absent{};             // without `utilisation`
  std::optional<double> sm_clock_mhz{};
  std::optional<double> power_w{};
  std::vector<std::string> throttle_reasons{};
};

// What is known of the profiled steps, whatever tool recorded them; times are of one step. Absent:
// not recorded. The rules of findings.h read nothing else.
struct ProfileFacts {
  bool on_gpu = false;
  bool marks_steps = true;  // false: the whole recording stands for one step, start-up included
  double steps = 0;
  Seconds step{};      // wall time, without the profiler where that was measured
  Seconds recorded{};  // wall time, mean of the recorded steps: what the ops' times are a part of
  std::vector<OpFact> ops{};              // a name once for each kind that it had
  bool leaves_threads_out = false;        // ops beside the step, on other threads, are not in them
  std::optional<ModuleShares> modules{};  // where ops ran in modules
  std::vector<std::string> missing{};  // why the recording is a part; what needs the rest is absent
  double unseen_launches{};  // a step, of work that was not recorded: then there are no ops
  std::optional<KernelFacts> kernels{};
  std::optional<double> busy{};  // part of the step in which the device worked, 0 to 1
  std::optional<OtherDevices> other_devices{};
  std::optional<DriverFacts> driver{};
  std::optional<CopyFacts> to_device{};
  std::optional<CopyFacts> on_device{};
  std::optional<CommunicationFacts> communication{};
  std::optional<MemoryFacts> memory{};
  std::optional<WaitFacts> waits{};
  std::optional<IdleFacts> idle{};  // absent where launches are not known
  std::optional<DataFacts> data{};
  std::optional<ProfilingCost> cost{};
  std::optional<Flop> work{};                // of a step, by shapes, that MFU is of
  std::optional<Flop> executed{};            // with what is computed twice and the optimizer's
  std::optional<Bytes> traffic{};            // of a step, at least
  std::optional<FlopPerSecond> peak{};       // measured, of the precision in use
  std::optional<FlopPerSecond> half_peak{};  // measured, of bf16, where the run is in fp32
  std::optional<BytesPerSecond> bandwidth{};
  std::vector<std::string> absent_peaks{};  // why a peak that was looked for is none
  bool runs_backward = false;               // one was recorded: activations are kept for it
  bool replays_graph = false;               // most of the device's work is of CUDA graphs
  // What another run of it could be asked for with our own flags; nothing of foreign recordings.
  bool offers_graph = false;          // --mode graph
  bool offers_channels_last = false;  // --memory-format channels-last
  bool full_precision = false;        // fp32, without tf32
  bool fused_attention = false;
  std::optional<double> samples_per_s{};
};

// Parts of the step, 0 to 1, in which the device was idle: waiting for work that it had been given
// already (a stream, an event, its own pace), and because nobody had given it any, the host's waits
// for data and for a device apart. Where launches are not known all of it counts as the latter.
[[nodiscard]] double queued_idle_share(const ProfileFacts& facts);
[[nodiscard]] double launch_idle_share(const ProfileFacts& facts);

// "the step", or "the trace" where no steps are known; "a step", or "in all".
[[nodiscard]] std::string_view the_step(const ProfileFacts& facts);
[[nodiscard]] std::string_view a_step(const ProfileFacts& facts);

// Time in all ops, and in those of a kind.
[[nodiscard]] Seconds op_time(const ProfileFacts& facts);
[[nodiscard]] Seconds op_time(const ProfileFacts& facts, OpKind kind);
// Of the time in all ops, 0 to 1; 0 without ops.
[[nodiscard]] double share_of(const ProfileFacts& facts, OpKind kind);

}  // namespace ridgeline
