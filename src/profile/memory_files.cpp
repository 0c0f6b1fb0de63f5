#include "profile/memory_files.h"

#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/atomic_file.h"
#include "profile/memory_report.h"
#include "report/plot.h"
#include "report/run_document.h"

namespace ridgeline {

MemoryFiles write_memory(const std::filesystem::path& folder, const MemoryTimeline& timeline,
                         const std::string& title) {
  MemoryFiles written;
  write_file_atomically(written.files.emplace_back(folder / "memory.json"),
                        json_text(memory_timeline_json(timeline)));
  const Figure figure = memory_figure(timeline, title);
  for (const char* name : {"memory.png", "memory.svg"}) {
    const DrawOutcome outcome = draw(figure, folder / name);
    if (const auto* reason = std::get_if<NotDrawn>(&outcome)) {
      written.problems.push_back(fmt::format("{}: skipped, {}", name, reason->reason));
    } else {
      written.files.push_back(folder / name);
    }
  }
  return written;
}

}  // namespace ridgeline
