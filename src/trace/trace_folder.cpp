#include "trace/trace_folder.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "core/error.h"

namespace ridgeline {

std::vector<std::filesystem::path> trace_files_in(const std::filesystem::path& folder) {
  constexpr std::array<std::string_view, 3> kEnds{".json", ".json.gz", ".sqlite"};
  std::vector<std::filesystem::path> files;
  std::error_code wrong;
  for (auto entry = std::filesystem::directory_iterator(folder, wrong);
       !wrong && entry != std::filesystem::directory_iterator(); entry.increment(wrong)) {
    std::error_code unknown;
    const std::string name = entry->path().filename().string();
    const bool ends =
        std::ranges::any_of(kEnds, [&](std::string_view end) { return name.ends_with(end); });
    if (ends && entry->is_regular_file(unknown)) files.push_back(entry->path());
  }
  if (wrong)
    throw Error(Fault::Io,
                fmt::format("cannot read the folder '{}': {}", folder.string(), wrong.message()));
  std::ranges::sort(files);
  return files;
}

}  // namespace ridgeline
