#include "core/cache_folder.h"

#include <cstdlib>

namespace ridgeline {

std::optional<std::filesystem::path> cache_folder() {
  if (const char* const cache = std::getenv("RIDGELINE_CACHE")) return cache;
  if (const char* const home = std::getenv("HOME"))
    return std::filesystem::path(home) / ".cache/ridgeline";
  return std::nullopt;
}

}  // namespace ridgeline
