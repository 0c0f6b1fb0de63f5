#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <tuple>
#include <vector>

#include "profile/records.h"

namespace ridgeline {

// The frames under which a graph was captured. The device repeats their work without the host ever
// entering them again, so they outlive every reset of the recording.
class CapturedFrames {
 public:
  // `open` is a thread's stack, outermost first. The number of its innermost frame, from 1; 0 for
  // an empty stack. Frames of one id under one parent, without ids of one start, are the same call.
  std::uint32_t keep(std::span<const OpRecord> open);
  // Ids of frames begin anew.
  void forget_ids();
  // Times are zero, ids are numbers of this list, parents likewise.
  [[nodiscard]] std::vector<OpRecord> all() const;

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, Nanoseconds, NameId>;
  static Key key_of(std::uint32_t parent, const OpRecord& frame);

  mutable std::mutex mutex_;
  std::vector<OpRecord> frames_;
  std::map<Key, std::uint32_t> known_;
};

}  // namespace ridgeline
