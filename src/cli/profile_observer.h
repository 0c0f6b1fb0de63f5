#pragma once

#include <memory>
#include <string>

#include "engine/engine.h"
#include "profile/device_observer.h"
#include "profile/trace_writer.h"

namespace ridgeline {

// What watches a workload on a device: the host's ops, and the GPU's kernels where
// there is one. Where the GPU cannot be watched (no CUPTI, another profiler) a line on standard
// error says why and the host's side goes on.
[[nodiscard]] std::unique_ptr<OpObserver> make_observer(const Engine& engine, const Device& device,
                                                        const ObserverOptions& options,
                                                        GraphDetail graphs);

// What a trace says of the device.
[[nodiscard]] std::vector<TraceDevice> trace_devices(const Engine& engine, const Device& device);

// "node", "whole".
[[nodiscard]] GraphDetail parse_graph_detail(const std::string& word);

}  // namespace ridgeline
