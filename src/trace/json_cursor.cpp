#include "trace/json_cursor.h"

#include <array>
#include <charconv>
#include <cmath>

#include "trace/json_scan.h"

namespace ridgeline {
namespace {

// So that no end (start + duration) and no difference of two ends overflows.
constexpr std::int64_t kLargest = 3'000'000'000'000'000'000;

constexpr std::array<bool, 256> kEndsWord = [] {
  std::array<bool, 256> ends{};
  for (std::size_t i = 0; i <= ' '; ++i) ends[i] = true;
  for (const char letter : std::string_view(",}]:\"{["))
    ends[static_cast<unsigned char>(letter)] = true;
  return ends;
}();

bool ends_word(char letter) { return kEndsWord[static_cast<unsigned char>(letter)]; }

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// Digits with at most one point, no exponent: exact, and nearly every number of a trace.
std::optional<std::int64_t> plain_number(std::string_view text, int decimals) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  std::int64_t value = 0;
  std::size_t at = 0;
  const auto digit = [&] { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
  for (; digit(); ++at) {
    if (value > kLargest / 10) return std::nullopt;
    value = value * 10 + (text[at] - '0');
  }
  const bool has_point = at < text.size() && text[at] == '.';
  if (at == 0) return std::nullopt;
  if (has_point) ++at;
  for (int i = 0; i < decimals; ++i) {
    if (value > kLargest / 10) return std::nullopt;
    value = value * 10 + (has_point && digit() ? text[at++] - '0' : 0);
  }
  if (has_point && digit() && text[at] >= '5') ++value;
  while (has_point && digit()) ++at;
  if (at != text.size() || value > kLargest) return std::nullopt;
  return negative ? -value : value;
}

}  // namespace

std::optional<std::int64_t> scaled_number(std::string_view text, int decimals) {
  if (const auto plain = plain_number(text, decimals)) return plain;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc() || stop != end) return std::nullopt;
  value = std::round(value * std::pow(10.0, decimals));
  // Written so that NaN is refused too.
  if (!(std::abs(value) <= static_cast<double>(kLargest))) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

bool JsonCursor::long_string(const char* start, RawString& found) {
  bool escaped = false;
  const char* const place = string_end(start, end_, escaped);
  if (place == nullptr) {
    starved_ = true;
    return false;
  }
  found = {.text = {start, static_cast<std::size_t>(place - start)}, .escaped = escaped};
  at_ = place + 1;
  return true;
}

bool JsonCursor::skip_value() {
  const char first = next();
  if (starved_) return false;
  if (first == '{' || first == '[') return skip_container();
  if (first == '"') {
    RawString ignored;
    return string(ignored);
  }
  return skip_word();
}

bool JsonCursor::skip_container() {
  static const JsonScan& scan = json_scan();
  const char* const place = scan.container_end(at_, end_);
  if (place == nullptr) {
    starved_ = true;
    return false;
  }
  at_ = place;
  return true;
}

bool JsonCursor::skip_word() {
  const char* place = at_;
  while (place < end_ && !ends_word(*place)) ++place;
  // A word that touches the end may go on in text not seen yet.
  if (place >= end_) starved_ = true;
  if (starved_ || place == at_) return false;
  at_ = place;
  return true;
}

// At most 18 digits before a point and up to `decimals` after it, far from what overflows: nearly
// every number of a trace, read where it stands.
bool JsonCursor::common_number(int decimals, std::optional<std::int64_t>& found) {
  constexpr std::array<std::int64_t, 4> kScales{1, 10, 100, 1000};
  if (static_cast<std::size_t>(decimals) >= kScales.size()) return false;
  const char* place = at_;
  const bool negative = *place == '-';
  if (negative) ++place;
  const char* const digits = place;
  std::int64_t value = 0;
  while (is_digit(*place) && place - digits < 18) value = value * 10 + (*place++ - '0');
  const std::int64_t scale = kScales[static_cast<std::size_t>(decimals)];
  if (place == digits || value >= kLargest / scale) return false;
  value *= scale;
  if (*place == '.') {
    ++place;
    for (std::int64_t unit = scale / 10; unit > 0 && is_digit(*place); unit /= 10)
      value += unit * (*place++ - '0');
  }
  if (!ends_word(*place) || place >= end_) return false;
  found = negative ? -value : value;
  at_ = place;
  return true;
}

bool JsonCursor::number(int decimals, std::optional<std::int64_t>& found) {
  found.reset();
  const char first = next();
  if (starved_) return false;
  if (first == '{' || first == '[') return skip_container();
  if (first == '"') {
    RawString quoted;
    if (!string(quoted)) return false;
    found = scaled_number(quoted.text, decimals);
    return true;
  }
  const char* const start = at_;
  if (common_number(decimals, found)) return true;
  if (!skip_word()) return false;
  found = scaled_number({start, static_cast<std::size_t>(at_ - start)}, decimals);
  return true;
}

}  // namespace ridgeline
