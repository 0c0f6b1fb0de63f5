#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/value.h"

namespace ridgeline {

using Metadata = std::vector<std::pair<std::string, std::string>>;

struct Safetensors {
  NamedArrays arrays;  // in the order of their bytes
  Metadata metadata;
};

// Arrays point into the mapped file. Throws Error(BadInput) with path and place for a header that
// is too long, broken or says anything but names, types, shapes and places of tensors that cover
// the rest of the file without overlap or gap.
[[nodiscard]] NamedArrays read_safetensors(const std::filesystem::path& path);
[[nodiscard]] Safetensors parse_safetensors(std::span<const std::byte> bytes,
                                            std::string_view source,
                                            const std::shared_ptr<const void>& owner);

// File to names of the tensors in it, all of them below the folder of the index.
using TensorsOfFiles = std::map<std::string, std::vector<std::string>>;
[[nodiscard]] TensorsOfFiles parse_safetensors_index(std::string_view text,
                                                     std::string_view source);

// A model in several files: the index (`model.safetensors.index.json`) names the file of each
// tensor, all in the folder of the index or below.
[[nodiscard]] NamedArrays read_safetensors_index(const std::filesystem::path& path);

// Replaces the file at once. Wide types come first, so that all are aligned. Throws
// Error(BadInput) for names that are not UTF-8 or stand twice, Error(Io) when it cannot be written.
void write_safetensors(const std::filesystem::path& path, const NamedArrays& arrays,
                       const Metadata& metadata = {});

}  // namespace ridgeline
