#include "data/hold_out.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "data/image_array.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;

ImageArray::Content six_images() {
  ImageArray::Content content{.height = 1, .width = 2, .classes = {"a", "b", "c"}, .origin = "six"};
  for (int i = 0; i < 6; ++i) {
    content.pixels.insert(content.pixels.end(), 6, static_cast<std::uint8_t>(i));
    content.labels.push_back(i % 3);
  }
  return content;
}

// The same images, not known to lie in memory: as files of a folder.
class Decoded final : public ImageSet {
 public:
  [[nodiscard]] std::size_t size() const override { return array_.size(); }
  [[nodiscard]] int label(std::size_t index) const override { return array_.label(index); }
  [[nodiscard]] ImageView read(std::size_t index,
                               std::vector<std::uint8_t>& scratch) const override {
    const ImageView view = array_.read(index, scratch);
    scratch.assign(view.pixels, view.pixels + 6);
    return {.pixels = scratch.data(), .height = view.height, .width = view.width};
  }
  [[nodiscard]] const std::vector<std::string>& classes() const override {
    return array_.classes();
  }
  [[nodiscard]] std::string sample_name(std::size_t index) const override {
    return array_.sample_name(index);
  }

 private:
  ImageArray array_{six_images()};
};

ImageData data_of(std::unique_ptr<ImageSet> train) {
  return {.train = std::move(train),
          .test = std::make_unique<ImageArray>(six_images()),
          .description = "six"};
}

std::vector<int> pixels_of(const ImageSet& images) {
  std::vector<int> values;
  std::vector<std::uint8_t> scratch;
  for (std::size_t i = 0; i < images.size(); ++i)
    values.push_back(images.read(i, scratch).pixels[5]);
  return values;
}

TEST(HoldOutTest, TheLastImagesLeaveTheTrainingSetForTheTestSets) {
  std::vector<std::unique_ptr<ImageSet>> sets;
  sets.push_back(std::make_unique<ImageArray>(six_images()));
  sets.push_back(std::make_unique<Decoded>());
  for (auto& set : sets) {
    ImageData data = data_of(std::move(set));
    hold_out(data, 2);
    EXPECT_EQ(pixels_of(*data.train), (std::vector<int>{0, 1, 2, 3}));
    EXPECT_EQ(pixels_of(*data.test), (std::vector<int>{4, 5}));
    EXPECT_EQ(data.test->label(0), 1);
    EXPECT_EQ(data.test->classes().size(), 3);
  }
}

TEST(HoldOutTest, ASetInMemoryStaysOne) {
  ImageData data = data_of(std::make_unique<ImageArray>(six_images()));
  hold_out(data, 1);
  EXPECT_NE(dynamic_cast<const ImageArray*>(data.train.get()), nullptr);
  EXPECT_NE(dynamic_cast<const ImageArray*>(data.test.get()), nullptr);
}

TEST(HoldOutTest, SomeMustBeLeft) {
  for (const std::size_t count : {0, 6, 7}) {
    ImageData data = data_of(std::make_unique<ImageArray>(six_images()));
    EXPECT_THAT(message_of(Fault::BadInput, [&] { hold_out(data, count); }),
                HasSubstr("must be 1 to 5"));
    EXPECT_EQ(data.train->size(), 6);
  }
}

TEST(HoldOutTest, ClassesThatAreMissingShow) {
  ImageData data = data_of(std::make_unique<ImageArray>(six_images()));
  EXPECT_EQ(classes_present(*data.test), 3);
  hold_out(data, 2);
  EXPECT_EQ(classes_present(*data.test), 2);
}

}  // namespace
}  // namespace ridgeline
