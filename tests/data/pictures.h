#pragma once

#include <cstdint>
#include <vector>

#include "data/image_set.h"
#include "stats/random.h"

namespace ridgeline {

// An image that owns its pixels, in a block of just its size: a read past the end is seen.
struct Picture {
  int height = 0;
  int width = 0;
  std::vector<std::uint8_t> pixels{};
  [[nodiscard]] ImageView view() const {
    return {.pixels = pixels.data(), .height = height, .width = width};
  }
  [[nodiscard]] const std::uint8_t* at(int y, int x) const {
    return pixels.data() + 3 * (y * width + x);
  }
};

inline Picture plain_picture(int height, int width, std::uint8_t level) {
  const auto bytes = static_cast<std::size_t>(3 * height * width);
  return {.height = height, .width = width, .pixels = std::vector<std::uint8_t>(bytes, level)};
}

inline Picture noise_picture(int height, int width, std::uint64_t seed = 1) {
  Picture picture = plain_picture(height, width, 0);
  Random random(seed, 7);
  for (std::uint8_t& value : picture.pixels) value = static_cast<std::uint8_t>(random.below(256));
  return picture;
}

}  // namespace ridgeline
