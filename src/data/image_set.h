#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ridgeline {

// Interleaved RGB, rows without gaps: height * width * 3 bytes.
struct ImageView {
  const std::uint8_t* pixels = nullptr;
  int height = 0;
  int width = 0;
};

// Labelled images, in memory or decoded when asked for. Several threads read at once.
class ImageSet {
 public:
  virtual ~ImageSet() = default;
  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] virtual int label(std::size_t index) const = 0;
  // Valid until the next read with the same scratch; a set in memory ignores it. Throws Error that
  // names the sample when it cannot be decoded.
  [[nodiscard]] virtual ImageView read(std::size_t index,
                                       std::vector<std::uint8_t>& scratch) const = 0;
  [[nodiscard]] virtual const std::vector<std::string>& classes() const = 0;
  // For messages: "data_batch_1.bin, image 17", "cats/3.jpg".
  [[nodiscard]] virtual std::string sample_name(std::size_t index) const = 0;
};

struct ImageData {
  std::unique_ptr<ImageSet> train;
  std::unique_ptr<ImageSet> test;
  std::string description;  // "CIFAR-10, binary layout": what was found, for the summary
  std::string kind{};       // "CIFAR-10", in whichever layout
  std::string note{};       // what of it was left out; empty when nothing was
};

}  // namespace ridgeline
