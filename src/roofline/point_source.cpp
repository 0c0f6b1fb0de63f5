#include "roofline/point_source.h"

#include <algorithm>

#include "core/mapped_file.h"
#include "roofline/datasheet.h"
#include "roofline/summary_file.h"

namespace ridgeline {
namespace {

// A summary is a page; nothing this long is looked through for its lines.
constexpr std::size_t kLongestSummary = 64 * 1024;

bool begins_with_brace(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

}  // namespace

PointSet read_points(const std::filesystem::path& file, const NcuFileOptions& options) {
  const std::string name = file.string();
  PointSet set;
  {
    const MappedFile mapped(file);
    const std::string_view text(reinterpret_cast<const char*>(mapped.bytes().data()),
                                mapped.bytes().size());
    if (begins_with_brace(text)) {
      set = parse_points_json(text, name);
    } else if (text.size() <= kLongestSummary && is_summary(text)) {
      const RooflineSummary summary = parse_summary(text, name);
      set = {.label = summary.label, .source = "summary: " + name, .points = {point_of(summary)}};
    }
  }
  if (set.points.empty()) {
    NcuPoints read = read_ncu_file(file, options);
    set = {
        .source = "ncu: " + name, .points = std::move(read.points), .notes = std::move(read.notes)};
    if (const auto peaks = datasheet_of_device(read.device_name)) set.ceilings = *peaks;
  }
  if (set.label.empty()) set.label = file.stem().string();
  return set;
}

}  // namespace ridgeline
