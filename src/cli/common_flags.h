#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace ridgeline {

// Where a CSV file without a name of its own goes.
inline constexpr const char* kDefaultCsvFolder = "results";

// What every command that measures understands.
struct CommonFlags {
  std::vector<std::string> arguments{};  // the whole command line, for the record
  std::string device = "auto";
  int threads = 0;
  bool pin_threads = false;
  std::uint64_t seed = 42;
  bool quiet = false;
  bool strict = false;
  bool json = false;
  std::optional<std::string> csv{};       // "": the default name; "-": standard output
  std::optional<std::string> markdown{};  // "-": standard output
  std::optional<std::filesystem::path> out{};
};

void add_common_flags(CLI::App& app, CommonFlags& flags);

// Whether standard output is for people: what --json and --csv - print there is for programs, and
// nothing else stands beside it. A Markdown table stands among the text.
[[nodiscard]] bool talks(const CommonFlags& flags);

// Throws Error(BadInput) for flags that cannot both be followed.
void refuse_conflicts(const CommonFlags& flags);

// Throws Error(Io) now rather than after an hour of measuring.
void require_writable(const CommonFlags& flags);
void require_writable_file(const std::filesystem::path& file);

}  // namespace ridgeline
