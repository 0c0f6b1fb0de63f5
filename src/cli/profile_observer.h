#pragma once

#include <memory>
#include <string>

#include "engine/engine.h"
#include "engine/settings.h"
#include "profile/device_observer.h"
#include "profile/trace_writer.h"

namespace ridgeline {

// What is recorded of a captured graph when it is replayed.
enum class GraphDetail { Nodes, Whole };

// What watches a workload on a device: the host's ops, and the GPU's kernels where
// there is one. Where the GPU cannot be watched (no CUPTI, another profiler) a line on standard
// error says why and the host's side goes on.
[[nodiscard]] std::unique_ptr<OpObserver> make_observer(const Engine& engine, const Device& device,
                                                        const ObserverOptions& options,
                                                        GraphDetail graphs);

// A graph's ops run once, while it is captured: whoever is to name its nodes must watch that.
class WatchedCapture {
 public:
  WatchedCapture(OpObserver& observer, Mode mode)
      : observer_(mode == Mode::Graph ? &observer : nullptr) {
    if (observer_ != nullptr) observer_->resume(Keep::Everything);
  }
  ~WatchedCapture() {
    if (observer_ == nullptr) return;
    observer_->pause();
    observer_->reset();
  }
  WatchedCapture(const WatchedCapture&) = delete;
  WatchedCapture& operator=(const WatchedCapture&) = delete;

 private:
  OpObserver* observer_;
};

// What a trace says of the device.
[[nodiscard]] std::vector<TraceDevice> trace_devices(const Engine& engine, const Device& device);

// "node", "whole".
[[nodiscard]] GraphDetail parse_graph_detail(const std::string& word);

}  // namespace ridgeline
