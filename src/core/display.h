#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ridgeline {

// Terminal columns that UTF-8 text takes: "µ" and "…" one, combining marks none, East Asian wide
// characters and emoji two. A malformed byte counts one.
[[nodiscard]] std::size_t display_width(std::string_view text);

// The text with control characters blanked: names out of foreign files must not steer a terminal.
[[nodiscard]] std::string printable(std::string_view text);

// At most `columns` wide, with "…" for what was cut off.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t columns);

}  // namespace ridgeline
