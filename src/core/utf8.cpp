#include "core/utf8.h"

#include <cstddef>

namespace ridgeline {
namespace {

struct Form {
  unsigned char mask;  // bits of the first byte that tell the form
  unsigned char mark;  // and their value
  std::size_t length;  // bytes in all
  char32_t smallest;   // below it the form is overlong
};
constexpr Form kForms[] = {
    {0x80, 0x00, 1, 0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};

bool is_character(char32_t code, char32_t smallest) {
  return code >= smallest && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

// Bytes of the well-formed character at the front; 0 when there is none.
std::size_t leading_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (const Form& form : kForms) {
    if ((byte(0) & form.mask) != form.mark) continue;
    if (text.size() < form.length) return 0;
    char32_t code = byte(0) & static_cast<unsigned char>(~form.mask);
    for (std::size_t i = 1; i < form.length; ++i) {
      if ((byte(i) & 0xc0U) != 0x80) return 0;
      code = (code << 6U) | (byte(i) & 0x3fU);
    }
    return is_character(code, form.smallest) ? form.length : 0;
  }
  return 0;
}

}  // namespace

std::string with_valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = leading_length(text);
    valid += length == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return valid;
}

}  // namespace ridgeline
