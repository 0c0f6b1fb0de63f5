#pragma once

#include <mutex>
#include <vector>

#include "profile/records.h"

namespace ridgeline {

// Keeps what blocks were said to be for. A few hundred a step, so a lock each costs nothing.
class BlockRecorder final : public BlockListener {
 public:
  static constexpr std::size_t kDefaultLimit = std::size_t{1} << 20;
  explicit BlockRecorder(std::size_t limit = kDefaultLimit) : limit_(limit) {}

  void name_block(const MemoryBlock& block) noexcept override;
  void reset();
  // Adds to the recording, also what found no place.
  void collect(Recording& into) const;

 private:
  mutable std::mutex mutex_;
  std::size_t limit_;
  void lose() noexcept;

  std::vector<NamedBlock> blocks_;
  std::uint64_t beyond_ = 0;
  Nanoseconds beyond_from_ = 0;
};

}  // namespace ridgeline
