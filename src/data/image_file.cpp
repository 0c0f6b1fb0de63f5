#include "data/image_file.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/malformed.h"

namespace ridgeline {
namespace {

constexpr std::string_view kJpegStart = "\xFF\xD8\xFF";
constexpr std::string_view kPngStart = "\x89PNG\r\n\x1A\n";

}  // namespace

ImageView reserve_image(std::int64_t height, std::int64_t width, const std::string& name,
                        std::vector<std::uint8_t>& pixels) {
  if (height < 1 || width < 1 || height > kLargestImageSide || width > kLargestImageSide ||
      height * width > kMostImagePixels) {
    throw bad_input(fmt::format("{}: {}x{} pixels; at most {} a side and {} in all are read", name,
                                height, width, kLargestImageSide, kMostImagePixels));
  }
  const auto bytes = static_cast<std::size_t>(3 * height * width);
  if (pixels.size() < bytes) pixels.resize(bytes);
  return {.pixels = pixels.data(),
          .height = static_cast<int>(height),
          .width = static_cast<int>(width)};
}

ImageView decode_image(std::string_view bytes, const std::string& name,
                       std::vector<std::uint8_t>& pixels) {
  const std::string shown = on_one_line(name);
  if (bytes.starts_with(kJpegStart)) return decode_jpeg(bytes, shown, pixels);
  if (bytes.starts_with(kPngStart)) return decode_png(bytes, shown, pixels);
  throw bad_input(
      fmt::format("{}: {}", shown, bytes.empty() ? "the file is empty" : "neither JPEG nor PNG"));
}

}  // namespace ridgeline
