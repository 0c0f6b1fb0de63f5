#include "data/image_array.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"

namespace ridgeline {
namespace {

std::size_t image_bytes(const ImageArray::Content& content) {
  return static_cast<std::size_t>(content.height) * static_cast<std::size_t>(content.width) * 3;
}

}  // namespace

ImageArray::ImageArray(Content content) : content_(std::move(content)) {
  RIDGELINE_CHECK(content_.height > 0 && content_.width > 0);
  RIDGELINE_CHECK(content_.pixels.size() == content_.labels.size() * image_bytes(content_));
  RIDGELINE_CHECK(std::ranges::all_of(content_.labels, [&](int label) {
    return label >= 0 && static_cast<std::size_t>(label) < content_.classes.size();
  }));
}

ImageView ImageArray::read(std::size_t index, std::vector<std::uint8_t>& /*scratch*/) const {
  RIDGELINE_CHECK(index < size());
  return {.pixels = content_.pixels.data() + index * image_bytes(content_),
          .height = content_.height,
          .width = content_.width};
}

std::string ImageArray::sample_name(std::size_t index) const {
  return fmt::format("{}, image {}", content_.origin, index);
}

}  // namespace ridgeline
