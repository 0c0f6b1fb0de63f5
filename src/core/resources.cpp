#include "core/resources.h"

#include "core/process.h"

namespace ridgeline {

std::optional<std::filesystem::path> find_resource(std::string_view name) {
  const std::filesystem::path folder = own_program().parent_path();
  for (const auto& root : {folder, folder.parent_path()}) {
    const auto file = root / "share/ridgeline" / name;
    if (std::filesystem::exists(file)) return file;
  }
  return std::nullopt;
}

}  // namespace ridgeline
