#include "core/progress.h"

#include <cstdlib>

#include <gmock/gmock.h>

namespace ridgeline {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

// Collects what is drawn, with a clock that moves only when told.
class ProgressTest : public ::testing::Test {
 protected:
  ~ProgressTest() override {
    std::fclose(stream_);
    std::free(data_);
  }

  ProgressOptions options(std::size_t total) {
    return {.total = total,
            .stream = stream_,
            .now = [this] { return now_; },
            .terminal = true,
            .columns = 60};
  }

  std::string drawn() {
    std::fflush(stream_);
    return {data_, size_};
  }

  Seconds now_{100};
  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* stream_ = ::open_memstream(&data_, &size_);
};

TEST_F(ProgressTest, ShowsItemShareAndTimeLeft) {
  Progress progress(options(4));
  progress.begin("resnet18");
  EXPECT_THAT(drawn(), EndsWith("\r[1/4] resnet18 0 %\x1b[K"));
  now_ += Seconds{10};
  progress.update(0.5);  // an eighth took 10 s
  EXPECT_THAT(drawn(), EndsWith("\r[1/4] resnet18 50 %, 1m 10s left\x1b[K"));
}

TEST_F(ProgressTest, DrawsAtMostTenTimesASecond) {
  Progress progress(options(1));
  progress.begin("x");
  const std::size_t before = drawn().size();
  now_ += Seconds{0.05};
  progress.update(0.1);
  EXPECT_EQ(drawn().size(), before);
  now_ += Seconds{0.06};
  progress.update(0.2);
  EXPECT_GT(drawn().size(), before);
}

TEST_F(ProgressTest, ANewItemIsDrawnAtOnce) {
  Progress progress(options(2));
  progress.begin("first");
  progress.finish_item();
  progress.begin("second");
  EXPECT_THAT(drawn(), HasSubstr("[2/2] second"));
}

TEST_F(ProgressTest, ClearingLeavesAnEmptyLineAndHappensOnce) {
  Progress progress(options(1));
  progress.begin("x");
  progress.clear();
  EXPECT_THAT(drawn(), EndsWith("\r\x1b[K"));
  const std::size_t before = drawn().size();
  progress.clear();
  EXPECT_EQ(drawn().size(), before);
}

TEST_F(ProgressTest, EndOfLifeClearsTheLine) {
  { Progress(options(1)).begin("x"); }
  EXPECT_THAT(drawn(), EndsWith("\r\x1b[K"));
}

TEST_F(ProgressTest, ALongNameStaysOnOneLine) {
  Progress progress(options(1));
  progress.begin(std::string(500, 'x') + '\n');
  EXPECT_LT(drawn().size(), 80U);
  EXPECT_EQ(drawn().find('\n'), std::string::npos);
}

TEST_F(ProgressTest, WithoutATotalThereIsNoGuess) {
  Progress progress(options(0));
  progress.begin("downloading");
  EXPECT_THAT(drawn(), EndsWith("\rdownloading\x1b[K"));
}

TEST_F(ProgressTest, NothingIsDrawnWhenDisabledOrNotOnATerminal) {
  ProgressOptions quiet = options(1);
  quiet.enabled = false;
  Progress(std::move(quiet)).begin("x");
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  Progress({.total = 1, .stream = file}).begin("x");
  EXPECT_EQ(std::ftell(file), 0);
  std::fclose(file);
  EXPECT_EQ(drawn(), "");
}

}  // namespace
}  // namespace ridgeline
