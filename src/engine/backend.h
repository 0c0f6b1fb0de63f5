#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/units.h"
#include "engine/ops.h"
#include "engine/settings.h"

namespace ridgeline {

struct MemoryUse {
  Bytes current;
  Bytes peak;
  Bytes reserved;
};

// Marks points of a step on the device's own time line. On a GPU a mark is an event on the current
// stream, and one made during capture() is part of the graph and re-recorded by every replay.
class StepClock {
 public:
  virtual ~StepClock() = default;
  virtual void mark(std::size_t point) = 0;
  // Waits until `point` was reached on the device.
  virtual void wait(std::size_t point) = 0;
  // Device time from one mark to a later one; valid once the later one was waited for.
  [[nodiscard]] virtual Seconds between(std::size_t from, std::size_t to) const = 0;
};

// Work captured once and launched as a whole.
class CapturedWork {
 public:
  virtual ~CapturedWork() = default;
  virtual void replay() = 0;
};

// Copies batches to the device beside the work queued on the current stream.
class Uploader {
 public:
  virtual ~Uploader() = default;
  // Fills `to` and returns when the host memory may be used again. Waits, on the device, for what
  // reads `slot` already; later work on the current stream waits for the copy.
  virtual void copy(at::Tensor& to, const void* from, std::size_t slot) = 0;
  // All that reads `slot` is queued on the current stream by now.
  virtual void consumed(std::size_t slot) = 0;
};

// A batch to be made from images on the device (data/sample_plan.h). `out` is [batch, size, size,
// 3] in the type the model computes in; value * factor + offset normalises.
struct AugmentJob {
  const at::Tensor& images;  // [count, height, width, 3], bytes
  const at::Tensor& labels;
  const at::Tensor& plans;  // of an epoch, 32-bit words
  const at::Tensor& step;   // a device scalar; its place in the epoch is the remainder
  std::int64_t steps_per_epoch = 1;
  std::int64_t micro_batches = 1;
  std::int64_t micro = 0;
  bool resample = false;
  std::array<float, 3> factor{};
  std::array<float, 3> offset{};
  at::Tensor& out;
  at::Tensor& out_labels;
};

// Makes a device current for the calling thread while it lives (device, side stream).
class DeviceScope {
 public:
  virtual ~DeviceScope() = default;
};

struct DeviceFacts {
  std::string name;
  Bytes total_memory;
  Bytes free_memory;
  int multiprocessors = 0;  // SMs; 0 on a CPU
  int compute_major = 0;
  int compute_minor = 0;
};

// What a kind of device can do. The CPU's lies in the engine, CUDA's in the plugin.
class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual int device_count() const = 0;
  [[nodiscard]] virtual DeviceFacts facts(int index) const = 0;
  [[nodiscard]] virtual std::unique_ptr<DeviceScope> enter(int index) = 0;

  // These act on the entered device.
  [[nodiscard]] virtual std::unique_ptr<StepClock> make_clock(std::size_t points) = 0;
  virtual void synchronize() = 0;
  [[nodiscard]] virtual MemoryUse memory() const = 0;
  virtual void reset_peak_memory() = 0;
  virtual void release_cached_memory() = 0;
  // Why capture is impossible here; absent when it is possible.
  [[nodiscard]] virtual std::optional<std::string> capture_obstacle() const = 0;
  // `body` has run at least once before (lazy initialisation must not happen inside a capture).
  [[nodiscard]] virtual std::unique_ptr<CapturedWork> capture(
      const std::function<void()>& body) = 0;
  // `plain` with every op replaced for which this backend has a fused kernel.
  [[nodiscard]] virtual Ops fused(const Ops& plain) const = 0;
  virtual void set_tf32(bool allowed) = 0;

  // Host memory that the device can copy from by itself; plain memory where there is no such thing.
  [[nodiscard]] virtual std::shared_ptr<std::byte> allocate_pinned(std::size_t bytes) = 0;
  [[nodiscard]] virtual std::unique_ptr<Uploader> make_uploader(std::size_t slots) = 0;
  // Why augment() cannot take such a job; absent when it can.
  [[nodiscard]] virtual std::optional<std::string> augment_obstacle(
      const AugmentJob& job) const = 0;
  virtual void augment(const AugmentJob& job) = 0;
  // Named ranges of the calling thread, for whatever tool listens (NVTX); `name` outlives the
  // range.
  virtual void push_range(const char* name) = 0;
  virtual void pop_range() = 0;
  // What lies between is what a tool told to wait (ncu --profile-from-start off) looks at.
  virtual void start_profiler() = 0;
  virtual void stop_profiler() = 0;
  // LibTorch's own history of allocations. Why there is none; absent when there is.
  [[nodiscard]] virtual std::optional<std::string> memory_history_obstacle() const = 0;
  virtual void record_memory_history(bool on) = 0;
  // As the pickle that PyTorch's memory viewer reads.
  [[nodiscard]] virtual std::string memory_snapshot() = 0;
};

[[nodiscard]] Backend& cpu_backend();

// The plugin's one entry point; the name under which the engine looks it up.
using MakeBackend = Backend* (*)();
inline constexpr const char* kCudaBackendSymbol = "ridgeline_cuda_backend";

}  // namespace ridgeline
