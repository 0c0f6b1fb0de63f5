#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/sha256.h"
#include "data/image_set.h"

namespace ridgeline {

// Tells content from other content, wherever it lies, in milliseconds: what is large is summed in
// blocks that are spread evenly over it.
class ContentSum {
 public:
  // The bytes at an offset; valid until the next call.
  using Read = std::function<std::string_view(std::uint64_t offset, std::size_t size)>;

  void add(std::string_view bytes) { sum_.update(bytes); }
  void add_spread(std::uint64_t size, const Read& read);
  [[nodiscard]] std::string finish();  // 16 digits

 private:
  Sha256 sum_;
};

// "CIFAR-10, 50000 + 10000 images, sum 0123456789abcdef". Labels count all. Of images in memory
// the pixels count, of files their names: one that was broken may be mended.
[[nodiscard]] std::string identity_of(const ImageData& data);

}  // namespace ridgeline
