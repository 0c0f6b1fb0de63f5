#include "data/transform.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "data/draw.h"

namespace ridgeline {
namespace {

using Geometry = TransformOptions::Geometry;
using Output = TransformOptions::Output;

// The largest side of an output; far above what models take, low enough that sizes cannot overflow.
constexpr int kLargestSide = 4096;

// An output at least this large is written past the caches: a batch of them does not fit there, and
// a line written whole need not be read first.
constexpr std::size_t kStreamedBytes = 256 * 1024;

ByteScaling make_scaling(const Normalisation& normalisation) {
  ByteScaling scaling;
  for (std::size_t i = 0; i < std::size(scaling.scale); ++i) {
    const double std = normalisation.std[i % 3];
    scaling.scale[i] = static_cast<float>(1 / (255 * std));
    scaling.offset[i] = static_cast<float>(-normalisation.mean[i % 3] / std);
  }
  for (std::size_t c = 0; c < 3; ++c) {
    for (int byte = 0; byte < 256; ++byte)
      scaling.table[c][byte] =
          std::fma(static_cast<float>(byte), scaling.scale[c], scaling.offset[c]);
  }
  return scaling;
}

void check_normalisation(const Normalisation& normalisation) {
  for (std::size_t c = 0; c < 3; ++c) {
    if (!std::isfinite(normalisation.mean[c]))
      throw bad_input(fmt::format("transform: a mean of {} is no number", normalisation.mean[c]));
    if (!std::isfinite(normalisation.std[c]) || !(normalisation.std[c] > 0))
      throw bad_input(fmt::format("transform: std must be above 0, not {}", normalisation.std[c]));
  }
}

void check_range(const char* name, int value, int least, int most) {
  if (value < least || value > most)
    throw bad_input(
        fmt::format("transform: {} must be from {} to {}, not {}", name, least, most, value));
}

void check_interval(const char* name, double low, double high, double most) {
  if (!(low > 0) || !(low <= high) || !(high <= most))
    throw bad_input(fmt::format("transform: {} must be above 0, rising and at most {}, not {}..{}",
                                name, most, low, high));
}

void check(const TransformOptions& options) {
  check_range("size", options.size, 1, kLargestSide);
  check_range("padding", options.padding, 0, kLargestSide);
  check_range("cutout", options.cutout, 0, kLargestSide);
  if (options.geometry == Geometry::ResizeCenterCrop)
    check_range("resize", options.resize, options.size, kLargestSide);
  if (options.geometry == Geometry::RandomResizedCrop) {
    check_interval("scale", options.min_scale, options.max_scale, 1);
    check_interval("ratio", options.min_ratio, options.max_ratio, 1000);
  }
  if (!(options.flip >= 0 && options.flip <= 1))
    throw bad_input(fmt::format("transform: flip is a probability, not {}", options.flip));
  check_normalisation(options.normalisation);
}

std::size_t values_of(const OutputSize& size) {
  return 3 * static_cast<std::size_t>(size.height) * static_cast<std::size_t>(size.width);
}

// The place that a mirror at the last pixel shows, for less than one image beyond it.
int mirrored(int at, int size) {
  const int from_start = std::abs(at);
  return from_start < size ? from_start : 2 * (size - 1) - from_start;
}

// The few pixels of a row that lie beside the image.
void mirror_sides(const std::uint8_t* row, const ImageView& image, const SampleDraw& drawn,
                  std::uint8_t* out) {
  const Box& box = drawn.box;
  for (int x = 0; x < box.width; ++x) {
    const int column = box.left + x;
    if (column >= 0 && column < image.width) continue;
    const int at = drawn.flip ? box.width - 1 - x : x;
    std::memcpy(out + 3 * at, row + 3 * mirrored(column, image.width), 3);
  }
}

// Row `y` of a crop that may leave the image.
void compose_row(const ImageView& image, const SampleDraw& drawn, int y, std::uint8_t* out) {
  const Box& box = drawn.box;
  const bool mirrors = drawn.border == Border::Reflect;
  const int row = mirrors ? mirrored(box.top + y, image.height) : box.top + y;
  std::memset(out, 0, 3 * static_cast<std::size_t>(box.width));
  if (row < 0 || row >= image.height) return;
  if (mirrors) {
    mirror_sides(
        image.pixels + 3 * static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width),
        image, drawn, out);
  }
  const int left = std::max(box.left, 0);
  const int right = std::min(box.left + box.width, image.width);
  if (left >= right) return;
  const std::uint8_t* const from =
      image.pixels + 3 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) +
                          static_cast<std::size_t>(left));
  if (!drawn.flip) {
    std::memcpy(out + 3 * (left - box.left), from, 3 * static_cast<std::size_t>(right - left));
    return;
  }
  std::uint8_t* to = out + 3 * (box.width - 1 - (left - box.left));
  for (int x = 0; x < right - left; ++x, to -= 3) {
    to[0] = from[3 * x];
    to[1] = from[3 * x + 1];
    to[2] = from[3 * x + 2];
  }
}

void cut_out(const TransformOptions& options, const Box& box, const OutputSize& size,
             std::byte* out) {
  std::uint8_t mean[3];
  for (std::size_t c = 0; c < 3; ++c)
    mean[c] = static_cast<std::uint8_t>(
        std::lround(std::clamp(255 * options.normalisation.mean[c], 0.0F, 255.0F)));
  const auto width = static_cast<std::size_t>(box.width);
  for (int y = box.top; y < box.top + box.height; ++y) {
    const std::size_t at = 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
                                static_cast<std::size_t>(box.left));
    if (options.output == Output::Float) {
      std::memset(out + at * sizeof(float), 0, 3 * width * sizeof(float));
      continue;
    }
    auto* const bytes = reinterpret_cast<std::uint8_t*>(out) + at;
    for (std::size_t i = 0; i < 3 * width; ++i) bytes[i] = mean[i % 3];
  }
}

struct Word {
  std::string_view name;
  Geometry geometry;
  bool random;
};
constexpr std::array kWords{
    Word{"rrc", Geometry::RandomResizedCrop, true}, Word{"crop", Geometry::RandomCrop, true},
    Word{"resize", Geometry::Resize, false}, Word{"center", Geometry::ResizeCenterCrop, false}};

[[noreturn]] void refuse(std::string_view word) {
  const auto near = nearest(word, {"rrc224", "crop32", "resize224", "center224", "none"});
  throw bad_input(
      fmt::format("transform '{}' is not known{}; there are rrcN, cropN, resizeN, centerN and none",
                  word, near ? fmt::format("; did you mean {}?", *near) : ""));
}

}  // namespace

Border parse_border(std::string_view word) {
  if (word == "zeros") return Border::Zeros;
  if (word == "reflect") return Border::Reflect;
  throw bad_input(unknown_word("padding mode", word, {"zeros", "reflect"}));
}

TransformOptions parse_transform(std::string_view word) {
  if (word == "none") return {.flip = 0};
  const std::size_t digits = word.find_first_of("0123456789");
  const auto it = std::ranges::find(kWords, word.substr(0, digits), &Word::name);
  if (it == kWords.end() || digits == std::string_view::npos) refuse(word);
  int size = 0;
  const auto [end, error] = std::from_chars(word.data() + digits, word.data() + word.size(), size);
  if (error != std::errc() || end != word.data() + word.size()) refuse(word);
  check_range("size", size, 1, kLargestSide);
  TransformOptions options{.geometry = it->geometry, .size = size, .flip = it->random ? 0.5 : 0};
  // The usual proportion: 256 before a crop of 224.
  options.resize = std::min((size * 256 + 112) / 224, kLargestSide);
  return options;
}

Transform::Transform(const TransformOptions& options, const ResampleKernels& kernels)
    : options_(options), kernels_(&kernels) {
  check(options);
  scaling_ = make_scaling(options.normalisation);
}

std::size_t Transform::output_bytes(const ImageView& image) const {
  const std::size_t size = options_.output == Output::Float ? sizeof(float) : 1;
  return values_of(output_size(options_, image)) * size;
}

void Transform::apply(const ImageView& image, const SampleKey& key, std::byte* out,
                      std::vector<std::uint8_t>& scratch) const {
  execute(image, draw(options_, image, key), out, scratch);
}

void Transform::execute(const ImageView& image, const SampleDraw& drawn, std::byte* out,
                        std::vector<std::uint8_t>& scratch) const {
  resamples(options_) ? resample_rows(image, drawn, out, scratch)
                      : copy_rows(image, drawn, out, scratch);
  if (drawn.cutout.height > 0) cut_out(options_, drawn.cutout, output_size(options_, image), out);
}

void Transform::copy_rows(const ImageView& image, const SampleDraw& drawn, std::byte* out,
                          std::vector<std::uint8_t>& scratch) const {
  const OutputSize size = output_size(options_, image);
  RIDGELINE_CHECK(drawn.box.height == size.height && drawn.box.width == size.width);
  const std::size_t values = 3 * static_cast<std::size_t>(size.width);
  if (scratch.size() < values) scratch.resize(values);
  for (int y = 0; y < size.height; ++y) {
    const std::size_t at = static_cast<std::size_t>(y) * values;
    if (options_.output == Output::Bytes) {
      compose_row(image, drawn, y, reinterpret_cast<std::uint8_t*>(out) + at);
    } else {
      compose_row(image, drawn, y, scratch.data());
      kernels_->scale(scratch.data(), values, scaling_, reinterpret_cast<float*>(out) + at);
    }
  }
}

void Transform::resample_rows(const ImageView& image, const SampleDraw& drawn, std::byte* out,
                              std::vector<std::uint8_t>& scratch) const {
  const Resampler resampler(image, resampling_of(options_, drawn), *kernels_, scratch);
  const std::size_t values = 3 * static_cast<std::size_t>(options_.size);
  // Kernels stream whole vectors: every row must begin on one.
  const bool stream = output_bytes(image) >= kStreamedBytes && values % 8 == 0 &&
                      reinterpret_cast<std::uintptr_t>(out) % 32 == 0;
  for (int y = 0; y < options_.size; ++y) {
    const std::size_t at = static_cast<std::size_t>(y) * values;
    if (options_.output == Output::Bytes) {
      resampler.row_bytes(y, reinterpret_cast<std::uint8_t*>(out) + at);
    } else {
      resampler.row_floats(y, scaling_, stream, reinterpret_cast<float*>(out) + at);
    }
  }
  kernels_->fence();
}

}  // namespace ridgeline
