#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace ridgeline {

// A string as it stands in the text, without its quotes; `escaped` says whether it holds escapes.
struct RawString {
  std::string_view text{};
  bool escaped = false;
};

// Walks over JSON as profilers write it, which is not always JSON: control characters in strings
// and bare words (NaN, inf, N/A) pass, nesting may be of any depth. Nothing is checked beyond what
// is needed to find the end of a value. The text must be followed by kPadding zero bytes.
//
// Every member that returns bool answers false when it could not do its work; then `starved()`
// tells whether the text ended too early (more of it may help) or is wrong.
class JsonCursor {
 public:
  static constexpr std::size_t kPadding = 64;

  explicit JsonCursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  [[nodiscard]] const char* place() const { return at_; }
  void move_to(const char* place) { at_ = place, starved_ = false; }
  [[nodiscard]] bool starved() const { return starved_; }

  // The next character that is no blank, not taken; 0 at the end of the text (then starved).
  [[nodiscard]] char next() {
    // None or one is what stands nearly everywhere, more before a line's first word.
    if (is_blank(*at_) && is_blank(*++at_)) skip_blanks();
    if (at_ >= end_) {
      at_ = end_;
      starved_ = true;
    }
    return *at_;
  }
  [[nodiscard]] bool take(char expected) {
    if (next() != expected || starved_) return false;
    ++at_;
    return true;
  }

  // The cursor stands before a quote.
  [[nodiscard]] bool string(RawString& found) {
    if (next() != '"' || starved_) return false;
    const char* const start = at_ + 1;
    const std::size_t size = short_string(start);
    if (size >= kShortString || start + size >= end_) return long_string(start, found);
    found = {.text = {start, size}, .escaped = false};
    at_ = start + size + 1;
    return true;
  }

  // Any value: containers, strings, numbers, bare words.
  [[nodiscard]] bool skip_value();

  // A number, or a string that holds one, times 10^`decimals`, rounded; absent (and skipped) when
  // it is something else or beyond ±3e18.
  [[nodiscard]] bool number(int decimals, std::optional<std::int64_t>& found);

 private:
  static constexpr std::size_t kShortString = 32;

  static bool is_blank(char letter) { return static_cast<unsigned char>(letter) <= ' '; }
  void skip_blanks() {
#ifdef __SSE2__
    const __m128i least = _mm_set1_epi8(' ' + 1);
    for (; at_ < end_; at_ += 16) {
      const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at_));
      const int words = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(block, least), block));
      if (words == 0) continue;
      at_ += std::countr_zero(static_cast<unsigned>(words));
      return;
    }
#else
    while (at_ < end_ && is_blank(*at_)) ++at_;
#endif
  }

  // How long the string is that begins there, when it is short and without escapes, as nearly all
  // are; else kShortString.
  [[nodiscard]] static std::size_t short_string(const char* start) {
#ifdef __SSE2__
    const auto* const blocks = reinterpret_cast<const __m128i*>(start);
    const __m128i low = _mm_loadu_si128(blocks);
    const __m128i high = _mm_loadu_si128(blocks + 1);
    const auto hits = [&](char letter) {
      const __m128i all = _mm_set1_epi8(letter);
      return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(low, all))) |
             static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(high, all))) << 16U;
    };
    const std::uint32_t quotes = hits('"');
    const std::uint32_t before = quotes ^ (quotes - 1);  // up to the first; all when there is none
    if ((hits('\\') & before) != 0) return kShortString;
    return static_cast<std::size_t>(std::countr_zero(quotes));
#else
    std::size_t size = 0;
    while (size < kShortString && start[size] != '"') {
      if (start[size] == '\\') return kShortString;
      ++size;
    }
    return size;
#endif
  }
  [[nodiscard]] bool long_string(const char* start, RawString& found);
  [[nodiscard]] bool skip_container();
  [[nodiscard]] bool skip_word();
  [[nodiscard]] bool common_number(int decimals, std::optional<std::int64_t>& found);

  const char* at_;
  const char* end_;
  bool starved_ = false;
};

// `text` as a number times 10^`decimals`; absent unless all of it is one.
[[nodiscard]] std::optional<std::int64_t> scaled_number(std::string_view text, int decimals);

// With the escapes resolved; a wrong one stays as it is.
[[nodiscard]] std::string unescaped(std::string_view text);

}  // namespace ridgeline
