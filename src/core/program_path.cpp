#include <cstdlib>
#include <system_error>

#include <unistd.h>

#include "core/io_error.h"
#include "core/process.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  std::error_code code;
  return fs::is_regular_file(path, code) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::filesystem::path own_program() {
  std::error_code code;
  fs::path path = fs::read_symlink("/proc/self/exe", code);
  if (code) throw io_error("read", "/proc/self/exe", code.value());
  return path;
}

std::optional<std::filesystem::path> find_program(std::string_view name) {
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string_view::npos) {
    return is_program(name) ? std::optional<fs::path>(name) : std::nullopt;
  }
  const char* variable = std::getenv("PATH");
  std::string_view folders = variable == nullptr ? "/usr/local/bin:/usr/bin:/bin" : variable;
  for (;;) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    if (is_program(candidate)) return candidate;
    if (folder.size() == folders.size()) return std::nullopt;
    folders.remove_prefix(folder.size() + 1);
  }
}

}  // namespace ridgeline
