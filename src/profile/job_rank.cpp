#include "profile/job_rank.h"

#include <charconv>
#include <optional>
#include <string_view>

namespace ridgeline {
namespace {

constexpr std::int64_t kMostProcesses = 1'000'000;

std::optional<std::int64_t> number_of(const char* word) {
  if (word == nullptr) return std::nullopt;
  const std::string_view text = word;
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

JobRank job_rank(const char* rank, const char* world_size) {
  const auto own = number_of(rank);
  const auto all = number_of(world_size);
  const bool sensible =
      own && all && *all >= 1 && *all <= kMostProcesses && *own >= 0 && *own < *all;
  return sensible ? JobRank{.rank = *own, .world_size = *all} : JobRank{};
}

}  // namespace ridgeline
