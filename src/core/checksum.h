#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ridgeline {

// What a file should sum to. `hex` may be the beginning of the sum only: torchvision's file names
// carry eight digits.
struct Checksum {
  enum class Kind { Md5, Sha256 };
  Kind kind = Kind::Sha256;
  std::string hex{};
};

[[nodiscard]] std::string_view name_of(Checksum::Kind kind);  // "md5", "sha256"

// The whole sum of a file, lower case. Error(Io) when it cannot be read.
[[nodiscard]] std::string sum_of_file(Checksum::Kind kind, const std::filesystem::path& path);

[[nodiscard]] bool matches(const Checksum& expected, std::string_view sum);

}  // namespace ridgeline
