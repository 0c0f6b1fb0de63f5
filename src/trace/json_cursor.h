#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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
    while (static_cast<unsigned char>(*at_) <= ' ' && at_ < end_) ++at_;
    if (at_ >= end_) starved_ = true;
    return *at_;
  }
  [[nodiscard]] bool take(char expected) {
    if (next() != expected || starved_) return false;
    ++at_;
    return true;
  }

  // The cursor stands before a quote.
  [[nodiscard]] bool string(RawString& found);

  // Any value: containers, strings, numbers, bare words.
  [[nodiscard]] bool skip_value();

  // A number, or a string that holds one, times 10^`decimals`, rounded; absent (and skipped) when
  // it is something else or beyond ±3e18.
  [[nodiscard]] bool number(int decimals, std::optional<std::int64_t>& found);

 private:
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
