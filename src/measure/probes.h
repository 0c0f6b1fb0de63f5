#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/settings.h"
#include "roofline/peak_probe.h"
#include "roofline/peak_rounds.h"

namespace ridgeline {

// Every ceiling that can be measured on the settings' device. `emulated`: also matrix products in
// formats that the CPU has no arithmetic for, which say something about a row that uses them and
// nothing about the machine.
struct ProbeOptions {
  bool emulated = false;
};
[[nodiscard]] std::vector<PeakProbe> device_probes(const Engine& engine,
                                                   const RunSettings& settings,
                                                   const ProbeOptions& options);

// How long and how often such a device is sampled.
[[nodiscard]] PeakRoundsPlan rounds_for(DeviceKind kind);

// The threads that a CPU's probes of `settings` are asked for: theirs, or all cores.
[[nodiscard]] int probe_threads(const RunSettings& settings);

}  // namespace ridgeline
