#include "report/gnuplot_text.h"

#include <algorithm>
#include <span>

#include "core/display.h"

namespace ridgeline {
namespace {

struct Letters {
  char32_t first;
  char32_t last;
};
// Letters of Europe, punctuation, arrows and signs of mathematics: what the font has whole, or with
// gaps that nobody writes.
constexpr std::array kInFont{Letters{0, 0x2E9},       Letters{0x300, 0x525},
                             Letters{0x1E00, 0x1EFB}, Letters{0x2000, 0x2064},
                             Letters{0x2070, 0x209C}, Letters{0x20A0, 0x20B5},
                             Letters{0x2100, 0x2149}, Letters{0x2150, 0x2311},
                             Letters{0x2500, 0x269C}, Letters{0xFFFD, 0xFFFD}};
// They join or colour the character before them.
constexpr std::array kUnseen{Letters{0x200B, 0x200F}, Letters{0xFE00, 0xFE0F}};

bool is_among(std::span<const Letters> ranges, char32_t code) {
  return std::ranges::any_of(
      ranges, [code](const Letters& r) { return code >= r.first && code <= r.last; });
}

}  // namespace

std::string within_font(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Letter letter = front_letter(text);
    const std::string_view bytes = text.substr(0, letter.bytes);
    text.remove_prefix(letter.bytes);
    if (is_among(kUnseen, letter.code)) continue;
    out += is_among(kInFont, letter.code) ? bytes : "□";
  }
  return out;
}

std::string gnuplot_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\'') {
      out += "’";
    } else {
      out += code < 0x20 || code == 0x7F ? ' ' : c;
    }
  }
  return out + "'";
}

std::string gnuplot_tick_label(std::string_view text) {
  std::string doubled;
  for (const char c : text) doubled += c == '%' ? std::string("%%") : std::string(1, c);
  return gnuplot_quoted(doubled);
}

}  // namespace ridgeline
