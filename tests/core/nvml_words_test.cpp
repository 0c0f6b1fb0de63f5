#include <gmock/gmock.h>

#include "core/nvml.h"

namespace ridgeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ThrottleWordsTest, EachBitHasItsWord) {
  EXPECT_THAT(throttle_words(0), IsEmpty());
  EXPECT_THAT(throttle_words(0x1), IsEmpty()) << "an idle card is not held back";
  EXPECT_THAT(throttle_words(0x44), ElementsAre("power cap", "hardware thermal slowdown"));
  EXPECT_THAT(throttle_words(1ULL << 60), ElementsAre("unknown reason"));
}

}  // namespace
}  // namespace ridgeline
