#include "data/resample.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/error.h"

namespace ridgeline {
namespace {

// The taps of one output position, before they become fixed point.
struct Taps {
  int first = 0;
  int count = 0;
};

// Where the filter reaches from `centre`, inside the source.
Taps reach(double centre, double support, int source) {
  const int first = std::max(static_cast<int>(centre - support + 0.5), 0);
  const int end = std::min(static_cast<int>(centre + support + 0.5), source);
  return {.first = first, .count = end - first};
}

// The triangle over these taps, summing to 1; returns the largest.
double triangle(const Taps& taps, double centre, double support, double* weights) {
  double sum = 0;
  const double slope = 1 / support;
  for (int t = 0; t < taps.count; ++t) {
    const double distance = std::abs((taps.first + t - centre + 0.5) * slope);
    weights[t] = std::max(1 - distance, 0.0);
    sum += weights[t];
  }
  double largest = 0;
  const double norm = 1 / sum;
  for (int t = 0; t < taps.count; ++t) {
    weights[t] *= norm;
    largest = std::max(largest, weights[t]);
  }
  return largest;
}

// The rounding error of each weight goes to the next, so that they sum to exactly 1 << bits: a
// plain area stays what it is.
void to_fixed_point(const double* weights, int count, int bits, std::int16_t* out) {
  const double one = 1 << bits;
  double exact = 0.5;
  std::int32_t before = 0;
  for (int t = 0; t < count; ++t) {
    exact += weights[t] * one;
    const std::int32_t now = t + 1 == count ? 1 << bits : static_cast<std::int32_t>(exact);
    out[t] = static_cast<std::int16_t>(now - before);
    before = now;
  }
}

// At a border half of the triangle may be missing, so a weight can be twice what it is inside. A
// function of the scale alone: a window of a resize has the bits of the whole.
double largest_weight(double support) { return std::min(2 / support, 1.0); }

int bits_for(double largest, int max_bits) {
  int bits = max_bits;
  // One unit of room for the error that a weight inherits, one for rounding.
  while (std::ldexp(largest, bits) > 32765) --bits;
  return bits;
}

std::size_t aligned(std::size_t count, std::size_t to) { return (count + to - 1) / to * to; }

}  // namespace

AxisFilter::AxisFilter(const AxisResize& resize, int max_bits) {
  RIDGELINE_CHECK(resize.source > 0 && resize.target > 0 && resize.count > 0);
  RIDGELINE_CHECK(resize.from >= 0 && resize.from + resize.count <= resize.target);
  const double scale = static_cast<double>(resize.source) / resize.target;
  const double support = std::max(scale, 1.0);
  const auto count = static_cast<std::size_t>(resize.count);
  const auto centre_of = [&](std::size_t i) {
    const auto offset = static_cast<int>(resize.reversed ? count - 1 - i : i);
    return (resize.from + offset + 0.5) * scale;
  };
  int most = 1;
  for (std::size_t i = 0; i < count; ++i)
    most = std::max(most, reach(centre_of(i), support, resize.source).count);
  pairs_ = (most + 1) / 2;
  const auto taps_each = static_cast<std::size_t>(2 * pairs_);

  first_.resize(count);
  std::vector<double> exact(count * taps_each);
  double largest = 0;
  lowest_ = resize.source;
  for (std::size_t i = 0; i < count; ++i) {
    const Taps taps = reach(centre_of(i), support, resize.source);
    largest = std::max(largest, triangle(taps, centre_of(i), support, &exact[i * taps_each]));
    first_[i] = taps.first;
    lowest_ = std::min(lowest_, taps.first);
    highest_ = std::max(highest_, taps.first + taps.count);
  }
  for (std::int32_t& first : first_) first -= lowest_;
  RIDGELINE_CHECK(largest <= largest_weight(support) + 1e-9);
  bits_ = bits_for(largest_weight(support), max_bits);
  weights_.resize(exact.size());
  for (std::size_t i = 0; i < count; ++i) {
    // Padding has weight 0 already, and the last tap, padding or not, takes the last error: 0.
    to_fixed_point(&exact[i * taps_each], static_cast<int>(taps_each), bits_,
                   &weights_[i * taps_each]);
  }
}

AxisWeights AxisFilter::view() const {
  return {.first = first_.data(),
          .weights = weights_.data(),
          .count = static_cast<std::int32_t>(first_.size()),
          .pairs = pairs_,
          .bits = bits_};
}

Resampler::Resampler(const ImageView& image, const Resampling& resampling,
                     const ResampleKernels& kernels, std::vector<std::uint8_t>& scratch)
    : kernels_(kernels),
      across_({.source = resampling.source.width,
               .target = resampling.width,
               .from = resampling.window.left,
               .count = resampling.window.width,
               .reversed = resampling.flip},
              kHorizontalBits),
      down_({.source = resampling.source.height,
             .target = resampling.height,
             .from = resampling.window.top,
             .count = resampling.window.height},
            kVerticalBits),
      values_(3 * static_cast<std::size_t>(resampling.window.width)) {
  const Box& source = resampling.source;
  RIDGELINE_CHECK(source.top >= 0 && source.top + source.height <= image.height);
  RIDGELINE_CHECK(source.left >= 0 && source.left + source.width <= image.width);
  fill_rows(image, source, scratch);
}

// The horizontal pass. A row is copied first: the kernels read in steps of eight bytes and a pair
// of pixels, past the end of the box, which may be the end of the image's memory.
void Resampler::fill_rows(const ImageView& image, const Box& source,
                          std::vector<std::uint8_t>& scratch) {
  const AxisWeights across = across_.view();
  const std::size_t row_bytes = 3 * static_cast<std::size_t>(across_.highest() - across_.lowest());
  const std::size_t copy_bytes =
      aligned(row_bytes + 6 * static_cast<std::size_t>(across.pairs) + kRowSlack, 64);
  const std::size_t stride = aligned(values_ + kRowSlack, 32);
  const auto rows = static_cast<std::size_t>(down_.highest() - down_.lowest());
  // The vertical pass touches rows of weight 0 behind the last.
  const std::size_t padding = 2 * static_cast<std::size_t>(down_.view().pairs);
  const std::size_t needed =
      64 + copy_bytes + (rows + padding) * stride * sizeof(std::int16_t) + kRowSlack;
  if (scratch.size() < needed) scratch.resize(needed);

  const auto address = reinterpret_cast<std::uintptr_t>(scratch.data());
  std::uint8_t* const copy = scratch.data() + (aligned(address, 64) - address);
  std::memset(copy + row_bytes, 0, copy_bytes - row_bytes);
  auto* const first = reinterpret_cast<std::int16_t*>(copy + copy_bytes);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto y = static_cast<std::size_t>(source.top + down_.lowest()) + row;
    const std::size_t pixel = y * static_cast<std::size_t>(image.width) +
                              static_cast<std::size_t>(source.left + across_.lowest());
    std::memcpy(copy, image.pixels + 3 * pixel, row_bytes);
    kernels_.horizontal(copy, across, first + row * stride);
  }
  rows_ = {.data = first, .stride = stride};
}

void Resampler::row_bytes(int y, std::uint8_t* out) const {
  kernels_.vertical_bytes(rows_, down_.view(), y, values_, out);
}

void Resampler::row_floats(int y, const ByteScaling& scaling, bool stream, float* out) const {
  kernels_.vertical_floats(rows_, down_.view(), y, values_, scaling, stream, out);
}

}  // namespace ridgeline
