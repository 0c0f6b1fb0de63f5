#include "trace/json_cursor.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace ridgeline {
namespace {

// So that no end (start + duration) and no difference of two ends overflows.
constexpr std::int64_t kLargest = 3'000'000'000'000'000'000;

// The first quote or backslash at or after `at`; it may lie in the padding or beyond `end`.
const char* find_quote_or_escape(const char* at, const char* end) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i escape = _mm_set1_epi8('\\');
  for (; at < end; at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const int hits = _mm_movemask_epi8(
        _mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, escape)));
    if (hits != 0) return at + std::countr_zero(static_cast<unsigned>(hits));
  }
  return end;
#else
  while (at < end && *at != '"' && *at != '\\') ++at;
  return at;
#endif
}

// The first quote or bracket at or after `at`, or `end`.
const char* find_bracket_or_quote(const char* at, const char* end) {
#ifdef __SSE2__
  const __m128i fold = _mm_set1_epi8(0x20);  // [ becomes {, ] becomes }
  const __m128i open = _mm_set1_epi8('{');
  const __m128i close = _mm_set1_epi8('}');
  const __m128i quote = _mm_set1_epi8('"');
  for (; at < end; at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i folded = _mm_or_si128(block, fold);
    const __m128i hit =
        _mm_or_si128(_mm_cmpeq_epi8(block, quote),
                     _mm_or_si128(_mm_cmpeq_epi8(folded, open), _mm_cmpeq_epi8(folded, close)));
    const int hits = _mm_movemask_epi8(hit);
    if (hits != 0) return at + std::countr_zero(static_cast<unsigned>(hits));
  }
  return end;
#else
  while (at < end && *at != '"' && *at != '{' && *at != '}' && *at != '[' && *at != ']') ++at;
  return at;
#endif
}

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

bool JsonCursor::string(RawString& found) {
  if (next() != '"' || starved_) return false;
  const char* const start = at_ + 1;
  const char* place = start;
  bool escaped = false;
  while (true) {
    place = find_quote_or_escape(place, end_);
    if (place >= end_) {
      starved_ = true;
      return false;
    }
    if (*place == '"') break;
    escaped = true;
    place += 2;
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

// Counts brackets of both kinds alike: a profiler does not mix them up, and damage shows later.
bool JsonCursor::skip_container() {
  const char* place = at_;
  for (std::int64_t depth = 0; place < end_;) {
    place = find_bracket_or_quote(place, end_);
    if (place >= end_) break;
    if (*place == '"') {
      at_ = place;
      RawString ignored;
      if (!string(ignored)) return false;
      place = at_;
      continue;
    }
    depth += *place == '{' || *place == '[' ? 1 : -1;
    ++place;
    if (depth == 0) {
      at_ = place;
      return true;
    }
  }
  starved_ = true;
  return false;
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

// At most 15 digits before a point and up to `decimals` after it: no overflow to look for.
bool JsonCursor::common_number(int decimals, std::optional<std::int64_t>& found) {
  const char* place = at_;
  const bool negative = *place == '-';
  if (negative) ++place;
  const char* const digits = place;
  std::int64_t value = 0;
  while (is_digit(*place) && place - digits < 16) value = value * 10 + (*place++ - '0');
  if (place == digits || place - digits > 15) return false;
  const bool has_point = *place == '.';
  if (has_point) ++place;
  for (int i = 0; i < decimals; ++i) {
    value = value * 10 + (has_point && is_digit(*place) ? *place++ - '0' : 0);
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
