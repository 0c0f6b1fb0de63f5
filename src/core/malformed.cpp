#include "core/malformed.h"

#include <filesystem>

#include <fmt/format.h>

#include "core/display.h"

namespace ridgeline {

Error malformed(std::string_view source, std::string_view what) {
  return bad_input(fmt::format("cannot read '{}': {}", on_one_line(source), what));
}

Error malformed(std::string_view source, std::uint64_t offset, std::string_view what) {
  return bad_input(
      fmt::format("cannot read '{}': {} (at byte {})", on_one_line(source), what, offset));
}

std::string on_one_line(std::string_view path) {
  constexpr std::size_t kLongest = 1000;
  return shortened(printable(path), kLongest);
}

std::string in_quotes(std::string_view name) {
  constexpr std::size_t kLongest = 80;
  // Cut before it is looked at: a name may be as long as the file.
  return fmt::format("'{}'", shortened(printable(name.substr(0, 4 * kLongest)), kLongest));
}

bool stays_inside(std::string_view name) {
  if (name.empty() || name.find('\0') != std::string_view::npos ||
      name.find('\\') != std::string_view::npos) {
    return false;
  }
  const std::filesystem::path path(name);
  if (path.is_absolute()) return false;
  for (const auto& part : path) {
    if (part == "..") return false;
  }
  return true;
}

}  // namespace ridgeline
