#pragma once

#include <string_view>

namespace ridgeline {

// Which source, built how, made a result.
struct BuildInfo {
  std::string_view version{};     // "0.1.0"
  std::string_view revision{};    // git revision, "-dirty" when changed; empty outside a repository
  std::string_view compiler{};    // "GCC 12.2.0"
  std::string_view build_type{};  // "Release"
};

[[nodiscard]] BuildInfo build_info();

}  // namespace ridgeline
