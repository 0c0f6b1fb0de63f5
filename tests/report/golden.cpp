#include "report/golden.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "core/atomic_file.h"

namespace ridgeline::testing {

void expect_golden(const std::string& name, std::string_view text) {
  const std::filesystem::path path = std::filesystem::path("tests/golden/report") / name;
  const char* approve = std::getenv("RIDGELINE_APPROVE");
  if (approve != nullptr && std::string_view(approve) == "1") {
    write_file_atomically(path, text);
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(path)) << path << " is missing; RIDGELINE_APPROVE=1 makes it";
  EXPECT_EQ(read_file(path, {1e8}), text) << "differs from " << path;
}

}  // namespace ridgeline::testing
