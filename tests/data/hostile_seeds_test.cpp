#include "data/hostile_seeds.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

// What fuzzing begins from (tests/fuzz) would find little if it were refused at once.
TEST(HostileSeedsTest, AreGoodFiles) {
  for (const HostileSeed& seed : hostile_seeds()) {
    EXPECT_NO_THROW(seed.target(bytes_of(seed.content))) << seed.name;
  }
}

}  // namespace
}  // namespace ridgeline
