#include "cuda/kernels/augment_reference.h"

#include <algorithm>
#include <cmath>

namespace ridgeline::kernels {
namespace {

// Between the two nearest pixels of the part, its border repeated: what a triangle filter of one
// pixel's support gives when enlarging.
struct Taps {
  int low;
  int high;
  float part;  // of `high`
};

Taps taps_of(int at, int size, int source) {
  const float place =
      (static_cast<float>(at) + 0.5F) * static_cast<float>(source) / static_cast<float>(size) -
      0.5F;
  const auto low = static_cast<int>(std::floor(place));
  return {.low = std::clamp(low, 0, source - 1),
          .high = std::clamp(low + 1, 0, source - 1),
          .part = place - static_cast<float>(low)};
}

int mirrored(int at, int size) {
  if (at < 0) return -at;
  return at < size ? at : 2 * (size - 1) - at;
}

class Sampler {
 public:
  Sampler(const AugmentProblem& problem, const SamplePlan& plan)
      : problem_(problem),
        plan_(plan),
        image_(problem.images.data() + static_cast<std::size_t>(plan.image) *
                                           static_cast<std::size_t>(problem.source_height) *
                                           static_cast<std::size_t>(problem.source_width) * 3) {}

  [[nodiscard]] float value(int y, int x, int c) const {
    const bool cut = y >= plan_.cut_top && y < plan_.cut_top + plan_.cut_height &&
                     x >= plan_.cut_left && x < plan_.cut_left + plan_.cut_width;
    if (cut) return 0;
    const int across = plan_.flip != 0 ? problem_.size - 1 - x : x;
    const float raw = problem_.resample ? resampled(y, across, c) : pixel(y, across, c);
    return raw * problem_.factor[c] + problem_.offset[c];
  }

 private:
  // Of the part, by its own coordinates; beyond the image lies black, or its mirror image.
  [[nodiscard]] float pixel(int y, int x, int c) const {
    int row = plan_.top + y;
    int column = plan_.left + x;
    if (plan_.reflect != 0) {
      row = mirrored(row, problem_.source_height);
      column = mirrored(column, problem_.source_width);
    }
    if (row < 0 || row >= problem_.source_height || column < 0 || column >= problem_.source_width)
      return 0;
    return static_cast<float>(
        image_[(static_cast<std::size_t>(row) * static_cast<std::size_t>(problem_.source_width) +
                static_cast<std::size_t>(column)) *
                   3 +
               static_cast<std::size_t>(c)]);
  }

  [[nodiscard]] float resampled(int y, int x, int c) const {
    const Taps down = taps_of(y, problem_.size, plan_.height);
    const Taps across = taps_of(x, problem_.size, plan_.width);
    const auto row = [&](int r) {
      const float low = pixel(r, across.low, c);
      return low + (pixel(r, across.high, c) - low) * across.part;
    };
    const float upper = row(down.low);
    return upper + (row(down.high) - upper) * down.part;
  }

  const AugmentProblem& problem_;
  const SamplePlan& plan_;
  const std::uint8_t* image_;
};

}  // namespace

std::vector<float> augment_reference(const AugmentProblem& problem) {
  std::vector<float> out;
  out.reserve(problem.plans.size() * static_cast<std::size_t>(problem.size) *
              static_cast<std::size_t>(problem.size) * 3);
  for (const SamplePlan& plan : problem.plans) {
    const Sampler sampler(problem, plan);
    for (int y = 0; y < problem.size; ++y) {
      for (int x = 0; x < problem.size; ++x) {
        for (int c = 0; c < 3; ++c) out.push_back(sampler.value(y, x, c));
      }
    }
  }
  return out;
}

}  // namespace ridgeline::kernels
