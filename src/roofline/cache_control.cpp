#include "roofline/cache_control.h"

#include "core/error.h"
#include "core/text.h"

namespace ridgeline {

std::string_view name_of(CacheControl control) {
  return control == CacheControl::All ? "all" : "none";
}

CacheControl parse_cache_control(std::string_view word) {
  for (const CacheControl control : {CacheControl::None, CacheControl::All})
    if (word == name_of(control)) return control;
  throw bad_input(unknown_word("--cache-control", word, {"none", "all"}));
}

}  // namespace ridgeline
