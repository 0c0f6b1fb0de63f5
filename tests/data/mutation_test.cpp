// Small damage to good files, the same every time: no reader may do anything but read or refuse.
// The fuzzers in tests/fuzz search further; this keeps what they found from coming back.

#include <gtest/gtest.h>

#include "data/hostile_seeds.h"
#include "stats/random.h"

namespace ridgeline {
namespace {

constexpr int kMutations = 400;

// One of the things that break parsers: a flipped bit, an extreme byte or number, a cut, a copy of
// one part over another, a part that is missing.
void mutate(std::string& file, Random& random) {
  if (file.empty()) return;
  const auto place = [&] { return static_cast<std::size_t>(random.below(file.size())); };
  const std::size_t at = place();
  const auto length =
      static_cast<std::size_t>(random.below(std::min<std::uint64_t>(16, file.size() - at)) + 1);
  switch (random.below(6)) {
    case 0:
      file[at] = static_cast<char>(file[at] ^ (1U << random.below(8)));
      break;
    case 1:
      file[at] = std::array{'\0', '\xff', '\x7f', '\x80', '\x01', '.'}[random.below(6)];
      break;
    case 2:
      file.replace(at, length, std::string(length, random.below(2) == 0 ? '\xff' : '\0'));
      break;
    case 3:
      file.resize(at);
      break;
    case 4:
      file.replace(at, length, file.substr(place(), length));
      break;
    default:
      file.erase(at, length);
      break;
  }
}

TEST(MutationTest, TheSeedsAreGood) {
  for (const HostileSeed& seed : hostile_seeds()) {
    EXPECT_NO_THROW(seed.target(bytes_of(seed.content))) << seed.name;
  }
}

TEST(MutationTest, DamagedFilesAreReadOrRefused) {
  const auto seeds = hostile_seeds();
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    int refused = 0;
    for (int round = 0; round < kMutations; ++round) {
      Random random(static_cast<std::uint64_t>(round), i);
      std::string file = seeds[i].content;
      for (std::uint64_t count = random.below(4) + 1; count > 0; --count) mutate(file, random);
      const Outcome outcome = outcome_of(seeds[i].target, bytes_of(file));
      ASSERT_NE(outcome, Outcome::Wrong) << seeds[i].name << ", seed " << i << ", round " << round;
      if (outcome == Outcome::Refused) ++refused;
    }
    EXPECT_GT(refused, kMutations / 20) << seeds[i].name << ": hardly anything was damaged";
  }
}

}  // namespace
}  // namespace ridgeline
