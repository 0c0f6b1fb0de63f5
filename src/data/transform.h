#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/image_set.h"
#include "data/resample_kernels.h"

namespace ridgeline {

struct Normalisation {
  std::array<float, 3> mean{};
  std::array<float, 3> std{1, 1, 1};
};
inline constexpr Normalisation kCifarNormalisation{{.4914F, .4822F, .4465F},
                                                   {.2023F, .1994F, .2010F}};
inline constexpr Normalisation kImageNetNormalisation{{.485F, .456F, .406F}, {.229F, .224F, .225F}};

// What a padded crop sees beyond the image: black, or the image mirrored at its last pixel, which
// is not repeated.
enum class Border { Zeros, Reflect };
[[nodiscard]] Border parse_border(std::string_view word);  // "zeros", "reflect"

// What is done to an image, with torchvision's meaning of every parameter, in this order: one
// geometry, flip, cut-out, normalisation.
struct TransformOptions {
  enum class Geometry { None, RandomCrop, CenterCrop, RandomResizedCrop, Resize, ResizeCenterCrop };
  enum class Output { Bytes, Float };  // Bytes: not normalised, whoever gets them does
  enum class Sizes { Any, AtLeast, Exactly };
  Geometry geometry = Geometry::None;
  int size = 32;                             // of the output, a square
  Sizes sizes = Sizes::Any;                  // of images that None and the plain crops take
  int padding = 4;                           // RandomCrop: pixels around the image
  Border border = Border::Zeros;             // and what they are
  int resize = 256;                          // ResizeCenterCrop: the shorter side before the crop
  double min_scale = 0.08, max_scale = 1.0;  // RandomResizedCrop: part of the area
  double min_ratio = 3.0 / 4.0, max_ratio = 4.0 / 3.0;  // and width over height
  double flip = 0.5;                                    // probability; 0 for evaluation
  bool alternate_flip =
      false;       // by turns instead: half the images in one epoch, the rest in the next
  int cutout = 0;  // side of the square set to the mean; 0: none
  Normalisation normalisation{};
  Output output = Output::Float;
};

// "rrc224", "crop32", "resize224", "center224", "none": geometry, size and, for the random ones, a
// flip; normalisation and output stay as they are by default. Throws Error(BadInput) naming the
// nearest.
[[nodiscard]] TransformOptions parse_transform(std::string_view word);

// Which draws a sample gets: two samples, epochs or seeds never share them.
struct SampleKey {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::uint64_t index = 0;
};

struct SampleDraw;  // data/draw.h

// Floats are exactly (byte / 255 - mean) / std of the bytes that Output::Bytes gives, in one
// rounding; only a cut-out, which is 0 in floats, is the byte nearest the mean in bytes.
class Transform {
 public:
  // Throws Error(BadInput) that names the option when one makes no sense. `kernels` is for tests.
  explicit Transform(const TransformOptions& options,
                     const ResampleKernels& kernels = best_kernels());
  [[nodiscard]] const TransformOptions& options() const { return options_; }
  // Bytes of one output image for an input of this size (Geometry::None keeps it).
  [[nodiscard]] std::size_t output_bytes(const ImageView& image) const;
  // Writes NHWC bytes or floats to `out`. `scratch` is the caller's, one a thread.
  void apply(const ImageView& image, const SampleKey& key, std::byte* out,
             std::vector<std::uint8_t>& scratch) const;
  // The second half of apply(): carries out what was drawn. The box must fit the image and the
  // options, as those of draw() do.
  void execute(const ImageView& image, const SampleDraw& drawn, std::byte* out,
               std::vector<std::uint8_t>& scratch) const;

 private:
  void copy_rows(const ImageView& image, const SampleDraw& drawn, std::byte* out,
                 std::vector<std::uint8_t>& scratch) const;
  void resample_rows(const ImageView& image, const SampleDraw& drawn, std::byte* out,
                     std::vector<std::uint8_t>& scratch) const;

  TransformOptions options_;
  const ResampleKernels* kernels_;
  ByteScaling scaling_;
};

}  // namespace ridgeline
