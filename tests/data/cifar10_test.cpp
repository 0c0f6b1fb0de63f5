#include "data/cifar10.h"

#include <filesystem>

#include <gmock/gmock.h>

#include "core/atomic_file.h"
#include "core/fault_of.h"
#include "core/temporary_folder.h"
#include "data/archive_builder.h"
#include "data/cifar_files.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

void expect_small_set(const fs::path& path, std::string_view layout) {
  const auto data = load_cifar10(path);
  ASSERT_TRUE(data);
  ASSERT_EQ(data->train->size(), 15U);
  ASSERT_EQ(data->test->size(), 3U);
  EXPECT_THAT(data->description, HasSubstr(layout));
  EXPECT_THAT(data->description, HasSubstr("15 + 3 images; not the published files: data_batch_1"));
  EXPECT_EQ(data->train->label(0), 0);
  EXPECT_EQ(data->train->label(14), 6);  // the third of the fifth batch
  EXPECT_EQ(data->test->label(0), 5);
  std::vector<std::uint8_t> scratch;
  const ImageView image = data->train->read(4, scratch);  // the second of the second batch
  EXPECT_EQ(image.height, 32);
  EXPECT_EQ(image.width, 32);
  for (std::size_t p : {0U, 31U, 32U, 1023U}) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      EXPECT_EQ(image.pixels[3 * p + channel], (p + 1 + channel) % 251);
    }
  }
  EXPECT_EQ(data->train->classes()[3], "cat");
  EXPECT_EQ(data->train->sample_name(4), "CIFAR-10 train, image 4");
}

std::string archive_of(CifarLayout layout) {
  std::vector<TarSpec> specs{{.name = "cifar/", .content = "", .type = '5'},
                             {.name = "cifar/readme.html", .content = "<html>"}};
  for (std::size_t i = 0; i < kCifarBatches; ++i) {
    specs.push_back(
        {.name = "cifar/" + cifar_file(layout, i),
         .content = layout == CifarLayout::Binary ? binary_batch(i, 3) : pickle_batch(i, 3)});
  }
  return tar_of(specs);
}

TEST(Cifar10Test, BothLayoutsAreFoundInTheFolderAndBelow) {
  for (const char* const below : {"", "cifar-10-batches-bin/"}) {
    const TemporaryFolder folder;
    put_cifar(folder, below, CifarLayout::Binary, 3);
    expect_small_set(folder.path(), "binary layout");
  }
  for (const char* const below : {"", "cifar-10-batches-py/"}) {
    const TemporaryFolder folder;
    put_cifar(folder, below, CifarLayout::Pickle, 3);
    expect_small_set(folder.path(), "pickle layout");
  }
}

TEST(Cifar10Test, ArchivesAreReadInTheFolderOrByName) {
  const TemporaryFolder folder;
  folder.put("a/cifar-10-binary.tar.gz", gzip_of(archive_of(CifarLayout::Binary)));
  folder.put("b/cifar-10-python.tar.gz", gzip_of(archive_of(CifarLayout::Pickle)));
  folder.put("c/any.name", archive_of(CifarLayout::Pickle));
  expect_small_set(folder.path() / "a", "binary layout");
  expect_small_set(folder.path() / "b", "pickle layout");
  expect_small_set(folder.path() / "c/any.name", "pickle layout");
}

TEST(Cifar10Test, NothingThereIsAbsentNotBroken) {
  const TemporaryFolder folder;
  EXPECT_FALSE(load_cifar10(folder.path()));
  EXPECT_FALSE(load_cifar10(folder.path() / "none"));
  folder.put("train/cat/1.jpg", "x");
  EXPECT_FALSE(load_cifar10(folder.path()));
}

std::string complaint(const fs::path& path) {
  return message_of(Fault::BadInput, [&] { (void)load_cifar10(path); });
}

TEST(Cifar10Test, MissingBatchesAreNamed) {
  const TemporaryFolder folder;
  put_cifar(folder, "", CifarLayout::Binary, 1);
  fs::remove(folder.path() / "data_batch_3.bin");
  fs::remove(folder.path() / "test_batch.bin");
  EXPECT_THAT(complaint(folder.path()), HasSubstr("data_batch_3.bin, test_batch.bin missing"));
  // A complete set elsewhere comes first.
  put_cifar(folder, "cifar-10-batches-py/", CifarLayout::Pickle, 3);
  expect_small_set(folder.path(), "pickle layout");
}

TEST(Cifar10Test, CutAndOversizedBinaryFilesAreRefused) {
  const TemporaryFolder folder;
  put_cifar(folder, "", CifarLayout::Binary, 2);
  folder.put("data_batch_2.bin", binary_batch(1, 2).substr(1));
  EXPECT_THAT(complaint(folder.path()), HasSubstr("6145 bytes are not a multiple of 3073"));
  EXPECT_THAT(complaint(folder.path()), HasSubstr("data_batch_2.bin"));
  EXPECT_THAT(complaint(folder.path()), HasSubstr("at byte 3073"));
  folder.put("data_batch_2.bin", "");
  EXPECT_THAT(complaint(folder.path()), HasSubstr("no images"));
  folder.put("data_batch_2.bin", std::string(10001 * 3073, '\0'));
  EXPECT_THAT(complaint(folder.path()), HasSubstr("10001 images"));
}

TEST(Cifar10Test, WrongLabelsAreRefusedWithFileAndOffset) {
  const TemporaryFolder folder;
  put_cifar(folder, "", CifarLayout::Binary, 2);
  std::string bad = binary_batch(0, 2);
  bad[3073] = 10;
  folder.put("data_batch_5.bin", bad);
  EXPECT_THAT(complaint(folder.path()), HasSubstr("data_batch_5.bin': image 1 has the label 10"));
  EXPECT_THAT(complaint(folder.path()), HasSubstr("(at byte 3073)"));
}

TEST(Cifar10Test, PicklesOfOtherThingsAreRefused) {
  const TemporaryFolder folder;
  put_cifar(folder, "", CifarLayout::Pickle, 2);
  const auto with = [&](const std::string& content) {
    folder.put("data_batch_4", content);
    return complaint(folder.path());
  };
  EXPECT_THAT(with("cos\nsystem\n(S'x'\ntR."), HasSubstr("'os.system'"));
  EXPECT_THAT(with("}."), HasSubstr("no 'data'"));
  std::string other = pickle_batch(3, 2);
  other.replace(other.find("labels"), 6, "lab3ls");
  EXPECT_THAT(with(other), HasSubstr("no 'labels'"));
  std::string label = pickle_batch(3, 2);
  label[label.rfind('K') + 1] = 10;
  EXPECT_THAT(with(label), HasSubstr("image 1 has a label that is none of 0 to 9"));
  EXPECT_THAT(with(pickle_batch(3, 2).substr(0, 5000)), HasSubstr("ends early"));
}

TEST(Cifar10Test, BrokenArchivesAreRefused) {
  const TemporaryFolder folder;
  const auto with = [&](const std::string& content) {
    folder.put("cifar-10-binary.tar.gz", content);
    return complaint(folder.path());
  };
  const std::string archive = archive_of(CifarLayout::Binary);
  EXPECT_THAT(with(gzip_of(archive).substr(0, 1000)), HasSubstr("ends early"));
  EXPECT_THAT(with(tar_of(std::vector<TarSpec>{{.name = "x", .content = "y"}})),
              HasSubstr("no batch of CIFAR-10"));
  EXPECT_THAT(with(archive.substr(0, 512 + 1024 + 512 + 9728)), HasSubstr("missing"));
  EXPECT_THAT(with(archive.substr(0, archive.size() - 1024) + archive),
              HasSubstr("one batch too many"));
  EXPECT_THAT(with("not an archive" + std::string(1000, 'x')), HasSubstr("no tar archive"));
}

}  // namespace
}  // namespace ridgeline
