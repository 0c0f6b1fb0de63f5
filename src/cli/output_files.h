#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace ridgeline {

struct OutputFile {
  std::string_view flag{};  // "--json"
  std::filesystem::path file{};
};

// Throws Error(BadInput) when an output is one of `inputs`, or two outputs are one file: the last
// one written would be all that is left. By the file and not by its name: links lead there too.
void refuse_overwriting(const std::vector<std::filesystem::path>& inputs,
                        const std::vector<OutputFile>& outputs);

}  // namespace ridgeline
