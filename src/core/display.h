#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ridgeline {

// The character at the front of UTF-8 text that is not empty; a malformed byte stands for itself.
struct Letter {
  char32_t code;
  std::size_t bytes;
};
[[nodiscard]] Letter front_letter(std::string_view text);

// Terminal columns that UTF-8 text takes: "µ" and "…" one, combining marks none, East Asian wide
// characters and emoji two. A malformed byte counts one.
[[nodiscard]] std::size_t display_width(std::string_view text);

// The text with control characters blanked: names out of foreign files must not steer a terminal.
[[nodiscard]] std::string printable(std::string_view text);

// At most `columns` wide, with "…" for what was cut off.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t columns);

}  // namespace ridgeline
