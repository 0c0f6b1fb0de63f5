#include "roofline/point_source.h"

#include <fmt/format.h>

#include "core/malformed.h"
#include "core/mapped_file.h"
#include "roofline/datasheet.h"
#include "roofline/summary_file.h"

namespace ridgeline {
namespace {

// A summary is a page; nothing this long is looked through for its lines.
constexpr std::size_t kLongestSummary = 64 * 1024;

bool begins_with(std::string_view text, char mark) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == mark;
}

PointSet read_ncu(const std::filesystem::path& file, const NcuFileOptions& options) {
  NcuPoints read = read_ncu_file(file, options);
  PointSet set{.source = "ncu: " + file.string(),
               .points = std::move(read.points),
               .notes = std::move(read.notes)};
  if (const auto peaks = datasheet_of_device(read.device_name)) set.ceilings = *peaks;
  return set;
}

}  // namespace

std::vector<PointSet> read_point_sets(const std::filesystem::path& file,
                                      const NcuFileOptions& options) {
  const std::string name = file.string();
  std::vector<PointSet> sets;
  {
    const MappedFile mapped(file);
    const std::string_view text(reinterpret_cast<const char*>(mapped.bytes().data()),
                                mapped.bytes().size());
    if (begins_with(text, '{')) {
      sets.push_back(parse_points_json(text, name));
    } else if (begins_with(text, '[')) {
      sets = parse_points_list(text, name);
    } else if (text.size() <= kLongestSummary && is_summary(text)) {
      const RooflineSummary summary = parse_summary(text, name);
      sets.push_back(
          {.label = summary.label, .source = "summary: " + name, .points = {point_of(summary)}});
    }
  }
  if (sets.empty()) sets.push_back(read_ncu(file, options));
  for (PointSet& set : sets)
    if (set.label.empty()) set.label = file.stem().string();
  return sets;
}

PointSet read_points(const std::filesystem::path& file, const NcuFileOptions& options) {
  std::vector<PointSet> sets = read_point_sets(file, options);
  if (sets.size() > 1)
    throw malformed(file.string(),
                    fmt::format("it has the points of {} runs, where one is wanted", sets.size()));
  return std::move(sets.front());
}

}  // namespace ridgeline
