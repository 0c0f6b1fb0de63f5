#pragma once

#include <memory>

namespace ridgeline {

// Hears, while it lives, of what torch's allocators give out and take back on the thread that made
// it and those it starts; records it while it is on.
class AllocationWatch {
 public:
  AllocationWatch();
  ~AllocationWatch();
  AllocationWatch(const AllocationWatch&) = delete;
  AllocationWatch& operator=(const AllocationWatch&) = delete;

  void turn(bool on) noexcept;

 private:
  struct Listening;
  std::unique_ptr<Listening> listening_;
};

}  // namespace ridgeline
