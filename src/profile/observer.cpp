#include "profile/observer.h"

#include <chrono>

namespace ridgeline {

Nanoseconds steady_nanoseconds() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace ridgeline
