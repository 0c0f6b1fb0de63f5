#include "core/display.h"

#include <algorithm>
#include <array>

namespace ridgeline {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, char32_t code) {
  return std::ranges::any_of(ranges,
                             [code](const Range& r) { return code >= r.first && code <= r.last; });
}

std::size_t columns_of(char32_t code) {
  constexpr std::array kNone{Range{0x0300, 0x036F}, Range{0x1AB0, 0x1AFF}, Range{0x20D0, 0x20FF},
                             Range{0x200B, 0x200F}, Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F}};
  constexpr std::array kWide{
      Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0xA4CF},
      Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},
      Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F},
      Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x3FFFD}};
  if (code < 0x0300) return 1;
  if (within(kNone, code)) return 0;
  return within(kWide, code) ? 2 : 1;
}

// C0, DEL, C1 (as U+0080..9F), and the marks that turn the direction of writing.
bool steers_terminal(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

Letter front_letter(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0xC2   ? 1
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 1;
  if (length == 1 || length > text.size()) return {lead, 1};
  char32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {lead, 1};
    code = (code << 6) | (byte(i) & 0x3FU);
  }
  return {code, length};
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Letter letter = front_letter(text);
    width += columns_of(letter.code);
    text.remove_prefix(letter.bytes);
  }
  return width;
}

std::string printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const Letter letter = front_letter(text);
    const bool malformed = letter.bytes == 1 && letter.code >= 0x80;
    if (malformed) {
      clean += '?';
    } else if (steers_terminal(letter.code)) {
      clean += ' ';
    } else {
      clean += text.substr(0, letter.bytes);
    }
    text.remove_prefix(letter.bytes);
  }
  return clean;
}

std::string shortened(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::string kept;
  std::size_t width = 0;
  while (!text.empty()) {
    const Letter letter = front_letter(text);
    width += columns_of(letter.code);
    if (width > columns - 1) break;
    kept += text.substr(0, letter.bytes);
    text.remove_prefix(letter.bytes);
  }
  return kept + "…";
}

}  // namespace ridgeline
