#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <cupti.h>

#include "profile/records.h"

namespace ridgeline {

// The device's work as CUPTI reports it: buffers that it fills on its own time, and what was read
// out of them. A record's name is still CUPTI's pointer, mangled.
class ActivityLog {
 public:
  explicit ActivityLog(std::size_t most_records) : most_(most_records) {}

  struct Entry {
    DeviceRecord record{};
    const char* kernel = nullptr;
  };

  // CUPTI asks for an empty buffer, and hands it back with `bytes` in it.
  [[nodiscard]] std::uint8_t* lend_buffer() noexcept;
  void take_back(std::uint8_t* buffer, std::size_t bytes) noexcept;
  static constexpr std::size_t kBufferBytes = std::size_t{4} << 20;

  void reset();
  [[nodiscard]] std::vector<Entry> take();
  [[nodiscard]] std::uint64_t beyond_limit() const { return beyond_limit_; }

 private:
  void read(const CUpti_Activity& activity);
  void add(Entry entry);

  std::size_t most_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<std::uint8_t[]>> free_;
  std::vector<Entry> entries_;
  std::uint64_t beyond_limit_ = 0;
};

}  // namespace ridgeline
