#include "data/image_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/atomic_file.h"
#include "core/error.h"
#include "core/temporary_folder.h"
#include "data/find_images.h"
#include "data/picture_files.h"

namespace ridgeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ImageFolderTest : public testing::Test {
 protected:
  // A one-pixel picture whose level tells it apart.
  void add(const std::string& file, std::uint8_t level) {
    write_file_atomically(folder_.path() / file, png_of(plain_picture(1, 1, level)));
  }
  static std::vector<int> levels(const ImageSet& set) {
    std::vector<int> result;
    std::vector<std::uint8_t> scratch;
    for (std::size_t i = 0; i < set.size(); ++i) result.push_back(set.read(i, scratch).pixels[0]);
    return result;
  }
  TemporaryFolder folder_;
};

TEST_F(ImageFolderTest, ClassesAreSortedByNameAndSharedByBothParts) {
  add("train/dog/b.png", 3);
  add("train/cat/2.png", 2);
  add("train/cat/1.PNG", 1);
  add("train/cat/deeper/3.jpeg", 9);
  add("train/.hidden/1.png", 4);
  add("val/dog/x.png", 5);
  write_file_atomically(folder_.path() / "train/cat/notes.txt", "no image");
  const ImageData data = open_image_folder(folder_.path());
  EXPECT_THAT(data.train->classes(), ElementsAre("cat", "dog"));
  EXPECT_THAT(levels(*data.train), ElementsAre(1, 2, 9, 3));
  EXPECT_EQ(data.train->label(3), 1);
  EXPECT_THAT(levels(*data.test), ElementsAre(5));
  EXPECT_EQ(data.test->label(0), 1);
  EXPECT_THAT(data.description, HasSubstr("2 classes, 4 + 1 images (train and val)"));
}

TEST_F(ImageFolderTest, AClassMayKeepAllItsImagesInFoldersOfItsOwn) {
  add("train/cat/summer/1.png", 1);
  add("train/cat/winter/2.png", 2);
  add("val/cat/spring/3.png", 3);
  EXPECT_TRUE(is_image_folder(folder_.path()));
  EXPECT_THAT(levels(*open_image_folder(folder_.path()).train), ElementsAre(1, 2));
}

TEST_F(ImageFolderTest, WithoutASplitEveryTenthImageIsHeldOut) {
  for (int i = 0; i < 20; ++i) add("a/" + std::to_string(100 + i) + ".png", std::uint8_t(i));
  add("b/1.png", 50);
  add("b/2.png", 51);
  add("c/1.png", 60);
  const ImageData data = open_images(folder_.path().string());
  EXPECT_THAT(levels(*data.test), ElementsAre(9, 19, 51));
  EXPECT_EQ(data.train->size(), 20U);
  EXPECT_THAT(data.description, HasSubstr("held out"));
}

TEST_F(ImageFolderTest, ToJudgeAFolderOfClassesAloneIsWhole) {
  for (const char* file : {"a/1.png", "a/2.png", "b/1.png"}) add(file, 1);
  const ImageData data = open_image_folder(folder_.path(), {.to_judge = true});
  EXPECT_EQ(data.test->size(), 3U);
  EXPECT_EQ(data.train, nullptr);
  EXPECT_EQ(data.description, "image folder, 2 classes, 3 images");
  for (const char* file : {"train/a/1.png", "val/a/1.png"}) add(file, 1);
  EXPECT_EQ(open_image_folder(folder_.path(), {.to_judge = true}).test->size(), 1U);
}

TEST_F(ImageFolderTest, ImagesOfFormatsThatAreNotReadAreNoted) {
  add("train/a/1.png", 1);
  add("val/a/1.png", 1);
  write_file_atomically(folder_.path() / "train/a/notes.txt", "no image");
  EXPECT_EQ(open_image_folder(folder_.path()).note, "");
  write_file_atomically(folder_.path() / "val/a/2.BMP", "");
  EXPECT_EQ(open_image_folder(folder_.path()).note,
            "1 image is left out, for only JPEG and PNG are read: " +
                (folder_.path() / "val/a/2.BMP").string());
  write_file_atomically(folder_.path() / "train/a/3.webp", "");
  EXPECT_EQ(open_image_folder(folder_.path()).note,
            "2 images are left out, for only JPEG and PNG are read: " +
                (folder_.path() / "train/a/3.webp").string() + " and others");
}

TEST_F(ImageFolderTest, OneImageAClassLeavesNothingToTestOnAndIsRefused) {
  add("a/1.png", 1);
  add("b/1.png", 2);
  try {
    (void)open_image_folder(folder_.path());
    FAIL() << "an empty test part was taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("leaves none to test on"));
  }
}

TEST_F(ImageFolderTest, ABrokenImageIsNamedWhenItIsRead) {
  add("a/1.png", 1);
  write_file_atomically(folder_.path() / "a/0.jpg", "\xFF\xD8\xFF and no more");
  const ImageData data = open_image_folder(folder_.path());
  std::vector<std::uint8_t> scratch;
  try {
    (void)data.train->read(0, scratch);
    FAIL() << "a broken image was read";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("a/0.jpg: "));
  }
}

TEST_F(ImageFolderTest, WhatIsNoDataSetIsRefused) {
  EXPECT_THROW((void)open_image_folder(folder_.path()), Error);
  EXPECT_THROW((void)open_image_folder(folder_.path() / "absent"), Error);
  EXPECT_THROW((void)open_images(folder_.path().string()), Error);
  EXPECT_THROW((void)open_images((folder_.path() / "absent").string()), Error);
  EXPECT_FALSE(is_image_folder(folder_.path() / "absent"));
}

TEST_F(ImageFolderTest, AnEmptyClassAndAnUnknownOneAreRefused) {
  add("train/a/1.png", 1);
  std::filesystem::create_directories(folder_.path() / "train/b");
  EXPECT_THROW((void)open_image_folder(folder_.path()), Error);
  add("train/b/1.png", 1);
  add("test/c/1.png", 1);
  try {
    (void)open_image_folder(folder_.path());
    FAIL() << "an unknown class was taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("test/c: a class that the training images do not have"));
  }
}

}  // namespace
}  // namespace ridgeline
