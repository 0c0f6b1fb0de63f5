#pragma once

#include <cstdint>
#include <string>

#include "data/image_set.h"
#include "data/resample.h"
#include "data/transform.h"

namespace ridgeline {

// What chance decided for one sample, apart from carrying it out: a CPU and a GPU execute the same
// draws, and a test can give its own.
struct SampleDraw {
  Box box{};                      // of the source; for a padded crop it may reach beyond the image
  bool flip = false;              // left and right
  Box cutout{};                   // of the output, inside it; no height when there is none
  Border border = Border::Zeros;  // what lies where the box is beyond the image
  [[nodiscard]] bool operator==(const SampleDraw&) const = default;
};

// Why the transform is not to be used on an image of this size; empty when it is.
[[nodiscard]] std::string misfit(const TransformOptions& options, const ImageView& image);

// A function of its arguments alone. Throws Error(BadInput) for a misfit and when a crop is larger
// than the padded image.
[[nodiscard]] SampleDraw draw(const TransformOptions& options, const ImageView& image,
                              const SampleKey& key);

// How the box becomes the output: Resampling for all but the plain crops, which copy pixels.
[[nodiscard]] bool resamples(const TransformOptions& options);
[[nodiscard]] Resampling resampling_of(const TransformOptions& options, const SampleDraw& drawn);

// Height and width of the output for an image of this size.
struct OutputSize {
  int height = 0;
  int width = 0;
};
[[nodiscard]] OutputSize output_size(const TransformOptions& options, const ImageView& image);

}  // namespace ridgeline
