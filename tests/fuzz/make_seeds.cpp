// Writes the good files that the fuzzers begin from: one folder a reader below the given one.

#include <cstdio>

#include <fmt/format.h>

#include "data/hostile_seeds.h"
#include "trace/hostile_trace.h"

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
  ridgeline::write_file_atomically(traces / "seed-gzip", ridgeline::gzip_of(ridgeline::kGoodTrace));
  return 0;
}
