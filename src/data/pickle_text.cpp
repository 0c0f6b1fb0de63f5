#include "data/pickle_text.h"

#include <charconv>
#include <cstdint>

namespace ridgeline {
namespace {

// Reads `digits` hexadecimal digits off the front.
std::optional<std::uint32_t> take_hex(std::string_view& text, std::size_t digits) {
  std::uint32_t value = 0;
  if (text.size() < digits) return std::nullopt;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + digits, value, 16);
  if (code != std::errc{} || stop != text.data() + digits) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

bool is_character(std::uint32_t value) {
  return value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
}

// How many bytes follow this first one, and the smallest character they may make.
struct Lead {
  int following;
  std::uint32_t bits;
  std::uint32_t least;
};
std::optional<Lead> lead_of(unsigned char byte) {
  if (byte < 0x80) return Lead{0, byte, 0};
  if (byte >= 0xc2 && byte < 0xe0) return Lead{1, byte & 0x1fU, 0x80};
  if (byte >= 0xe0 && byte < 0xf0) return Lead{2, byte & 0x0fU, 0x800};
  if (byte >= 0xf0 && byte < 0xf5) return Lead{3, byte & 0x07U, 0x10000};
  return std::nullopt;
}

std::optional<char> simple_escape(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case '\\':
      return '\\';
    case '\'':
      return '\'';
    case '"':
      return '"';
    default:
      return std::nullopt;
  }
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = lead_of(static_cast<unsigned char>(text[at++]));
    if (!lead) return false;
    std::uint32_t character = lead->bits;
    for (int i = 0; i < lead->following; ++i) {
      if (at == text.size()) return false;
      const auto byte = static_cast<unsigned char>(text[at++]);
      if ((byte & 0xc0U) != 0x80U) return false;
      character = (character << 6U) | (byte & 0x3fU);
    }
    if (character < lead->least || !is_character(character)) return false;
  }
  return true;
}

void append_utf8(std::string& text, char32_t character) {
  const auto rest = [&](unsigned shift) {
    text += static_cast<char>(0x80U | ((character >> shift) & 0x3fU));
  };
  if (character < 0x80) {
    text += static_cast<char>(character);
  } else if (character < 0x800) {
    text += static_cast<char>(0xc0U | (character >> 6U));
    rest(0);
  } else if (character < 0x10000) {
    text += static_cast<char>(0xe0U | (character >> 12U));
    rest(6);
    rest(0);
  } else {
    text += static_cast<char>(0xf0U | (character >> 18U));
    rest(12);
    rest(6);
    rest(0);
  }
}

std::optional<std::string> unescape_string(std::string_view quoted_text) {
  std::string_view text = quoted_text;
  if (text.size() < 2 || text.front() != text.back() ||
      (text.front() != '\'' && text.front() != '"')) {
    return std::nullopt;
  }
  text = text.substr(1, text.size() - 2);
  std::string out;
  while (!text.empty()) {
    const char letter = text.front();
    text.remove_prefix(1);
    if (letter != '\\') {
      out += letter;
      continue;
    }
    if (text.empty()) return std::nullopt;
    const char kind = text.front();
    text.remove_prefix(1);
    if (kind == 'x') {
      const auto value = take_hex(text, 2);
      if (!value) return std::nullopt;
      out += static_cast<char>(*value);
    } else if (const auto simple = simple_escape(kind)) {
      out += *simple;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::optional<std::string> unescape_unicode(std::string_view line) {
  std::string out;
  while (!line.empty()) {
    const auto letter = static_cast<unsigned char>(line.front());
    line.remove_prefix(1);
    const char kind = line.empty() ? '\0' : line.front();
    if (letter != '\\' || (kind != 'u' && kind != 'U')) {
      append_utf8(out, letter);  // Latin-1: the byte is the character
      continue;
    }
    line.remove_prefix(1);
    const auto value = take_hex(line, kind == 'u' ? 4 : 8);
    if (!value || !is_character(*value)) return std::nullopt;
    append_utf8(out, *value);
  }
  return out;
}

std::optional<std::string> latin1_bytes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) {
      out += static_cast<char>(byte);
      continue;
    }
    if (byte > 0xc3 || ++at == text.size()) return std::nullopt;
    out +=
        static_cast<char>(((byte & 0x03U) << 6U) | (static_cast<unsigned char>(text[at]) & 0x3fU));
  }
  return out;
}

}  // namespace ridgeline
