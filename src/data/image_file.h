#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "data/image_set.h"

namespace ridgeline {

// Larger pictures are refused before anything is allocated: a small file may claim any size.
inline constexpr int kLargestImageSide = 32768;
inline constexpr std::int64_t kMostImagePixels = 100'000'000;

// JPEG or PNG, told apart by their first bytes, as RGB of 8 bits: grey is repeated, 16 bits keep
// the upper 8, CMYK is converted, transparency is dropped (what Pillow's convert("RGB") does).
// Throws Error(BadInput) that begins with `name` for what is damaged, cut off, too large or
// neither. The view lies in `pixels`.
[[nodiscard]] ImageView decode_image(std::string_view bytes, const std::string& name,
                                     std::vector<std::uint8_t>& pixels);

// One decoder each. Throw as above.
[[nodiscard]] ImageView decode_jpeg(std::string_view bytes, const std::string& name,
                                    std::vector<std::uint8_t>& pixels);
[[nodiscard]] ImageView decode_png(std::string_view bytes, const std::string& name,
                                   std::vector<std::uint8_t>& pixels);

// Makes room, or refuses. For decoders.
[[nodiscard]] ImageView reserve_image(std::int64_t height, std::int64_t width,
                                      const std::string& name, std::vector<std::uint8_t>& pixels);

}  // namespace ridgeline
