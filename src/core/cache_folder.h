#pragma once

#include <filesystem>
#include <optional>

namespace ridgeline {

// $RIDGELINE_CACHE, by default ~/.cache/ridgeline: what is found out or fetched once and kept.
// Absent without a home.
[[nodiscard]] std::optional<std::filesystem::path> cache_folder();

}  // namespace ridgeline
