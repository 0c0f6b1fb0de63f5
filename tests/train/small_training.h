#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "stats/random.h"
#include "train/trainer.h"

extern "C" ridgeline::Trainer* ridgeline_make_trainer(const ridgeline::ModelSpec&,
                                                      const ridgeline::TrainSettings&,
                                                      ridgeline::Backend&);

// Trainings of a moment, for tests of the trainer on a CPU.
namespace ridgeline {

constexpr std::size_t kBatch = 4;
constexpr int kSize = 8;

inline ModelSpec small_resnet(long classes = 3) {
  return ResNetSpec{.label = "resnet20",
                    .family = ResNetSpec::Family::CifarOptionA,
                    .depth = 20,
                    .stem = ResNetSpec::Stem::Cifar,
                    .num_classes = classes,
                    .image_size = kSize,
                    .batch_size = kBatch};
}

inline ModelSpec small_llama() {
  return TransformerSpec{.label = "tiny",
                         .vocab_size = 17,
                         .d_model = 16,
                         .d_ff = 32,
                         .num_layers = 2,
                         .num_heads = 2,
                         .num_kv_heads = 1,
                         .context_length = 6,
                         .batch_size = 4,
                         .tied = true,
                         .naming = TransformerSpec::Naming::Llama};
}

inline TrainSettings settings_of(OptimizerKind kind, double rate, std::size_t steps = 50) {
  TrainSettings settings;
  settings.run.channels_last = true;
  settings.run.threads = 1;
  settings.optimizer = {.kind = kind, .learning_rate = rate, .weight_decay = 1e-3};
  settings.learning_rates.assign(steps, static_cast<float>(rate));
  return settings;
}

inline std::unique_ptr<Trainer> make(const ModelSpec& spec, const TrainSettings& settings) {
  return std::unique_ptr<Trainer>(ridgeline_make_trainer(spec, settings, cpu_backend()));
}

struct Images {
  explicit Images(std::uint64_t seed) {
    Random random(seed);
    for (float& value : pixels) value = static_cast<float>(random.uniform() * 2 - 1);
    for (std::int64_t& label : labels) label = static_cast<std::int64_t>(random.below(3));
  }
  [[nodiscard]] HostBatch batch() const {
    return {.pixels = reinterpret_cast<const std::byte*>(pixels.data()),
            .height = kSize,
            .width = kSize,
            .labels = labels.data(),
            .count = kBatch};
  }
  std::vector<float> pixels = std::vector<float>(kBatch * kSize * kSize * 3);
  std::vector<std::int64_t> labels = std::vector<std::int64_t>(kBatch);
};

struct Rows {
  explicit Rows(std::uint64_t seed, std::size_t count = 4) : tokens(count * 7) {
    Random random(seed);
    for (std::int64_t& token : tokens) token = static_cast<std::int64_t>(random.below(17));
  }
  [[nodiscard]] HostBatch batch(std::size_t first, std::size_t count) const {
    return {.width = 7, .labels = tokens.data() + first * 7, .count = count};
  }
  std::vector<std::int64_t> tokens;
};

inline void take_steps(Trainer& trainer, int steps, std::uint64_t first_seed = 0) {
  for (int i = 0; i < steps; ++i) {
    trainer.upload(Images(first_seed + static_cast<std::uint64_t>(i)).batch(), 0);
    trainer.step();
  }
}

// Of every tensor in a state, one after another.
inline std::string array_bytes(const Value& value) {
  std::string bytes;
  if (const auto* const array = std::get_if<Array>(&value.held))
    bytes.append(reinterpret_cast<const char*>(array->bytes.data()), array->bytes.size());
  if (const auto* const list = std::get_if<List>(&value.held))
    for (const Value& item : *list) bytes += array_bytes(item);
  if (const auto* const dict = std::get_if<Dict>(&value.held))
    for (const auto& [key, item] : *dict) bytes += array_bytes(item);
  return bytes;
}

inline std::string all_bytes(Trainer& trainer) {
  std::string bytes;
  for (const auto& [name, array] : trainer.weights())
    bytes.append(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
  return bytes;
}

}  // namespace ridgeline
