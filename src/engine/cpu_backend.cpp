#include <chrono>

#include <malloc.h>

#include "core/environment.h"
#include "core/error.h"
#include "core/memory.h"
#include "engine/backend.h"

namespace ridgeline {
namespace {

class HostClock final : public StepClock {
 public:
  explicit HostClock(std::size_t points) : marks_(points) {}
  void mark(std::size_t point) override { marks_[point] = Clock::now(); }
  void wait(std::size_t) override {}
  [[nodiscard]] Seconds between(std::size_t from, std::size_t to) const override {
    return marks_[to] - marks_[from];
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::vector<Clock::time_point> marks_;
};

class HostScope final : public DeviceScope {};

class CpuBackend final : public Backend {
 public:
  CpuBackend() {
    // By default glibc takes large blocks with mmap and gives them back on every free, so each step
    // would fault its activations in again. release_cached_memory() returns what is held.
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
  }

  [[nodiscard]] int device_count() const override { return 1; }

  [[nodiscard]] DeviceFacts facts(int) const override {
    const HostMemory memory = read_host_memory();
    return {.name = read_cpu_facts().model,
            .total_memory = memory.total,
            .free_memory = memory.available};
  }

  [[nodiscard]] std::unique_ptr<DeviceScope> enter(int) override {
    return std::make_unique<HostScope>();
  }
  [[nodiscard]] std::unique_ptr<StepClock> make_clock(std::size_t points) override {
    return std::make_unique<HostClock>(points);
  }
  void synchronize() override {}

  [[nodiscard]] MemoryUse memory() const override {
    const HostMemory memory = read_host_memory();
    return {.current = memory.resident, .peak = memory.peak_resident, .reserved = memory.resident};
  }
  void reset_peak_memory() override { (void)reset_peak_resident(); }
  void release_cached_memory() override { malloc_trim(0); }

  [[nodiscard]] std::optional<std::string> capture_obstacle() const override {
    return "graph mode needs CUDA graphs; a CPU has none";
  }
  [[nodiscard]] std::unique_ptr<CapturedWork> capture(const std::function<void()>&) override {
    throw Error(Fault::Device, *capture_obstacle());
  }
  [[nodiscard]] Ops fused(const Ops& plain) const override { return plain; }
  void set_tf32(bool) override {}
};

}  // namespace

Backend& cpu_backend() {
  static CpuBackend backend;
  return backend;
}

}  // namespace ridgeline

extern "C" ridgeline::Backend* ridgeline_cpu_backend() { return &ridgeline::cpu_backend(); }
