#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace ridgeline {

enum class CallKind : std::uint8_t { Launch, Wait };

// What the beginning of a call hands to its end through CUPTI's correlation data: where it was
// written down, and in which round. A call that began in an earlier round, or was never seen to
// begin (its number is then whatever CUPTI left there), ends without a trace.
class CallTickets {
 public:
  struct Call {
    CallKind kind;
    std::uint32_t place;
  };

  void renew() noexcept { round_.fetch_add(1, std::memory_order_relaxed); }
  // Never 0.
  [[nodiscard]] std::uint32_t round() const noexcept {
    return (round_.load(std::memory_order_relaxed) << 1U) | 1U;
  }

  [[nodiscard]] std::uint64_t ticket(CallKind kind,
                                     std::optional<std::uint32_t> place) const noexcept {
    if (!place || *place > kGreatestPlace) return 0;
    const std::uint32_t low = (*place << 1U) | (kind == CallKind::Wait ? 1U : 0U);
    return (std::uint64_t{round()} << 32U) | low;
  }
  [[nodiscard]] std::optional<Call> call_of(std::uint64_t ticket) const noexcept {
    if (ticket >> 32U != round()) return std::nullopt;
    const auto low = static_cast<std::uint32_t>(ticket);
    return Call{.kind = (low & 1U) != 0 ? CallKind::Wait : CallKind::Launch, .place = low >> 1U};
  }

 private:
  static constexpr std::uint32_t kGreatestPlace = 0x7fffffff;
  std::atomic<std::uint32_t> round_{0};
};

}  // namespace ridgeline
