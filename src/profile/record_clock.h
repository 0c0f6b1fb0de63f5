#pragma once

#include <cstdint>

#include "profile/records.h"

namespace ridgeline {

// A moment by the processor's counter and by steady_clock.
struct TickReading {
  std::uint64_t ticks{};
  Nanoseconds time{};
};

// How ticks become times of steady_clock, from two moments well apart.
class TickScale {
 public:
  TickScale(const TickReading& one, const TickReading& later);
  // False where the two make no rate that a processor has.
  [[nodiscard]] bool usable() const noexcept { return scale_ != 0; }
  [[nodiscard]] Nanoseconds time_of(std::uint64_t ticks) const noexcept {
    // Signed, for a core may be a few ticks behind the one that read the first moment.
    const auto since = static_cast<std::int64_t>(ticks - start_.ticks);
    return start_.time + static_cast<Nanoseconds>((static_cast<Wide>(since) * scale_) >> 32);
  }

 private:
  __extension__ using Wide = __int128;
  TickReading start_;
  std::int64_t scale_ = 0;  // nanoseconds a tick, times 2^32
};

// The time that records carry: steady_clock's, from the processor's own counter where the kernel
// itself trusts that, at less than half the price: two looks at steady_clock were most of what it
// cost to watch an op. The rate is measured once and may be some millionths off, so what is to be
// set beside records asks this clock too.
[[nodiscard]] Nanoseconds record_time() noexcept;

// Measures the rate, which takes 20 ms; called again it does nothing. Until then, and where the
// counter is not to be trusted, record_time() is steady_clock.
void calibrate_record_clock();

}  // namespace ridgeline
