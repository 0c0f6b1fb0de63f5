#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/json_cursor.h"

namespace ridgeline {
namespace {

std::optional<std::uint32_t> four_hex_digits(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return std::nullopt;
  std::uint32_t code = 0;
  for (const char letter : text.substr(at, 4)) {
    std::uint32_t digit = 0;
    if (letter >= '0' && letter <= '9')
      digit = static_cast<std::uint32_t>(letter - '0');
    else if (letter >= 'a' && letter <= 'f')
      digit = static_cast<std::uint32_t>(letter - 'a' + 10);
    else if (letter >= 'A' && letter <= 'F')
      digit = static_cast<std::uint32_t>(letter - 'A' + 10);
    else
      return std::nullopt;
    code = code * 16 + digit;
  }
  return code;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80U | ((code >> shift) & 0x3fU));
  };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0U | (code >> 6U));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0U | (code >> 12U));
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xf0U | (code >> 18U));
    tail(12), tail(6), tail(0);
  }
}

// After "\u" at `at`: the character, of two escapes when it takes a surrogate pair; how far to go.
std::size_t append_code(std::string& out, std::string_view text, std::size_t at) {
  const auto first = four_hex_digits(text, at);
  if (!first) {
    out += "\\u";
    return 0;
  }
  const bool high = *first >= 0xd800 && *first < 0xdc00;
  if (high && at + 6 <= text.size() && text[at + 4] == '\\' && text[at + 5] == 'u') {
    const auto second = four_hex_digits(text, at + 6);
    if (second && *second >= 0xdc00 && *second < 0xe000) {
      append_utf8(out, 0x10000 + ((*first - 0xd800) << 10U) + (*second - 0xdc00));
      return 10;
    }
  }
  append_utf8(out, *first >= 0xd800 && *first < 0xe000 ? 0xfffd : *first);
  return 4;
}

}  // namespace

std::string unescaped(std::string_view text) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      out += text[at];
      continue;
    }
    const char letter = text[++at];
    if (letter == 'u') {
      at += append_code(out, text, at + 1);
    } else if (const auto known = kLetters.find(letter); known != std::string_view::npos) {
      out += kMeanings[known];
    } else {
      out += '\\';
      out += letter;
    }
  }
  return out;
}

}  // namespace ridgeline
