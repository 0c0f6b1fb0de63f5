#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "stats/ab.h"

namespace ridgeline {
namespace {

// A ratio above 1 with the further end of its interval: "1.40 ± 0.03".
std::string with_margin(double ratio, double low, double high) {
  const double margin = std::max(high - ratio, ratio - low);
  // Two decimals unless the margin would read 0.00.
  const int decimals = margin >= 0.005 ? 2 : margin >= 0.0005 ? 3 : 4;
  return fmt::format("{:.{}f} ± {:.{}f}", ratio, decimals, margin, decimals);
}

std::string percent(double fraction) { return fmt::format("{:.2g} %", 100 * fraction); }

std::string equivalent(const Verdict& verdict, std::string_view name_a, std::string_view name_b) {
  const double furthest = std::max(verdict.interval->high, 1 / verdict.interval->low) - 1;
  return fmt::format("{} and {} are equivalent: they differ by at most {} (threshold {})", name_b,
                     name_a, percent(furthest), percent(verdict.threshold));
}

std::string inconclusive(const Verdict& verdict, std::string_view name_a, std::string_view name_b) {
  std::string text = fmt::format("{} against {} is inconclusive after {} round{}", name_b, name_a,
                                 verdict.rounds, verdict.rounds == 1 ? "" : "s");
  if (verdict.interval) {
    text += fmt::format(": {:.3f} times the speed, between {:.3f} and {:.3f}", verdict.speedup,
                        verdict.interval->low, verdict.interval->high);
  }
  if (verdict.detectable_effect) {
    text += fmt::format("; effects from {} on would be found", percent(*verdict.detectable_effect));
  }
  if (verdict.rounds_still_needed) {
    text += fmt::format("; about {} more rounds are needed", *verdict.rounds_still_needed);
  } else {
    text += "; the effect is too near the threshold for more rounds to settle it";
  }
  return text;
}

}  // namespace

std::string_view name_of(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::Faster:
      return "faster";
    case Verdict::Kind::Slower:
      return "slower";
    case Verdict::Kind::Equivalent:
      return "equivalent";
    case Verdict::Kind::Inconclusive:
      break;
  }
  return "inconclusive";
}

std::string sentence(const Verdict& verdict, std::string_view name_a, std::string_view name_b) {
  using Kind = Verdict::Kind;
  RIDGELINE_CHECK(verdict.kind == Kind::Inconclusive || verdict.interval);
  switch (verdict.kind) {
    case Kind::Faster:
      return fmt::format(
          "{} ran {} times faster than {}", name_b,
          with_margin(verdict.speedup, verdict.interval->low, verdict.interval->high), name_a);
    case Kind::Slower:
      return fmt::format(
          "{} ran {} times slower than {}", name_b,
          with_margin(1 / verdict.speedup, 1 / verdict.interval->high, 1 / verdict.interval->low),
          name_a);
    case Kind::Equivalent:
      return equivalent(verdict, name_a, name_b);
    case Kind::Inconclusive:
      return inconclusive(verdict, name_a, name_b);
  }
  broken("every verdict has its sentence", __FILE__, __LINE__);
}

}  // namespace ridgeline
