#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/image_set.h"
#include "data/transform.h"

namespace ridgeline {

// Makes samples of an epoch into a batch's buffers: what a loader's workers do, without the
// threads.
class BatchMaker {
 public:
  // One a thread.
  struct Scratch {
    std::vector<std::uint8_t> decoded;
    std::vector<std::uint8_t> resampled;
  };
  struct Target {
    std::byte* pixels = nullptr;
    std::int64_t* labels = nullptr;
  };

  // Images of Geometry::None must all have the size of the first.
  BatchMaker(const ImageSet& images, const Transform& transform);
  [[nodiscard]] std::size_t image_bytes() const { return image_bytes_; }

  // Sample `key.index`, into place `at` of the target. Throws an Error that names the sample.
  void make(const SampleKey& key, const Target& target, std::size_t at, Scratch& scratch) const;

 private:
  void make_unnamed(const SampleKey& key, const Target& target, std::size_t at,
                    Scratch& scratch) const;

  const ImageSet& images_;
  const Transform& transform_;
  std::size_t image_bytes_ = 0;
};

}  // namespace ridgeline
