#pragma once

#include <string>

#include "profile/records.h"

namespace ridgeline::testing {

// A recording of memory alone, written down by hand: every call is a nanosecond later.
class MadeMemory {
 public:
  MadeMemory() { recording_.names = {"", "aten::empty", "layers.0"}; }

  MadeMemory& step() {
    end_step();
    recording_.steps.push_back(
        {.number = static_cast<std::int64_t>(recording_.steps.size()) + 2, .start = ++now_});
    return *this;
  }
  MadeMemory& phase(StepPhase phase) {
    phase_ = phase;
    return *this;
  }
  MadeMemory& name(std::uint64_t address, std::int64_t bytes, MemoryKind kind) {
    recording_.blocks.push_back(
        {.time = ++now_,
         .block = {.address = address, .bytes = bytes, .kind = kind, .on_device = on_device_}});
    return *this;
  }
  MadeMemory& allocate(std::uint64_t address, std::int64_t bytes) { return change(address, bytes); }
  MadeMemory& release(std::uint64_t address, std::int64_t bytes) { return change(address, -bytes); }
  // From here on of a device whose allocator has so much in use.
  MadeMemory& on_device(std::int64_t allocated) {
    on_device_ = true;
    allocated_ = allocated;
    return *this;
  }
  MadeMemory& on_thread(std::uint16_t thread) {
    thread_ = thread;
    return *this;
  }
  [[nodiscard]] Recording finish() {
    end_step();
    return recording_;
  }
  [[nodiscard]] Nanoseconds now() const { return now_; }

 private:
  MadeMemory& change(std::uint64_t address, std::int64_t bytes) {
    allocated_ += bytes;
    recording_.memory.push_back({.time = ++now_,
                                 .address = address,
                                 .bytes = bytes,
                                 .allocated = allocated_,
                                 .module = 2,
                                 .op = 1,
                                 .thread = thread_,
                                 .on_device = on_device_,
                                 .phase = thread_ == 0 ? phase_ : StepPhase::None});
    return *this;
  }
  void end_step() {
    if (!recording_.steps.empty() && recording_.steps.back().end == 0)
      recording_.steps.back().end = ++now_;
  }

  Recording recording_;
  Nanoseconds now_ = 1000;
  std::int64_t allocated_ = 0;
  std::uint16_t thread_ = 0;
  bool on_device_ = false;
  StepPhase phase_ = StepPhase::None;
};

}  // namespace ridgeline::testing
