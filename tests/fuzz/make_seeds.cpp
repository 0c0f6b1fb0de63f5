// Writes the good files that the fuzzers begin from: one folder a reader below the given one.

#include <cstdio>

#include <fmt/format.h>

#include "data/hostile_seeds.h"
#include "roofline/hostile_ncu.h"
#include "roofline/ncu_text.h"
#include "trace/hostile_trace.h"
#include "trace/made_nsys.h"

namespace {

// Without SQLite there is nothing to read such a file with, and any seed does.
std::string nsys_seed() {
  const ridgeline::TemporaryFolder folder;
  const auto path = folder.path() / "seed.sqlite";
  try {
    ridgeline::make_database(path, ridgeline::good_export());
    return ridgeline::read_file(path, ridgeline::Bytes{1e6});
  } catch (const ridgeline::Error& error) {
    if (error.fault() != ridgeline::Fault::Io) throw;
    return "SQLite format 3";
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::fputs("usage: make_seeds FOLDER\n", stderr);
    return 2;
  }
  int number = 0;
  for (const auto& seed : ridgeline::hostile_seeds()) {
    const auto folder = std::filesystem::path(words[1]) / seed.name;
    ridgeline::write_file_atomically(folder / fmt::format("seed-{}", number++), seed.content);
  }
  const auto traces = std::filesystem::path(words[1]) / "trace";
  ridgeline::write_file_atomically(traces / "seed-plain", ridgeline::kGoodTrace);
  ridgeline::write_file_atomically(traces / "seed-foreign", ridgeline::kGoodForeignTrace);
  ridgeline::write_file_atomically(traces / "seed-gzip", ridgeline::gzip_of(ridgeline::kGoodTrace));
  ridgeline::write_file_atomically(std::filesystem::path(words[1]) / "nsys" / "seed-export",
                                   nsys_seed());
  const auto ncu = std::filesystem::path(words[1]) / "ncu";
  ridgeline::write_file_atomically(ncu / "seed-long", ridgeline::good_long_csv());
  ridgeline::write_file_atomically(ncu / "seed-wide", ridgeline::kGoodWideCsv);
  // A number as long as a reader's buffer, and an exponent beyond it.
  ridgeline::write_file_atomically(
      ncu / "seed-digits",
      ridgeline::good_long_csv() +
          ridgeline::long_row({.id = "2",
                               .kernel = "relu",
                               .metric = "gpu__time_duration.sum",
                               .unit = "nsecond",
                               .value = "777777777777777777777777777777777777777777777e12345"}));
  const auto points =
      ridgeline::points_of(ridgeline::parse_ncu_csv(ridgeline::good_long_csv(), "seed"));
  ridgeline::write_file_atomically(
      ncu / "seed-summary", ridgeline::summary_text(ridgeline::summary_of(points, "seed", "seed")));
  ridgeline::write_file_atomically(
      ncu / "seed-points", ridgeline::points_json({.label = "seed", .points = points.points}));
  return 0;
}
