#pragma once

#include <cstdint>
#include <vector>

#include "profile/records.h"

namespace ridgeline {

// Totals by name, shape, module, kind and phase, of one thread. Of a fixed size: descriptions that
// find no place are added to the first entry, so that the sum stays whole.
class TotalTable {
 public:
  static constexpr std::size_t kDefaultCapacity = std::size_t{1} << 13;
  explicit TotalTable(std::size_t capacity = kDefaultCapacity);

  // The place of such an entry, made where there is none.
  [[nodiscard]] std::uint32_t place_of(const OpTotal& like) noexcept;
  [[nodiscard]] OpTotal& at(std::uint32_t place) noexcept { return totals_[place]; }
  void reset() noexcept;
  // Those that were called.
  [[nodiscard]] const std::vector<OpTotal>& all() const { return totals_; }

 private:
  std::size_t capacity_;
  std::vector<std::uint32_t> slots_;  // a place + 1, or 0
  std::vector<OpTotal> totals_;
};

}  // namespace ridgeline
