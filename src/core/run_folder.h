#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/file_descriptor.h"

namespace ridgeline {

// Where one run writes. Rows are synced one by one, so that a kill loses at most the row in
// flight; every other file appears under its name only when complete. Failures are Error(Io).
class RunFolder {
 public:
  // Without `wanted`: runs/<YYYYmmdd-HHMMSS>-<command>, with -2, -3 ... when taken. Error(BadInput)
  // when `wanted` already holds rows or results of an earlier run.
  [[nodiscard]] static RunFolder create(const std::optional<std::filesystem::path>& wanted,
                                        std::string_view command);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void append_row(const nlohmann::json& row);
  void write(std::string_view name, std::string_view content);
  // For a run that turned out to be none: takes back its rows and the folders that create() made,
  // as far as nothing else is in them.
  void discard() noexcept;

 private:
  RunFolder(std::filesystem::path path, std::vector<std::filesystem::path> made);
  void open_rows();

  std::filesystem::path path_;
  std::vector<std::filesystem::path> made_;  // by create(), the deepest first
  FileDescriptor rows_;  // opened by the first row: a run without any leaves no empty file
};

}  // namespace ridgeline
