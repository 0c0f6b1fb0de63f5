#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/profile_facts.h"

namespace ridgeline {

// What a workflow's own text expects, beside what was measured here.
struct ExpectedRow {
  std::string_view what{};
  std::string expected{};
  std::string measured{};      // "not recorded" where it was not
  std::string_view verdict{};  // "as expected", "below", "above", ""
};

// Of the Tiny LLaMA training exercise.
[[nodiscard]] std::vector<ExpectedRow> tiny_llama_expectations(const ProfileFacts& facts);

}  // namespace ridgeline
