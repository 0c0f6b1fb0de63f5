#include "data/content_sum.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "data/image_array.h"

namespace ridgeline {
namespace {

constexpr std::uint64_t kBlock = 64 * 1024;
constexpr std::uint64_t kMostBlocks = 256;
constexpr std::size_t kDigits = 16;

void add_images(ContentSum& sum, const ImageSet& images) {
  const auto* const array = dynamic_cast<const ImageArray*>(&images);
  for (std::size_t i = 0; i < images.size(); ++i) {
    sum.add(fmt::format("{} ", images.label(i)));
    if (array == nullptr)
      sum.add(std::filesystem::path(images.sample_name(i)).filename().string() + '\n');
  }
  if (array == nullptr) return;
  const std::string_view pixels(reinterpret_cast<const char*>(array->content().pixels.data()),
                                array->content().pixels.size());
  sum.add_spread(pixels.size(), [&](std::uint64_t offset, std::size_t size) {
    return pixels.substr(offset, size);
  });
}

}  // namespace

void ContentSum::add_spread(std::uint64_t size, const Read& read) {
  add(fmt::format("{} bytes\n", size));
  const bool whole = size <= kMostBlocks * kBlock;
  const std::uint64_t blocks = whole ? (size + kBlock - 1) / kBlock : kMostBlocks;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const std::uint64_t offset = whole ? i * kBlock : (size - kBlock) / (kMostBlocks - 1) * i;
    add(read(offset, static_cast<std::size_t>(std::min(kBlock, size - offset))));
  }
}

std::string ContentSum::finish() { return sum_.finish().substr(0, kDigits); }

std::string identity_of(const ImageData& data) {
  ContentSum sum;
  add_images(sum, *data.train);
  add_images(sum, *data.test);
  return fmt::format("{}, {} + {} images, sum {}", data.kind, data.train->size(), data.test->size(),
                     sum.finish());
}

}  // namespace ridgeline
