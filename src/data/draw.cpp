#include "data/draw.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "stats/random.h"

namespace ridgeline {
namespace {

using Geometry = TransformOptions::Geometry;

// After so many boxes that do not fit, the largest central one is taken.
constexpr int kTries = 10;

// The order of an epoch has stream 2 * epoch + 2 (epoch_order.cpp), so that the two never meet.
Random random_for(const SampleKey& key) {
  const std::uint64_t of_epoch = Random(key.seed, 2 * key.epoch + 1).next();
  return Random(of_epoch, key.index + 1);
}

int below(Random& random, int bound) {
  return static_cast<int>(random.below(static_cast<std::uint64_t>(bound)));
}

Box whole(const ImageView& image) { return {.height = image.height, .width = image.width}; }

// What is left when no box fitted: as much of the image as the ratios allow, from its centre.
Box central_box(const TransformOptions& options, const ImageView& image) {
  Box box = whole(image);
  const double ratio = static_cast<double>(image.width) / image.height;
  if (ratio < options.min_ratio) {
    box.height = static_cast<int>(std::nearbyint(image.width / options.min_ratio));
  } else if (ratio > options.max_ratio) {
    box.width = static_cast<int>(std::nearbyint(image.height * options.max_ratio));
  }
  box.height = std::clamp(box.height, 1, image.height);
  box.width = std::clamp(box.width, 1, image.width);
  box.top = (image.height - box.height) / 2;
  box.left = (image.width - box.width) / 2;
  return box;
}

Box draw_resized_crop(const TransformOptions& options, const ImageView& image, Random& random) {
  const double area = static_cast<double>(image.height) * image.width;
  const double low = std::log(options.min_ratio);
  const double high = std::log(options.max_ratio);
  for (int i = 0; i < kTries; ++i) {
    const double wanted =
        area * (options.min_scale + (options.max_scale - options.min_scale) * random.uniform());
    const double ratio = std::exp(low + (high - low) * random.uniform());
    const int width = static_cast<int>(std::nearbyint(std::sqrt(wanted * ratio)));
    const int height = static_cast<int>(std::nearbyint(std::sqrt(wanted / ratio)));
    if (width <= 0 || height <= 0 || width > image.width || height > image.height) continue;
    const int top = below(random, image.height - height + 1);
    const int left = below(random, image.width - width + 1);
    return {.top = top, .left = left, .height = height, .width = width};
  }
  return central_box(options, image);
}

Box draw_crop(const TransformOptions& options, const ImageView& image, Random& random) {
  const int rows = image.height + 2 * options.padding - options.size + 1;
  const int columns = image.width + 2 * options.padding - options.size + 1;
  if (rows < 1 || columns < 1) {
    throw bad_input(fmt::format("an image of {}x{} padded by {} is smaller than a crop of {}",
                                image.height, image.width, options.padding, options.size));
  }
  if (options.border == Border::Reflect && options.padding >= std::min(image.height, image.width)) {
    throw bad_input(fmt::format("an image of {}x{} has too few pixels to mirror {} of them",
                                image.height, image.width, options.padding));
  }
  const int top = below(random, rows) - options.padding;
  const int left = below(random, columns) - options.padding;
  return {.top = top, .left = left, .height = options.size, .width = options.size};
}

// As torchvision rounds: halves to even; what a smaller image lacks is around it, black.
Box centre_crop(int size, const ImageView& image) {
  const auto start = [size](int side) {
    if (side < size) return -((size - side) / 2);
    return static_cast<int>(std::nearbyint((side - size) / 2.0));
  };
  return {.top = start(image.height), .left = start(image.width), .height = size, .width = size};
}

// A square around a random pixel, cut off where it leaves the output.
Box draw_cutout(int side, const OutputSize& output, Random& random) {
  const int top = below(random, output.height) - side / 2;
  const int left = below(random, output.width) - side / 2;
  const int bottom = std::min(top + side, output.height);
  const int right = std::min(left + side, output.width);
  const Box box{.top = std::max(top, 0), .left = std::max(left, 0)};
  return {.top = box.top, .left = box.left, .height = bottom - box.top, .width = right - box.left};
}

// Every image is seen both ways in any two epochs. Stream 0 is that of no epoch.
bool flips_by_turns(const SampleKey& key) {
  const std::uint64_t of_seed = Random(key.seed, 0).next();
  const std::uint64_t of_sample = Random(of_seed, key.index + 1).next() >> 63;
  return (of_sample ^ (key.epoch & 1)) != 0;
}

// The shorter side becomes `resize`, the longer follows, as torchvision rounds it: down.
OutputSize resized(int resize, const Box& image) {
  const auto longer = [&](int of_longer, int of_shorter) {
    return static_cast<int>(static_cast<std::int64_t>(resize) * of_longer / of_shorter);
  };
  if (image.height <= image.width)
    return {.height = resize, .width = longer(image.width, image.height)};
  return {.height = longer(image.height, image.width), .width = resize};
}

}  // namespace

std::string misfit(const TransformOptions& options, const ImageView& image) {
  using Sizes = TransformOptions::Sizes;
  if (options.sizes == Sizes::Any || resamples(options)) return {};
  if (image.height == options.size && image.width == options.size) return {};
  const std::string sides = fmt::format("{}x{}", image.width, image.height);
  if (options.geometry == Geometry::None)
    return fmt::format("--transform none keeps an image of {} as it is, the model takes {}x{}",
                       sides, options.size, options.size);
  const bool large = image.height >= options.size && image.width >= options.size;
  if (large && options.sizes == Sizes::AtLeast) return {};
  return fmt::format(
      "--transform crop{0} {1}, this one has {2}; try rrc{0} or resize{0}", options.size,
      large ? "cuts pieces out of larger images" : "is for images of at least that size", sides);
}

SampleDraw draw(const TransformOptions& options, const ImageView& image, const SampleKey& key) {
  if (const std::string reason = misfit(options, image); !reason.empty()) throw bad_input(reason);
  Random random = random_for(key);
  SampleDraw drawn{.box = whole(image), .border = options.border};
  if (options.geometry == Geometry::RandomResizedCrop)
    drawn.box = draw_resized_crop(options, image, random);
  if (options.geometry == Geometry::RandomCrop) drawn.box = draw_crop(options, image, random);
  if (options.geometry == Geometry::CenterCrop) drawn.box = centre_crop(options.size, image);
  if (options.flip > 0) drawn.flip = random.uniform() < options.flip;
  if (options.flip > 0 && options.alternate_flip) drawn.flip = flips_by_turns(key);
  if (options.cutout > 0)
    drawn.cutout = draw_cutout(options.cutout, output_size(options, image), random);
  return drawn;
}

bool resamples(const TransformOptions& options) {
  return options.geometry != Geometry::None && options.geometry != Geometry::RandomCrop &&
         options.geometry != Geometry::CenterCrop;
}

Resampling resampling_of(const TransformOptions& options, const SampleDraw& drawn) {
  Resampling resampling{.source = drawn.box,
                        .height = options.size,
                        .width = options.size,
                        .window = {.height = options.size, .width = options.size},
                        .flip = drawn.flip};
  if (options.geometry != Geometry::ResizeCenterCrop) return resampling;
  const OutputSize size = resized(options.resize, drawn.box);
  resampling.height = size.height;
  resampling.width = size.width;
  // torchvision rounds the offset as Python does, halves to even.
  resampling.window.top = static_cast<int>(std::nearbyint((size.height - options.size) / 2.0));
  resampling.window.left = static_cast<int>(std::nearbyint((size.width - options.size) / 2.0));
  return resampling;
}

OutputSize output_size(const TransformOptions& options, const ImageView& image) {
  if (options.geometry == Geometry::None) return {.height = image.height, .width = image.width};
  return {.height = options.size, .width = options.size};
}

}  // namespace ridgeline
