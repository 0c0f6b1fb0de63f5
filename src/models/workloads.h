#pragma once

#include "engine/backend.h"
#include "engine/workload.h"
#include "models/spec.h"

namespace ridgeline {

// The engine library's entry point for whatever can be stepped: builds the model `spec` describes
// and makes it ready on the device. Owned by the caller.
using MakeWorkload = Workload* (*)(const ModelSpec& spec, const RunSettings& settings,
                                   Backend& backend);
inline constexpr const char* kMakeWorkloadSymbol = "ridgeline_make_workload";

}  // namespace ridgeline
