#pragma once

#include <cstdint>
#include <string_view>

namespace ridgeline {

// What a counted kernel finds in the caches, in ncu's words.
enum class CacheControl : std::uint8_t {
  None,  // what the work before it left there, as in a step that nobody counts
  All,   // nothing of use: they are emptied before every kernel, as ncu does by itself
};
[[nodiscard]] std::string_view name_of(CacheControl control);
// Throws Error(BadInput) that names the nearest valid word.
[[nodiscard]] CacheControl parse_cache_control(std::string_view word);

}  // namespace ridgeline
