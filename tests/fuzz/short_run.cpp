// Stands in for libFuzzer where the compiler has none: the good files of a folder are damaged, the
// same way every time, and handed to the fuzzer's target. It does not learn what the target covers;
// `make fuzz` does. What libFuzzer found must not come back here.

#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <sanitizer/common_interface_defs.h>

#include "core/atomic_file.h"
#include "stats/random.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size);

namespace ridgeline {
namespace {

constexpr Bytes kMostSeed{1e7};

// What is being tried, for the last words of a run that dies of it.
std::string current_seed;
int current_round = 0;

void say_where() {
  std::fprintf(stderr, "\nshort_run: died of %s, round %d\n", current_seed.c_str(), current_round);
}

// One of the things that break parsers: a flipped bit, an extreme byte or number, a cut, a copy of
// one part over another, a part that is missing or far too long, a number of too many digits.
void damage(std::string& file, Random& random) {
  if (file.empty()) return;
  const auto place = [&] { return static_cast<std::size_t>(random.below(file.size())); };
  const std::size_t at = place();
  const auto length =
      static_cast<std::size_t>(random.below(std::min<std::uint64_t>(24, file.size() - at)) + 1);
  constexpr std::array kBytes{'\0', '\xff', '\x7f', '\x80', '\x01', '"', ',', '\n', '-', '9', '.'};
  switch (random.below(8)) {
    case 0:
      file[at] = static_cast<char>(file[at] ^ (1U << random.below(8)));
      break;
    case 1:
      file[at] = kBytes[random.below(kBytes.size())];
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
    case 5:
      file.insert(at, std::string(length, kBytes[random.below(kBytes.size())]));
      break;
    case 6:  // what fits a buffer of digits, with an exponent that may not
      file.insert(at, std::string(random.below(64), '7') + "e" + std::string(random.below(8), '1'));
      break;
    default:
      file.erase(at, length);
      break;
  }
}

void try_out(const std::string& file) {
  // A buffer of exactly its size, so that a reader past the end is seen.
  const std::vector<unsigned char> exact(file.begin(), file.end());
  (void)LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

int run(const std::filesystem::path& folder, int rounds) {
  int seeds = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string seed = read_file(entry.path(), kMostSeed);
    current_seed = entry.path().string();
    // Of the name, not of the order in which a disk lists it.
    const auto stream = std::hash<std::string>{}(entry.path().filename().string());
    for (current_round = 0; current_round < rounds; ++current_round) {
      Random random(static_cast<std::uint64_t>(current_round), stream);
      std::string file = seed;
      if (current_round > 0)  // the first is the seed itself
        for (std::uint64_t count = random.below(4) + 1; count > 0; --count) damage(file, random);
      try_out(file);
    }
    ++seeds;
  }
  std::printf("%d seeds, %d rounds each\n", seeds, rounds);
  return seeds > 0 ? 0 : 1;
}

}  // namespace
}  // namespace ridgeline

int main(int count, char** words) {
  int rounds = 0;
  if (count == 3) std::from_chars(words[1], words[1] + std::strlen(words[1]), rounds);
  if (rounds <= 0) {
    std::fputs("usage: NAME_fuzz ROUNDS FOLDER\n", stderr);
    return 2;
  }
  std::signal(SIGABRT, [](int) { ridgeline::say_where(); });
  __sanitizer_set_death_callback(ridgeline::say_where);
  return ridgeline::run(words[2], rounds);
}
