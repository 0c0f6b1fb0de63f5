#pragma once

#include <cstdint>
#include <memory>

#include "engine/model.h"
#include "models/spec.h"

namespace ridgeline {

// Validates the spec and builds its model in fp32, with weights drawn from the seed. A
// FileSpec reads its file; throws Error(BadInput or Io) with one line that says what is wrong.
[[nodiscard]] std::unique_ptr<Model> make_model(const ModelSpec& spec, const ModelContext& context,
                                                std::uint64_t seed);

}  // namespace ridgeline
