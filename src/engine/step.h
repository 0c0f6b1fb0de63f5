#pragma once

#include <functional>
#include <memory>

#include "engine/model.h"
#include "engine/workload.h"

namespace ridgeline {

// A model made ready to step on a device: moved, cast, with its batch, optimizer and, in graph
// mode, its captured graph. Throws Error(Memory) when the device has no room for it. `make` builds
// the model once the device is current, so that running out of memory there counts too.
[[nodiscard]] std::unique_ptr<Workload> make_step(
    const std::function<std::unique_ptr<Model>()>& make, const RunSettings& settings,
    Backend& backend);

// Process-wide choices of LibTorch that `settings` asks for: threads, determinism, autotuning,
// TF32.
void apply_process_settings(const RunSettings& settings, Backend& backend);

}  // namespace ridgeline
