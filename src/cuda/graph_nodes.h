#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace ridgeline {

// Which captured frame made a node of a graph. An executable graph has clones of the nodes, and
// those are what the device reports.
class GraphNodes {
 public:
  void made(std::uint64_t node, std::uint32_t frame) {
    const std::lock_guard lock(mutex_);
    frames_[node] = frame;
  }
  void cloned(std::uint64_t original, std::uint64_t node) {
    const std::lock_guard lock(mutex_);
    const auto found = frames_.find(original);
    if (found == frames_.end()) return;
    const std::uint32_t frame = found->second;
    frames_[node] = frame;
  }
  [[nodiscard]] bool empty() const {
    const std::lock_guard lock(mutex_);
    return frames_.empty();
  }
  // 0 when it is not known.
  [[nodiscard]] std::uint32_t frame_of(std::uint64_t node) const {
    const std::lock_guard lock(mutex_);
    const auto found = frames_.find(node);
    return found == frames_.end() ? 0 : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::uint32_t> frames_;
};

}  // namespace ridgeline
