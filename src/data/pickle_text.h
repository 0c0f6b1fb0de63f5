#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ridgeline {

// Shortest forms only, no surrogates, nothing beyond U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text);
void append_utf8(std::string& text, char32_t character);

// Protocol 0 writes a byte string as Python source ('a\n\x00') and text with \uXXXX for what is not
// Latin-1. Absent when broken.
[[nodiscard]] std::optional<std::string> unescape_string(std::string_view quoted_text);
[[nodiscard]] std::optional<std::string> unescape_unicode(std::string_view line);

// Python 3 writes bytes in old protocols as text whose characters are the bytes. Absent when a
// character is above 255. `text` is UTF-8.
[[nodiscard]] std::optional<std::string> latin1_bytes(std::string_view text);

}  // namespace ridgeline
