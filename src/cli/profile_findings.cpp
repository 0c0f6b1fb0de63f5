#include "cli/profile_findings.h"

#include "measure/peaks.h"

namespace ridgeline {
namespace {

// What the machine does in a step, whether the mathematics asks for it or not.
void add_cost(ProfileFacts& facts, const ModelSpec& model, const RunSettings& settings) {
  facts.work = model_flop(model, settings);
  const auto cost = step_cost(model, settings);
  if (!cost) return;
  facts.executed = cost->forward.flop + cost->backward.flop + cost->optimizer.flop;
  facts.traffic = cost->forward.bytes + cost->backward.bytes + cost->optimizer.bytes;
}

// Peaks that a step may be judged by; why one is none is told with the findings.
void add_peaks(ProfileFacts& facts, const RunSettings& settings, const Engine& engine) {
  const auto taken = [&](auto found) {
    if (!found.rate) facts.absent_peaks.push_back(std::move(found.why_absent));
    return found.rate;
  };
  facts.peak = taken(compute_peak(engine, settings));
  facts.bandwidth = taken(copy_peak(engine, settings));
  if (!facts.full_precision) return;
  RunSettings half = settings;
  half.precision = Precision::Bf16;
  facts.half_peak = taken(compute_peak(engine, half));
}

}  // namespace

std::optional<GpuShape> gpu_shape(const Engine& engine, const Device& device) {
  if (device.kind != DeviceKind::Cuda) return std::nullopt;
  const DeviceFacts facts = engine.backend(device).facts(device.index);
  return GpuShape{.compute_major = facts.compute_major,
                  .compute_minor = facts.compute_minor,
                  .multiprocessors = facts.multiprocessors};
}

ProfileFacts known_facts(const ModelSpec& model, const RunSettings& settings,
                         const Engine& engine) {
  const Device& device = settings.device;
  ProfileFacts facts;
  facts.on_gpu = device.kind == DeviceKind::Cuda;
  facts.replays_graph = settings.mode == Mode::Graph;
  facts.offers_graph = facts.on_gpu && settings.mode != Mode::Graph;
  facts.offers_channels_last = std::holds_alternative<ResNetSpec>(model) && !settings.channels_last;
  facts.full_precision = settings.precision == Precision::Fp32;
  add_cost(facts, model, settings);
  add_peaks(facts, settings, engine);
  facts.memory = MemoryFacts{.capacity = engine.backend(device).facts(device.index).total_memory};
  return facts;
}

}  // namespace ridgeline
