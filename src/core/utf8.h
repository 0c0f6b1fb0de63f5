#pragma once

#include <string>
#include <string_view>

namespace ridgeline {

// The text with every byte that is no part of well-formed UTF-8 (also: overlong forms, surrogates,
// beyond U+10FFFF) replaced by U+FFFD.
[[nodiscard]] std::string with_valid_utf8(std::string_view text);

}  // namespace ridgeline
