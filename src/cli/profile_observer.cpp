#include "cli/profile_observer.h"

#include <cstdio>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "profile/recorder.h"

namespace ridgeline {
namespace {

void say_why_not(const Error& reason) {
  fmt::print(stderr, "ridgeline: no kernels in this profile, only the host's side: {}\n",
             reason.what());
}

}  // namespace

std::unique_ptr<OpObserver> make_observer(const Engine& engine, const Device& device,
                                          const ObserverOptions& options, GraphDetail graphs) {
  std::unique_ptr<OpObserver> host(engine.symbol<MakeOpObserver>(kMakeOpObserverSymbol)(options));
  if (device.kind != DeviceKind::Cuda) return host;
  try {
    std::unique_ptr<DeviceObserver> kernels(engine.cuda_symbol<MakeDeviceObserver>(
        graphs == GraphDetail::Whole ? kMakeReplayObserverSymbol : kMakeDeviceObserverSymbol)(
        {.hooks = host->hooks(),
         .most_records = limits_for(options.trace_bytes, options.memory).ops}));
    return watch_both(std::move(host), std::move(kernels), say_why_not);
  } catch (const Error& error) {
    say_why_not(error);
    return host;
  }
}

std::vector<TraceDevice> trace_devices(const Engine& engine, const Device& device) {
  if (device.kind != DeviceKind::Cuda) return {};
  const DeviceFacts facts = engine.backend(device).facts(device.index);
  return {{.id = static_cast<std::uint32_t>(device.index),
           .name = facts.name,
           .total_memory = facts.total_memory.count,
           .compute_major = facts.compute_major,
           .compute_minor = facts.compute_minor,
           .multiprocessors = facts.multiprocessors}};
}

GraphDetail parse_graph_detail(const std::string& word) {
  if (word == "node") return GraphDetail::Nodes;
  if (word == "whole") return GraphDetail::Whole;
  throw bad_input(unknown_word("--graph-detail", word, {"node", "whole"}));
}

}  // namespace ridgeline
