#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "models/spec.h"

namespace ridgeline {

// The model that a case of tools/make_golden.py or tests/peers/models describes.
inline ModelSpec spec_of(const nlohmann::json& golden) {
  const std::string family = golden["family"];
  if (family == "cs336" || family == "llama") {
    const bool llama = family == "llama";
    return TransformerSpec{
        .label = family,
        .vocab_size = golden["vocab_size"],
        .d_model = golden["d_model"],
        .d_ff = golden["d_ff"],
        .num_layers = golden["num_layers"],
        .num_heads = golden["num_heads"],
        .num_kv_heads = golden["num_kv_heads"],
        .context_length = golden["context_length"],
        .batch_size = golden["batch_size"],
        .tied = llama,
        .eps = llama ? 1e-6 : 1e-5,
        .naming = llama ? TransformerSpec::Naming::Llama : TransformerSpec::Naming::Cs336};
  }
  const bool cifar = family == "cifar";
  return ResNetSpec{
      .label = family,
      .family = cifar ? ResNetSpec::Family::CifarOptionA : ResNetSpec::Family::Torchvision,
      .depth = golden["depth"],
      .stem = cifar ? ResNetSpec::Stem::Cifar : ResNetSpec::Stem::ImageNet,
      .num_classes = golden["num_classes"],
      .image_size = golden["image_size"],
      .batch_size = golden["batch_size"]};
}

}  // namespace ridgeline
