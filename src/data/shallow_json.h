#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/display.h"
#include "core/error.h"

namespace ridgeline {

// JSON of at most 16 levels, for text from elsewhere that becomes objects: nlohmann copies and
// prints by recursion, so that deep nesting would end on the stack. Throws Error(Io) that starts
// with `source`.
[[nodiscard]] inline nlohmann::json parse_shallow_json(std::string_view text,
                                                       const std::string& source) {
  constexpr int kDeepest = 16;
  const auto check = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    if (depth <= kDeepest) return true;
    throw Error(Fault::Io, fmt::format("{}: nested deeper than {} levels", source, kDeepest));
  };
  try {
    return nlohmann::json::parse(text, check);
  } catch (const nlohmann::json::exception& error) {
    throw Error(Fault::Io, fmt::format("{}: {}", source, printable(error.what())));
  }
}

}  // namespace ridgeline
