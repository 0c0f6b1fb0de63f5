#pragma once

#include <string_view>
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

// The settings with the threads that LibTorch takes where they ask for none.
[[nodiscard]] RunSettings with_real_threads(const Engine& engine, RunSettings settings);

// Whether this CPU's product of that name ("bf16") is made of other arithmetic: it may be slower
// than anything the CPU does itself.
[[nodiscard]] bool is_emulated(std::string_view product);

}  // namespace ridgeline
