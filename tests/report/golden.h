#pragma once

#include <string>
#include <string_view>

namespace ridgeline::testing {

// Compares with tests/golden/report/<name>, exactly. RIDGELINE_APPROVE=1 rewrites the file instead;
// the difference is then reviewed like code.
void expect_golden(const std::string& name, std::string_view text);

}  // namespace ridgeline::testing
