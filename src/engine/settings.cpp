#include "engine/settings.h"

#include <array>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"

namespace ridgeline {
namespace {

template <class Enum>
struct Word {
  Enum value;
  std::string_view word;
};

constexpr std::array kDeviceKinds{Word{DeviceKind::Cpu, "cpu"}, Word{DeviceKind::Cuda, "cuda"}};
constexpr std::array kPrecisions{Word{Precision::Fp32, "fp32"}, Word{Precision::Tf32, "tf32"},
                                 Word{Precision::Bf16, "bf16"}, Word{Precision::Fp16, "fp16"},
                                 Word{Precision::Bf16Pure, "bf16-pure"}};
constexpr std::array kModes{Word{Mode::Eager, "eager"}, Word{Mode::Graph, "graph"}};
constexpr std::array kKernels{Word{Kernels::Plain, "plain"}, Word{Kernels::Fused, "fused"}};
constexpr std::array kOptimizers{Word{OptimizerKind::Sgd, "sgd"}, Word{OptimizerKind::Adam, "adam"},
                                 Word{OptimizerKind::AdamW, "adamw"},
                                 Word{OptimizerKind::Muon, "muon"}};
constexpr std::array kExtents{Word{Extent::Inference, "inference"},
                              Word{Extent::Forward, "forward"}, Word{Extent::Backward, "backward"},
                              Word{Extent::Step, "step"}};

template <class Enum, std::size_t N>
std::string_view word_of(const std::array<Word<Enum>, N>& table, Enum value) {
  for (const auto& entry : table) {
    if (entry.value == value) return entry.word;
  }
  RIDGELINE_CHECK(!"every enumerator has a word");
  return {};
}

template <class Enum, std::size_t N>
Enum value_of(const std::array<Word<Enum>, N>& table, std::string_view what,
              std::string_view word) {
  std::vector<std::string_view> words;
  for (const auto& entry : table) {
    if (entry.word == word) return entry.value;
    words.push_back(entry.word);
  }
  throw bad_input(unknown_word(what, word, words));
}

}  // namespace

std::string_view name_of(DeviceKind kind) { return word_of(kDeviceKinds, kind); }
std::string_view name_of(Precision precision) { return word_of(kPrecisions, precision); }
std::string_view peak_dtype(Precision precision) {
  return precision == Precision::Bf16Pure ? name_of(Precision::Bf16) : name_of(precision);
}
std::string_view name_of(Mode mode) { return word_of(kModes, mode); }
std::string_view name_of(Kernels kernels) { return word_of(kKernels, kernels); }
std::string_view name_of(OptimizerKind kind) { return word_of(kOptimizers, kind); }
std::string_view name_of(Extent extent) { return word_of(kExtents, extent); }

std::string name_of(const Device& device) {
  if (device.kind == DeviceKind::Cpu) return "cpu";
  return fmt::format("{}:{}", name_of(device.kind), device.index);
}

Device parse_device(std::string_view word) {
  const auto colon = word.find(':');
  Device device{.kind = value_of(kDeviceKinds, "device", word.substr(0, colon))};
  if (colon == std::string_view::npos) return device;
  const std::string_view digits = word.substr(colon + 1);
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), device.index);
  if (error != std::errc{} || end != digits.data() + digits.size() || device.index < 0 ||
      device.kind == DeviceKind::Cpu) {
    throw bad_input(fmt::format("bad device '{}'; write cpu, cuda or cuda:0", word));
  }
  return device;
}

Precision parse_precision(std::string_view word) {
  return value_of(kPrecisions, "precision", word);
}
Mode parse_mode(std::string_view word) { return value_of(kModes, "mode", word); }
Kernels parse_kernels(std::string_view word) { return value_of(kKernels, "kernels", word); }
OptimizerKind parse_optimizer(std::string_view word) {
  return value_of(kOptimizers, "optimizer", word);
}
Extent parse_extent(std::string_view word) { return value_of(kExtents, "extent", word); }

}  // namespace ridgeline
