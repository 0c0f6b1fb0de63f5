#pragma once

#include <cstdint>
#include <vector>

#include "data/image_set.h"
#include "data/resample_kernels.h"

namespace ridgeline {

// A part of an image in whole pixels; it may reach beyond the image where something pads it.
struct Box {
  int top = 0;
  int left = 0;
  int height = 0;
  int width = 0;
  [[nodiscard]] bool operator==(const Box&) const = default;
};

// `source` pixels along one side become `target`, of which `count` from `from` on are wanted, the
// last first when `reversed`.
struct AxisResize {
  int source = 0;
  int target = 0;
  int from = 0;
  int count = 0;
  bool reversed = false;
};

// Triangle filter, its support scaled when shrinking (what Pillow and torchvision call bilinear
// with antialias), in fixed point: as many bits as 16-bit weights hold, at most `max_bits`.
class AxisFilter {
 public:
  AxisFilter(const AxisResize& resize, int max_bits);
  // Positions in it count from lowest().
  [[nodiscard]] AxisWeights view() const;
  // The source positions that are needed: [lowest, highest).
  [[nodiscard]] int lowest() const { return lowest_; }
  [[nodiscard]] int highest() const { return highest_; }

 private:
  std::vector<std::int32_t> first_;
  std::vector<std::int16_t> weights_;
  int pairs_ = 1;
  int bits_ = 0;
  int lowest_ = 0;
  int highest_ = 0;
};

// Sums must fit 32 bits: 8-bit pixels across, 15-bit rows down.
inline constexpr int kHorizontalBits = 22;
inline constexpr int kVerticalBits = 16;

// A resize, box by box: `source` of the image becomes height x width, of which `window` is wanted.
struct Resampling {
  Box source{};
  int height = 0;
  int width = 0;
  Box window{};
  bool flip = false;  // left and right, after all else
};

// Both passes over an image, an output row at a time. `scratch` holds the rows between the passes
// and lives as long as this.
class Resampler {
 public:
  Resampler(const ImageView& image, const Resampling& resampling, const ResampleKernels& kernels,
            std::vector<std::uint8_t>& scratch);
  void row_bytes(int y, std::uint8_t* out) const;
  void row_floats(int y, const ByteScaling& scaling, bool stream, float* out) const;

 private:
  void fill_rows(const ImageView& image, const Box& source, std::vector<std::uint8_t>& scratch);

  const ResampleKernels& kernels_;
  AxisFilter across_;
  AxisFilter down_;
  std::size_t values_;  // of an output row
  ResampledRows rows_;
};

}  // namespace ridgeline
