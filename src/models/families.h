#pragma once

#include <cstdint>
#include <memory>

#include "engine/model.h"
#include "models/spec.h"

namespace ridgeline {

// One maker a family; make_model picks.
[[nodiscard]] std::unique_ptr<Model> make_transformer(const TransformerSpec& spec,
                                                      const ModelContext& context,
                                                      std::uint64_t seed);
[[nodiscard]] std::unique_ptr<Model> make_resnet(const ResNetSpec& spec,
                                                 const ModelContext& context, std::uint64_t seed);
[[nodiscard]] std::unique_ptr<Model> make_attention(const AttentionSpec& spec,
                                                    const ModelContext& context,
                                                    std::uint64_t seed);

}  // namespace ridgeline
