#include "roofline/ncu_number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace ridgeline {
namespace {

constexpr std::string_view kNoBreakSpace = "\xC2\xA0";
constexpr std::string_view kNarrowSpace = "\xE2\x80\xAF";
constexpr std::string_view kTurnedComma = "\xE2\x80\x99";  // ’
constexpr std::string_view kMicro = "\xC2\xB5";            // µ, the sign
constexpr std::string_view kGreekMu = "\xCE\xBC";          // μ, the letter
constexpr std::size_t kMostCharacters = 48;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

std::string_view without_instances(std::string_view text) {
  return trimmed(text.substr(0, text.find_first_of("(;")));
}

// A blank or apostrophe between digits; how many bytes it takes, none for others.
std::size_t group_blank(std::string_view text) {
  if (text.front() == ' ' || text.front() == '\'') return 1;
  if (text.starts_with(kNoBreakSpace)) return kNoBreakSpace.size();
  if (text.starts_with(kNarrowSpace)) return kNarrowSpace.size();
  if (text.starts_with(kTurnedComma)) return kTurnedComma.size();
  return 0;
}

// What stands before the exponent, and how its marks lie.
struct Marks {
  int commas = 0;
  int points = 0;
  bool comma_last = false;  // the last mark is a comma
  std::size_t before = 0;   // digits before the first mark
  std::size_t after = 0;    // digits after the last mark
  bool leading_zero = false;
};

void weigh(const Marks& marks, MarkEvidence& evidence) {
  if (marks.commas + marks.points == 0) return;
  if (marks.commas > 0 && marks.points > 0) {
    (marks.comma_last ? evidence.comma : evidence.point) = true;
  } else if (marks.commas > 1) {
    evidence.point = true;  // a decimal mark stands once: commas part thousands
  } else if (marks.points > 1) {
    evidence.comma = true;
  } else {
    // One mark: thousands come in threes, after one to three digits that do not begin with zero.
    const bool may_part_thousands =
        marks.after == 3 && marks.before >= 1 && marks.before <= 3 && !marks.leading_zero;
    if (!may_part_thousands) (marks.comma_last ? evidence.comma : evidence.point) = true;
  }
}

constexpr std::array<std::string_view, 22> kBases{
    "second",  "s",       "sec",    "byte", "bytes",  "B",       "b",     "hz",
    "Hz",      "cycle",   "cycles", "inst", "thread", "warp",    "block", "sector",
    "sectors", "request", "%",      "FLOP", "ops",    "register"};

struct Prefix {
  std::string_view text;
  double factor;
};
// Decimal, as ncu's are; the binary ones are spelt with an i.
constexpr std::array kPrefixes{Prefix{"Ki", 1024.0},
                               Prefix{"Mi", 1024.0 * 1024},
                               Prefix{"Gi", 1024.0 * 1024 * 1024},
                               Prefix{"Ti", 1024.0 * 1024 * 1024 * 1024},
                               Prefix{"n", 1e-9},
                               Prefix{"u", 1e-6},
                               Prefix{kMicro, 1e-6},
                               Prefix{kGreekMu, 1e-6},
                               Prefix{"m", 1e-3},
                               Prefix{"K", 1e3},
                               Prefix{"k", 1e3},
                               Prefix{"M", 1e6},
                               Prefix{"G", 1e9},
                               Prefix{"T", 1e12}};

std::optional<double> simple_unit(std::string_view unit) {
  if (unit.empty() || std::ranges::find(kBases, unit) != kBases.end()) return 1;
  for (const Prefix& prefix : kPrefixes) {
    if (!unit.starts_with(prefix.text)) continue;
    if (std::ranges::find(kBases, unit.substr(prefix.text.size())) != kBases.end())
      return prefix.factor;
  }
  return std::nullopt;
}

// Copies digits, point and exponent as from_chars wants them. What has no room is no number: every
// character goes through push(), which alone knows how much there is.
class PlainNumber {
 public:
  bool read(std::string_view text, DecimalMark mark) {
    while (!text.empty()) {
      const char c = text.front();
      const std::size_t blank = group_blank(text);
      if (c >= '0' && c <= '9') {
        if (!digit(c)) return false;
      } else if (c == ',' || c == '.') {
        if (!separator(c, mark)) return false;
      } else if ((c == 'e' || c == 'E') && digits_ > 0) {
        return exponent(text);
      } else if (blank == 0 || digits_ == 0) {
        return false;
      }
      text.remove_prefix(std::max<std::size_t>(1, blank));
    }
    return digits_ > 0;
  }
  [[nodiscard]] std::optional<double> value() const {
    double result = 0;
    const char* const end = buffer_.data() + size_;
    const auto [stop, code] = std::from_chars(buffer_.data(), end, result);
    if (code != std::errc{} || stop != end || !std::isfinite(result)) return std::nullopt;
    return result;
  }
  [[nodiscard]] const Marks& marks() const { return marks_; }

 private:
  [[nodiscard]] bool push(char c) {
    if (size_ == buffer_.size()) return false;
    buffer_[size_++] = c;
    return true;
  }
  [[nodiscard]] bool digit(char c) {
    if (digits_ == 0) marks_.leading_zero = c == '0';
    ++digits_;
    if (marks_.commas + marks_.points == 0) ++marks_.before;
    ++marks_.after;
    return push(c);
  }
  [[nodiscard]] bool separator(char c, DecimalMark mark) {
    ++(c == ',' ? marks_.commas : marks_.points);
    marks_.comma_last = c == ',';
    marks_.after = 0;
    return (c == ',') != (mark == DecimalMark::Comma) || push('.');
  }
  [[nodiscard]] bool exponent(std::string_view rest) {
    rest.remove_prefix(1);
    if (rest.starts_with('+')) rest.remove_prefix(1);
    return !rest.empty() && push('e') &&
           std::ranges::all_of(rest, [this](char c) { return push(c); });
  }

  std::array<char, kMostCharacters> buffer_{};
  std::size_t size_ = 0;
  std::size_t digits_ = 0;
  Marks marks_{};
};

}  // namespace

bool has_digits(std::string_view text) {
  return without_instances(text).find_first_of("0123456789") != std::string_view::npos;
}

std::optional<double> ncu_number(std::string_view text, DecimalMark mark, MarkEvidence& evidence) {
  text = without_instances(text);
  bool negative = false;
  if (text.starts_with('-') || text.starts_with('+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (text.ends_with('%')) text = trimmed(text.substr(0, text.size() - 1));
  PlainNumber number;
  if (text.empty() || !number.read(text, mark)) return std::nullopt;
  weigh(number.marks(), evidence);
  const auto value = number.value();
  return value && negative ? -*value : value;
}

std::optional<double> ncu_unit(std::string_view unit) {
  unit = trimmed(unit);
  const std::size_t slash = unit.find('/');
  const auto above = simple_unit(trimmed(unit.substr(0, slash)));
  if (!above || slash == std::string_view::npos) return above;
  const auto below = simple_unit(trimmed(unit.substr(slash + 1)));
  return below ? std::optional(*above / *below) : std::nullopt;
}

}  // namespace ridgeline
