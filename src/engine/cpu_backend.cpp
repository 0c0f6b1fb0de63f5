#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

#include <malloc.h>

#include "core/environment.h"
#include "core/error.h"
#include "core/memory.h"
#include "engine/backend.h"

// Of tcmalloc, where the program was linked with it.
extern "C" [[gnu::weak]] void MallocExtension_ReleaseFreeMemory();

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

class HostUploader final : public Uploader {
 public:
  void copy(at::Tensor& to, const void* from, std::size_t) override {
    std::memcpy(to.mutable_data_ptr(), from, to.nbytes());
  }
  void consumed(std::size_t) override {}
};

class HostScope final : public DeviceScope {};

class CpuBackend final : public Backend {
 public:
  CpuBackend() {
    // Where glibc's allocator is the program's: by default it takes large blocks with mmap and
    // gives them back on every free, so each step would fault its activations in again.
    // release_cached_memory() returns what is held.
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
  void release_cached_memory() override {
    malloc_trim(0);
    if (MallocExtension_ReleaseFreeMemory != nullptr) MallocExtension_ReleaseFreeMemory();
  }

  [[nodiscard]] std::optional<std::string> capture_obstacle() const override {
    return "graph mode needs CUDA graphs; a CPU has none";
  }
  [[nodiscard]] std::unique_ptr<CapturedWork> capture(const std::function<void()>&) override {
    throw Error(Fault::Device, *capture_obstacle());
  }
  [[nodiscard]] Ops fused(const Ops& plain) const override { return plain; }
  void set_tf32(bool) override {}

  [[nodiscard]] std::shared_ptr<std::byte> allocate_pinned(std::size_t bytes) override {
    constexpr std::size_t kCacheLine = 64;
    const std::size_t whole = (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
    auto* const memory = static_cast<std::byte*>(std::aligned_alloc(kCacheLine, whole));
    if (memory == nullptr) throw Error(Fault::Memory, "the host has no memory left");
    return {memory, std::free};
  }
  [[nodiscard]] std::unique_ptr<Uploader> make_uploader(std::size_t) override {
    return std::make_unique<HostUploader>();
  }
  [[nodiscard]] std::optional<std::string> augment_obstacle(const AugmentJob&) const override {
    return "a CPU makes its batches in the loader";
  }
  void augment(const AugmentJob& job) override {
    throw Error(Fault::Device, *augment_obstacle(job));
  }
  void push_range(const char*) override {}
  void pop_range() override {}
  void start_profiler() override {}
  void stop_profiler() override {}
  [[nodiscard]] std::optional<std::string> memory_history_obstacle() const override {
    return "LibTorch keeps a history of its CUDA allocator alone, and this runs on a CPU";
  }
  void record_memory_history(bool) override {
    throw Error(Fault::Device, *memory_history_obstacle());
  }
  [[nodiscard]] std::string memory_snapshot() override {
    throw Error(Fault::Device, *memory_history_obstacle());
  }
};

}  // namespace

Backend& cpu_backend() {
  static CpuBackend backend;
  return backend;
}

}  // namespace ridgeline

extern "C" ridgeline::Backend* ridgeline_cpu_backend() { return &ridgeline::cpu_backend(); }
