#include "data/synthetic_images.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/error.h"
#include "data/image_array.h"
#include "stats/random.h"

namespace ridgeline {
namespace {

constexpr int kMostClasses = 1000;
constexpr int kLargestSide = 4096;
constexpr std::size_t kMostBytes = std::size_t{8} << 30;
constexpr int kDirections = 5;
constexpr double kTurn = 2 * std::numbers::pi;

// One sine wave in 256 steps: a look-up a pixel keeps fifty thousand images under a second.
using Wave = std::array<float, 256>;
Wave make_wave() {
  Wave wave{};
  for (std::size_t i = 0; i < wave.size(); ++i)
    wave[i] = static_cast<float>(std::sin(kTurn * static_cast<double>(i) / 256));
  return wave;
}

double between(Random& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

// What one image looks like before noise; steps are in 256ths of a wave.
struct Pattern {
  double step_x = 0;
  double step_y = 0;
  double phase = 0;
  double contrast = 0;
  double spot_x = 0;
  double spot_y = 0;
  double spot_radius = 0;
  std::array<double, 3> level{};
  std::array<double, 3> tint{};
};

Pattern draw_pattern(int label, int classes, int size, Random& random) {
  const int widths = (classes + kDirections - 1) / kDirections;
  const double direction = (label % kDirections + between(random, -0.2, 0.2)) / kDirections;
  const double waves = (3 + 4.0 * (label / kDirections) / std::max(widths - 1, 1)) *
                       between(random, 0.9, 1.1);  // across the image
  const double angle = direction * std::numbers::pi;
  Pattern pattern{.step_x = 256 * waves * std::cos(angle) / size,
                  .step_y = 256 * waves * std::sin(angle) / size,
                  .phase = between(random, 0, 256),
                  .contrast = between(random, 8, 28),
                  .spot_x = between(random, 0, size),
                  .spot_y = between(random, 0, size),
                  .spot_radius = between(random, 0.1, 0.3) * size};
  for (std::size_t c = 0; c < 3; ++c) {
    const double hint =
        10 * std::cos(kTurn * (static_cast<double>(label) / classes + static_cast<double>(c) / 3));
    pattern.level[c] = 120 + hint + between(random, -35, 35);
    pattern.tint[c] = between(random, 0.4, 1.0);
  }
  return pattern;
}

void paint(const Pattern& pattern, int size, const Wave& wave, Random& random,
           std::uint8_t* pixels) {
  const double reach = pattern.spot_radius * pattern.spot_radius;
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x, pixels += 3) {
      const double at = pattern.phase + x * pattern.step_x + y * pattern.step_y;
      const auto step = static_cast<std::size_t>(static_cast<std::int64_t>(at) & 255);
      const double stripe = pattern.contrast * static_cast<double>(wave[step]);
      const double dx = x - pattern.spot_x;
      const double dy = y - pattern.spot_y;
      const double spot = dx * dx + dy * dy < reach ? 40 : 0;
      const std::uint64_t noise = random.next();
      for (std::size_t c = 0; c < 3; ++c) {
        const auto grain = static_cast<double>((noise >> (16 * c)) & 0xFFU);
        const double value = pattern.level[c] + pattern.tint[c] * stripe + spot + 0.25 * grain - 32;
        pixels[c] = static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
      }
    }
  }
}

std::unique_ptr<ImageSet> make_part(const SyntheticImageOptions& options, std::size_t count,
                                    std::uint64_t stream, const char* name) {
  const Wave wave = make_wave();
  const std::uint64_t seed = Random(options.seed, stream).next();
  const std::size_t bytes =
      3 * static_cast<std::size_t>(options.size) * static_cast<std::size_t>(options.size);
  ImageArray::Content content;
  content.height = options.size;
  content.width = options.size;
  content.origin = fmt::format("synthetic {}", name);
  content.pixels.resize(count * bytes);
  content.labels.resize(count);
  for (int i = 0; i < options.classes; ++i) content.classes.push_back(fmt::format("pattern {}", i));
  for (std::size_t i = 0; i < count; ++i) {
    Random random(seed, i + 1);
    const int label = static_cast<int>(i % static_cast<std::size_t>(options.classes));
    content.labels[i] = label;
    const Pattern pattern = draw_pattern(label, options.classes, options.size, random);
    paint(pattern, options.size, wave, random, content.pixels.data() + i * bytes);
  }
  return std::make_unique<ImageArray>(std::move(content));
}

void check(const SyntheticImageOptions& options) {
  const auto within = [](const char* name, int value, int most) {
    if (value < 1 || value > most)
      throw bad_input(
          fmt::format("synthetic images: {} must be from 1 to {}, not {}", name, most, value));
  };
  within("classes", options.classes, kMostClasses);
  within("size", options.size, kLargestSide);
  const auto side = static_cast<std::size_t>(options.size);
  const std::size_t most = kMostBytes / (3 * side * side);
  if (options.train > most || options.test > most)
    throw bad_input(fmt::format("synthetic images: at most {} of {}x{} pixels, not {}", most, side,
                                side, std::max(options.train, options.test)));
}

}  // namespace

ImageData make_synthetic_images(const SyntheticImageOptions& options) {
  check(options);
  return {.train = make_part(options, options.train, 1, "train"),
          .test = make_part(options, options.test, 2, "test"),
          .description = fmt::format("synthetic stripes, {} classes, {}x{} pixels", options.classes,
                                     options.size, options.size),
          .kind = "synthetic stripes"};
}

}  // namespace ridgeline
