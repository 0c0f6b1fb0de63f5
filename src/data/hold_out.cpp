#include "data/hold_out.h"

#include <set>

#include <fmt/format.h>

#include "core/error.h"
#include "data/image_array.h"

namespace ridgeline {
namespace {

// A stretch of another set, which both stretches keep alive.
class ImageRange final : public ImageSet {
 public:
  ImageRange(std::shared_ptr<const ImageSet> whole, std::size_t first, std::size_t count)
      : whole_(std::move(whole)), first_(first), count_(count) {}

  [[nodiscard]] std::size_t size() const override { return count_; }
  [[nodiscard]] int label(std::size_t index) const override {
    return whole_->label(first_ + index);
  }
  [[nodiscard]] ImageView read(std::size_t index,
                               std::vector<std::uint8_t>& scratch) const override {
    RIDGELINE_CHECK(index < count_);
    return whole_->read(first_ + index, scratch);
  }
  [[nodiscard]] const std::vector<std::string>& classes() const override {
    return whole_->classes();
  }
  [[nodiscard]] std::string sample_name(std::size_t index) const override {
    return whole_->sample_name(first_ + index);
  }

 private:
  std::shared_ptr<const ImageSet> whole_;
  std::size_t first_;
  std::size_t count_;
};

ImageArray::Content slice(const ImageArray::Content& whole, std::size_t first, std::size_t count) {
  const std::size_t image =
      static_cast<std::size_t>(whole.height) * static_cast<std::size_t>(whole.width) * 3;
  const auto pixel = whole.pixels.begin() + static_cast<std::ptrdiff_t>(first * image);
  const auto label = whole.labels.begin() + static_cast<std::ptrdiff_t>(first);
  return {.height = whole.height,
          .width = whole.width,
          .pixels = {pixel, pixel + static_cast<std::ptrdiff_t>(count * image)},
          .labels = {label, label + static_cast<std::ptrdiff_t>(count)},
          .classes = whole.classes,
          .origin = first > 0 ? fmt::format("{} from {}", whole.origin, first) : whole.origin};
}

}  // namespace

void require_some_left(std::size_t images, std::size_t held_out) {
  if (held_out == 0 || held_out >= images)
    throw bad_input(
        fmt::format("--hold-out {}: must be 1 to {}, which leaves one of {} training images",
                    held_out, images - 1, images));
}

void hold_out(ImageData& data, std::size_t count) {
  const std::size_t all = data.train->size();
  require_some_left(all, count);
  const std::size_t kept = all - count;
  if (const auto* const array = dynamic_cast<const ImageArray*>(data.train.get())) {
    auto train = std::make_unique<ImageArray>(slice(array->content(), 0, kept));
    data.test = std::make_unique<ImageArray>(slice(array->content(), kept, count));
    data.train = std::move(train);
    return;
  }
  const std::shared_ptr<const ImageSet> whole(std::move(data.train));
  data.train = std::make_unique<ImageRange>(whole, 0, kept);
  data.test = std::make_unique<ImageRange>(whole, kept, count);
}

std::size_t classes_present(const ImageSet& images) {
  std::set<int> seen;
  for (std::size_t i = 0; i < images.size() && seen.size() < images.classes().size(); ++i)
    seen.insert(images.label(i));
  return seen.size();
}

}  // namespace ridgeline
