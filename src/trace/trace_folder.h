#pragma once

#include <filesystem>
#include <vector>

namespace ridgeline {

// The files of a folder that could be traces, by their names' ends (.json, .json.gz, .sqlite), in
// order of name; not of folders in it. Error(Io) where it cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> trace_files_in(
    const std::filesystem::path& folder);

}  // namespace ridgeline
