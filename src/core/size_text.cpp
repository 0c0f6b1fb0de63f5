#include "core/size_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "core/utf8.h"

namespace ridgeline {
namespace {

struct SizeUnit {
  std::string_view suffix;
  double bytes;
};

constexpr double kLargest = 1e15;

}  // namespace

Bytes parse_size(std::string_view flag, std::string_view text) {
  constexpr std::array kUnits{
      SizeUnit{"", 1},        SizeUnit{"B", 1},          SizeUnit{"kB", 1e3},
      SizeUnit{"KB", 1e3},    SizeUnit{"MB", 1e6},       SizeUnit{"GB", 1e9},
      SizeUnit{"KiB", 1024.}, SizeUnit{"MiB", 1048576.}, SizeUnit{"GiB", 1073741824.},
  };
  const auto refusal = [&](std::string_view reason) {
    return bad_input(fmt::format("{}: '{}' {}; give a size such as 200MB, 64KiB or 1GB", flag,
                                 with_valid_utf8(text.substr(0, 40)), reason));
  };
  double value = 0;
  const auto [stop, code] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (code != std::errc{} || !std::isfinite(value)) throw refusal("is not a size");
  const std::string_view suffix = text.substr(static_cast<std::size_t>(stop - text.data()));
  const auto unit = std::ranges::find(kUnits, suffix, &SizeUnit::suffix);
  if (unit == kUnits.end()) throw refusal("has an unknown unit");
  const double bytes = value * unit->bytes;
  if (!(bytes > 0)) throw refusal("is not above zero");
  if (bytes > kLargest) throw refusal("is too large");
  return {bytes};
}

}  // namespace ridgeline
