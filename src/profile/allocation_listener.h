#pragma once

#include <c10/core/Allocator.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ridgeline {

// Records what torch's allocators give out and take back, while it is enabled.
class AllocationListener final : public c10::MemoryReportingInfoBase {
 public:
  AllocationListener();
  ~AllocationListener() override;
  AllocationListener(const AllocationListener&) = delete;
  AllocationListener& operator=(const AllocationListener&) = delete;

  void reportMemoryUsage(void* address, std::int64_t bytes, std::size_t allocated,
                         std::size_t reserved, c10::Device device) override;
  [[nodiscard]] bool memoryProfilingEnabled() const override {
    return enabled.load(std::memory_order_relaxed);
  }
  std::atomic<bool> enabled{false};

 private:
  int log_level_;
};

}  // namespace ridgeline
