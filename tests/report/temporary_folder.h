#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include <stdlib.h>

#include "core/error.h"

namespace ridgeline::testing {

// A folder of the test's own, gone when the test ends.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ridgeline-XXXXXX").string();
    RIDGELINE_CHECK(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace ridgeline::testing
