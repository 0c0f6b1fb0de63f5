#include "data/loader.h"

#include <atomic>
#include <cstring>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include "core/error.h"
#include "data/image_array.h"
#include "data/pictures.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;

// Image i is the noise of seed i, and its label is i.
class NoiseSet final : public ImageSet {
 public:
  explicit NoiseSet(std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      pictures_.push_back(noise_picture(8, 8, i));
      classes_.push_back(std::to_string(i));
    }
  }
  std::set<std::size_t> broken{};
  [[nodiscard]] std::size_t size() const override { return pictures_.size(); }
  [[nodiscard]] int label(std::size_t index) const override { return static_cast<int>(index); }
  [[nodiscard]] ImageView read(std::size_t index, std::vector<std::uint8_t>&) const override {
    if (broken.contains(index)) throw Error(Fault::Io, "the file ends early");
    return pictures_[index].view();
  }
  [[nodiscard]] const std::vector<std::string>& classes() const override { return classes_; }
  [[nodiscard]] std::string sample_name(std::size_t index) const override {
    return "noise " + std::to_string(index);
  }

 private:
  std::vector<Picture> pictures_;
  std::vector<std::string> classes_;
};

Transform small_transform() {
  TransformOptions options = parse_transform("rrc16");
  options.normalisation = kCifarNormalisation;
  return Transform(options);
}

struct Epoch {
  std::vector<std::int64_t> labels;
  std::vector<std::byte> pixels;
  std::vector<std::size_t> counts;
  [[nodiscard]] bool operator==(const Epoch&) const = default;
};

constexpr std::size_t kImageBytes = std::size_t{16} * 16 * 3 * sizeof(float);

Epoch rest_of_epoch(Loader& loader) {
  Epoch epoch;
  while (const auto batch = loader.next()) {
    epoch.labels.insert(epoch.labels.end(), batch->labels, batch->labels + batch->count);
    epoch.pixels.insert(epoch.pixels.end(), batch->pixels,
                        batch->pixels + batch->count * kImageBytes);
    epoch.counts.push_back(batch->count);
    loader.release(*batch);
  }
  return epoch;
}

Epoch whole_epoch(Loader& loader, std::uint64_t epoch) {
  loader.start_epoch(epoch);
  return rest_of_epoch(loader);
}

TEST(LoaderTest, TheNumberOfWorkersChangesNoByte) {
  const NoiseSet images(203);
  const Transform transform = small_transform();
  Loader alone(images, transform, {.batch_size = 10, .workers = 0, .drop_last = false});
  const Epoch expected = whole_epoch(alone, 2);
  EXPECT_EQ(expected.labels.size(), 203U);
  for (const int workers : {1, 2, 5}) {
    for (const bool persistent : {true, false}) {
      Loader loader(images, transform,
                    {.batch_size = 10,
                     .workers = workers,
                     .drop_last = false,
                     .persistent_workers = persistent});
      EXPECT_NE(whole_epoch(loader, 1), expected);
      EXPECT_EQ(whole_epoch(loader, 2), expected) << workers;
    }
  }
}

TEST(LoaderTest, EverySampleComesOnceAndALastPartOnlyWhenWanted) {
  const NoiseSet images(23);
  const Transform transform = small_transform();
  Loader all(images, transform, {.batch_size = 5, .workers = 2, .drop_last = false});
  Loader full(images, transform, {.batch_size = 5, .workers = 2, .drop_last = true});
  EXPECT_EQ(all.batches_per_epoch(), 5U);
  EXPECT_EQ(full.batches_per_epoch(), 4U);
  const Epoch epoch = whole_epoch(all, 0);
  EXPECT_EQ(epoch.counts, (std::vector<std::size_t>{5, 5, 5, 5, 3}));
  EXPECT_EQ(std::set(epoch.labels.begin(), epoch.labels.end()).size(), 23U);
  EXPECT_EQ(whole_epoch(full, 0).counts, (std::vector<std::size_t>{5, 5, 5, 5}));
}

TEST(LoaderTest, AResumedEpochGoesOnWhereItStopped) {
  const NoiseSet images(40);
  const Transform transform = small_transform();
  for (const int workers : {0, 3}) {
    Loader loader(images, transform, {.batch_size = 4, .workers = workers});
    const Epoch whole = whole_epoch(loader, 7);
    loader.start_epoch(7, 6);
    const Epoch rest = rest_of_epoch(loader);
    EXPECT_EQ(rest.labels, std::vector(whole.labels.begin() + 24, whole.labels.end()));
    EXPECT_EQ(rest.pixels,
              std::vector(whole.pixels.begin() + 24 * kImageBytes, whole.pixels.end()));
    loader.start_epoch(7, 10);
    EXPECT_FALSE(loader.next());
    EXPECT_THROW(loader.start_epoch(7, 11), Error);
  }
}

TEST(LoaderTest, AnAbandonedEpochLeavesNoTrace) {
  const NoiseSet images(400);
  const Transform transform = small_transform();
  for (const bool persistent : {true, false}) {
    Loader loader(images, transform,
                  {.batch_size = 8, .workers = 3, .persistent_workers = persistent});
    const Epoch expected = whole_epoch(loader, 1);
    for (std::uint64_t epoch = 2; epoch < 10; ++epoch) {
      loader.start_epoch(epoch);
      const auto batch = loader.next();
      ASSERT_TRUE(batch);
      loader.release(*batch);
    }
    EXPECT_EQ(whole_epoch(loader, 1), expected);
    loader.start_epoch(3);  // and the destructor ends this one
  }
}

std::string failure_of(Loader& loader, std::uint64_t epoch) {
  try {
    (void)whole_epoch(loader, epoch);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::Io);
    EXPECT_FALSE(loader.next());  // once
    return error.what();
  }
  return "nothing failed";
}

TEST(LoaderTest, AFailureNamesTheFirstBrokenSampleWhateverTheWorkers) {
  NoiseSet images(64);
  images.broken = {3, 17, 18, 19, 40, 63};
  const Transform transform = small_transform();
  Loader alone(images, transform, {.batch_size = 32, .workers = 0});
  const std::string expected = failure_of(alone, 5);
  EXPECT_THAT(expected, HasSubstr("the file ends early"));
  EXPECT_THAT(expected, HasSubstr("noise "));
  for (const int workers : {1, 2, 5}) {
    Loader loader(images, transform, {.batch_size = 32, .workers = workers});
    EXPECT_EQ(failure_of(loader, 5), expected);
    images.broken.clear();
    EXPECT_EQ(whole_epoch(loader, 6).labels.size(), 64U);
    images.broken = {3, 17, 18, 19, 40, 63};
  }
}

TEST(LoaderTest, TwoBatchesMayBeHeldAndKeepTheirContent) {
  const NoiseSet images(60);
  const Transform transform = small_transform();
  for (const int workers : {0, 1, 4}) {
    Loader loader(images, transform, {.batch_size = 6, .workers = workers, .prefetch = 1});
    const Epoch expected = whole_epoch(loader, 0);
    loader.start_epoch(0);
    auto before = loader.next();
    std::size_t number = 0;
    while (const auto batch = loader.next()) {
      const auto at = static_cast<std::ptrdiff_t>(number++ * 6 * kImageBytes);
      EXPECT_TRUE(std::equal(before->pixels, before->pixels + 6 * kImageBytes,
                             expected.pixels.begin() + at));
      loader.release(*before);
      before = batch;
    }
    EXPECT_EQ(number, 9U);
  }
}

TEST(LoaderTest, HoldingEverythingIsAnErrorAndNoDeadlock) {
  const NoiseSet images(60);
  const Transform transform = small_transform();
  Loader loader(images, transform, {.batch_size = 2, .workers = 2, .prefetch = 1});
  loader.start_epoch(0);
  EXPECT_THROW(
      {
        while (loader.next()) {
        }
      },
      Error);
}

TEST(LoaderTest, BuffersComeFromTheAllocatorAndAreUsedAgain) {
  const NoiseSet images(400);
  const Transform transform = small_transform();
  int allocated = 0;
  Loader loader(images, transform, {.batch_size = 10, .workers = 2, .prefetch = 2},
                [&](std::size_t bytes) {
                  ++allocated;
                  EXPECT_EQ(bytes, 10 * kImageBytes);
                  return allocate_on_heap(bytes);
                });
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) (void)whole_epoch(loader, epoch);
  EXPECT_LE(allocated, 6);
  EXPECT_GE(allocated, 1);
}

TEST(LoaderTest, ImagesOfSeveralSizesNeedAGeometry) {
  class TwoSizes final : public ImageSet {
   public:
    [[nodiscard]] std::size_t size() const override { return 2; }
    [[nodiscard]] int label(std::size_t) const override { return 0; }
    [[nodiscard]] ImageView read(std::size_t index, std::vector<std::uint8_t>&) const override {
      return index == 0 ? small_.view() : large_.view();
    }
    [[nodiscard]] const std::vector<std::string>& classes() const override { return classes_; }
    [[nodiscard]] std::string sample_name(std::size_t index) const override {
      return index == 0 ? "small.png" : "large.png";
    }

   private:
    Picture small_ = noise_picture(4, 4);
    Picture large_ = noise_picture(5, 5);
    std::vector<std::string> classes_{"a"};
  };
  const TwoSizes images;
  const Transform transform(parse_transform("none"));
  Loader loader(images, transform, {.batch_size = 2, .workers = 1});
  loader.start_epoch(0);
  try {
    (void)loader.next();
    FAIL() << "two sizes went into one batch";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("large.png: 5x5"));
  }
}

TEST(LoaderTest, OptionsOutOfRangeAreRefused) {
  const NoiseSet images(4);
  const Transform transform = small_transform();
  EXPECT_THROW(Loader(images, transform, {.batch_size = 0}), Error);
  EXPECT_THROW(Loader(images, transform, {.workers = -1}), Error);
  EXPECT_THROW(Loader(images, transform, {.workers = 1, .prefetch = 0}), Error);
}

TEST(LoaderTest, BuffersBeyondTheMemoryOfMachinesAreRefusedWithTheirNumbers) {
  const NoiseSet images(4);
  const Transform transform = small_transform();
  for (const std::size_t batch : {std::size_t{1} << 26, std::size_t{1} << 60}) {
    try {
      Loader(images, transform, {.batch_size = batch, .workers = 1, .drop_last = false});
      FAIL() << "buffers of " << batch << " images were taken";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("3 buffers (1 workers, prefetch 2) of " +
                                          std::to_string(batch) + " images of 3080 bytes"));
    }
  }
}

// Stacks larger than the address space: no thread can be started.
class NoThreads {
 public:
  NoThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    pthread_getattr_default_np(&huge);
    pthread_attr_setstacksize(&huge, std::size_t{1} << 47);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ~NoThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t before_;
};

TEST(LoaderTest, WorkersThatCannotBeStartedLeaveNothingToWaitFor) {
  const NoiseSet images(4);
  const Transform transform = small_transform();
  Loader loader(images, transform, {.batch_size = 2, .workers = 2});
  {
    const NoThreads none;
    EXPECT_THROW(loader.start_epoch(0), Error);
    EXPECT_FALSE(loader.next());
  }
  EXPECT_EQ(whole_epoch(loader, 0).labels.size(), 4U);
}

TEST(LoaderTest, FewerSamplesThanABatchMakeNoFullBatch) {
  const NoiseSet images(4);
  const Transform transform = small_transform();
  Loader loader(images, transform, {.batch_size = 5, .workers = 2});
  loader.start_epoch(0);
  EXPECT_FALSE(loader.next());
  EXPECT_FALSE(loader.next());
}

TEST(HeapBufferTest, BuffersAreAlignedForVectors) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{1000}, std::size_t{5} << 20}) {
    const auto buffer = allocate_on_heap(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.get()) % 64, 0U);
    std::memset(buffer.get(), 1, bytes);
  }
}

}  // namespace
}  // namespace ridgeline
