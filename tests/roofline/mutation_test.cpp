// Small damage to good files, the same every time: no reader may do anything but read or refuse.

#include <array>

#include <gtest/gtest.h>

#include "roofline/hostile_ncu.h"
#include "roofline/ncu_text.h"
#include "stats/random.h"

namespace ridgeline {
namespace {

constexpr int kMutations = 400;

void mutate(std::string& file, Random& random) {
  if (file.empty()) return;
  const auto place = [&] { return static_cast<std::size_t>(random.below(file.size())); };
  const std::size_t at = place();
  const auto length =
      std::min<std::size_t>(static_cast<std::size_t>(random.below(24)) + 1, file.size() - at);
  switch (random.below(5)) {
    case 0:
      file[at] = std::array{'\0', '\xff', '"', ',', '\n', '-', '9', '.'}[random.below(8)];
      break;
    case 1:
      file.resize(at);
      break;
    case 2:
      file.replace(at, length, file.substr(place(), length));
      break;
    case 3:
      file.insert(at, std::string(length, random.below(2) == 0 ? '9' : '"'));
      break;
    default:
      file.erase(at, length);
      break;
  }
}

struct Seed {
  std::string content;
  bool (*survives)(std::string_view);
};

std::vector<Seed> seeds() {
  const NcuPoints points = points_of(parse_ncu_csv(good_long_csv(), "good.csv"));
  return {{good_long_csv(), survives_as_ncu},
          {std::string(kGoodWideCsv), survives_as_ncu},
          {summary_text(summary_of(points, "good", "good.csv")), survives_as_summary},
          {points_json({.label = "good", .points = points.points}), survives_as_points}};
}

TEST(RooflineMutationTest, DamagedFilesAreReadOrRefused) {
  const auto all = seeds();
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_TRUE(all[i].survives(all[i].content)) << "seed " << i;
    for (int round = 0; round < kMutations; ++round) {
      Random random(static_cast<std::uint64_t>(round), i);
      std::string file = all[i].content;
      for (std::uint64_t count = random.below(4) + 1; count > 0; --count) mutate(file, random);
      ASSERT_TRUE(all[i].survives(file)) << "seed " << i << ", round " << round << "\n" << file;
    }
  }
}

}  // namespace
}  // namespace ridgeline
