#pragma once

#include "data/image_set.h"

namespace ridgeline {

// Images of one size, all in memory, one after the other (NHWC): what can be kept on a GPU whole.
class ImageArray final : public ImageSet {
 public:
  struct Content {
    int height = 0;
    int width = 0;
    std::vector<std::uint8_t> pixels{};  // size * height * width * 3
    std::vector<int> labels{};           // each below classes.size()
    std::vector<std::string> classes{};
    std::string origin{};  // names the samples: "CIFAR-10 train"
  };
  explicit ImageArray(Content content);

  [[nodiscard]] std::size_t size() const override { return content_.labels.size(); }
  [[nodiscard]] int label(std::size_t index) const override { return content_.labels[index]; }
  [[nodiscard]] ImageView read(std::size_t index,
                               std::vector<std::uint8_t>& scratch) const override;
  [[nodiscard]] const std::vector<std::string>& classes() const override {
    return content_.classes;
  }
  [[nodiscard]] std::string sample_name(std::size_t index) const override;
  [[nodiscard]] const Content& content() const { return content_; }

 private:
  Content content_;
};

}  // namespace ridgeline
