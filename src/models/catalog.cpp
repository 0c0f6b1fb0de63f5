#include "models/catalog.h"

#include <algorithm>
#include <array>

namespace ridgeline {
namespace {

constexpr std::string_view kDefaultSize = "small";

struct Size {
  std::string_view name;
  long d_model;
  long d_ff;
  long num_layers;
  long num_heads;
};

// The five sizes of the CS336 transformer benchmark.
constexpr std::array kSizes{
    Size{.name = "small", .d_model = 768, .d_ff = 3072, .num_layers = 12, .num_heads = 12},
    Size{.name = "medium", .d_model = 1024, .d_ff = 4096, .num_layers = 24, .num_heads = 16},
    Size{.name = "large", .d_model = 1280, .d_ff = 5120, .num_layers = 36, .num_heads = 20},
    Size{.name = "xl", .d_model = 1600, .d_ff = 6400, .num_layers = 48, .num_heads = 25},
    Size{.name = "2.7B", .d_model = 2560, .d_ff = 10240, .num_layers = 32, .num_heads = 32},
};

struct ResNetEntry {
  std::string_view name;
  ResNetSpec::Family family;
  int depth;
};

constexpr std::array kResNets{
    ResNetEntry{"resnet18", ResNetSpec::Family::Torchvision, 18},
    ResNetEntry{"resnet34", ResNetSpec::Family::Torchvision, 34},
    ResNetEntry{"resnet50", ResNetSpec::Family::Torchvision, 50},
    ResNetEntry{"resnet20", ResNetSpec::Family::CifarOptionA, 20},
    ResNetEntry{"resnet32", ResNetSpec::Family::CifarOptionA, 32},
    ResNetEntry{"resnet44", ResNetSpec::Family::CifarOptionA, 44},
    ResNetEntry{"resnet56", ResNetSpec::Family::CifarOptionA, 56},
};

TransformerSpec tiny_llama() {
  return {.label = "tiny-llama",
          .vocab_size = 1000,
          .d_model = 512,
          .d_ff = 2048,
          .num_layers = 8,
          .num_heads = 8,
          .num_kv_heads = 4,
          .context_length = 256,
          .batch_size = 8,
          .tied = true,
          .eps = 1e-6,
          .naming = TransformerSpec::Naming::Llama};
}

ResNetSpec resnet(const ResNetEntry& entry) {
  ResNetSpec spec{.label = std::string(entry.name), .family = entry.family, .depth = entry.depth};
  if (entry.family == ResNetSpec::Family::CifarOptionA) {
    spec.stem = ResNetSpec::Stem::Cifar;
    spec.num_classes = 10;
    spec.image_size = 32;
  }
  return spec;
}

}  // namespace

std::vector<std::string_view> model_names() {
  std::vector<std::string_view> names{"transformer", "tiny-llama"};
  for (const ResNetEntry& entry : kResNets) names.push_back(entry.name);
  names.push_back("attention");
  return names;
}

std::vector<std::string_view> size_names() {
  std::vector<std::string_view> names;
  for (const Size& size : kSizes) names.push_back(size.name);
  return names;
}

std::optional<TransformerSpec> find_size(std::string_view name) {
  const auto* size = std::ranges::find(kSizes, name, &Size::name);
  if (size == kSizes.end()) return std::nullopt;
  return TransformerSpec{.label = std::string(size->name),
                         .d_model = size->d_model,
                         .d_ff = size->d_ff,
                         .num_layers = size->num_layers,
                         .num_heads = size->num_heads,
                         .num_kv_heads = size->num_heads};
}

std::optional<ModelSpec> find_model(std::string_view name) {
  if (name == "transformer") return find_size(kDefaultSize);
  if (name == "tiny-llama") return tiny_llama();
  if (name == "attention") return AttentionSpec{};
  const auto* entry = std::ranges::find(kResNets, name, &ResNetEntry::name);
  if (entry == kResNets.end()) return std::nullopt;
  return resnet(*entry);
}

}  // namespace ridgeline
