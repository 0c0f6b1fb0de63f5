#include "report/roofline_legend.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "core/display.h"

namespace ridgeline {
namespace {

constexpr std::size_t kMostCharacters = 60;
constexpr double kMarkWidth = 12;
constexpr double kGap = 16;
constexpr double kRowHeight = 13;
constexpr double kLowestRow = 44;
constexpr double kNoteHeight = 11;
constexpr double kLowestNote = 7;
constexpr double kLeft = 62;
constexpr std::size_t kNotesWithoutRoom =
    2;  // lines for which the foot of the page has room anyway
constexpr std::size_t kMostNoteLines = 9;
constexpr std::size_t kNoteCharacters = 150;
constexpr double kMostWidth = kRooflineWidth - 40;

struct Entry {
  int point_type{};
  std::string_view colour{};
  std::string text{};
  [[nodiscard]] double width() const { return kMarkWidth + text_width(text, kRooflineFont); }
};

using Row = std::vector<Entry>;

constexpr int kNoMark = 0;
constexpr std::size_t kMostRuns = 8;  // as many as there are markers

Row kinds_of(const RooflineScene& scene) {
  Row entries;
  std::set<OpKind> kinds;
  for (const RooflineDot& dot : scene.dots) kinds.insert(dot.kind);
  if (kinds.size() > 1 || scene.dots.size() > scene.sets.size()) {
    for (const OpKind kind : kinds)
      entries.push_back({7, colour_of(kind), std::string(name_of(kind))});
  }
  return entries;
}

Row runs_of(const RooflineScene& scene) {
  Row entries;
  const std::size_t named = scene.sets.size() > 1 ? std::min(scene.sets.size(), kMostRuns) : 0;
  for (std::size_t set = 0; set < named; ++set) {
    const RunMarker marker = marker_of(set, scene.sets.size());
    entries.push_back({marker.filling != 0 ? marker.filling : marker.outline, "#2b2f36",
                       shortened(printable(scene.sets[set]), kMostCharacters)});
  }
  if (named > 0 && named < scene.sets.size())
    entries.push_back({kNoMark, "#2b2f36",
                       fmt::format("and {} more, marked like these", scene.sets.size() - named)});
  return entries;
}

double width_of(const Row& row) {
  double width = -kGap;
  for (const Entry& entry : row) width += entry.width() + kGap;
  return width;
}

void flow(const Row& entries, std::vector<Row>& rows) {
  rows.emplace_back();
  for (const Entry& entry : entries) {
    if (!rows.back().empty() && width_of(rows.back()) + kGap + entry.width() > kMostWidth)
      rows.emplace_back();
    rows.back().push_back(entry);
  }
  if (rows.back().empty()) rows.pop_back();
}

// In one row where all fits, else runs below kinds.
std::vector<Row> rows_of(const RooflineScene& scene) {
  const Row kinds = kinds_of(scene);
  const Row runs = runs_of(scene);
  Row all = kinds;
  all.insert(all.end(), runs.begin(), runs.end());
  std::vector<Row> rows;
  if (width_of(all) <= kMostWidth) {
    flow(all, rows);
  } else {
    flow(kinds, rows);
    flow(runs, rows);
  }
  return rows;
}

// Broken at blanks. None where a word is longer than a line, as a command to copy is: from a
// picture nobody can.
std::vector<std::string> broken(std::string text) {
  std::vector<std::string> lines;
  while (text.size() > kNoteCharacters) {
    const std::size_t blank = text.rfind(' ', kNoteCharacters);
    if (blank == std::string::npos || blank == 0) return {};
    lines.push_back(text.substr(0, blank));
    text.erase(0, blank + 1);
  }
  lines.push_back(text);
  return lines;
}

std::vector<std::string> note_lines(const RooflineScene& scene) {
  std::vector<std::string> lines;
  std::size_t told = 0;
  for (const std::string& note : scene.notes) {
    const auto more = broken(printable(note));
    if (more.empty()) continue;
    if (lines.size() + more.size() >= kMostNoteLines) break;
    lines.insert(lines.end(), more.begin(), more.end());
    ++told;
  }
  if (told < scene.notes.size())
    lines.push_back(
        fmt::format("… and {} more, which a page (.html) has", scene.notes.size() - told));
  return lines;
}

// How much higher everything above the notes stands.
double raised(const RooflineScene& scene) {
  const std::size_t lines = std::max(note_lines(scene).size(), kNotesWithoutRoom);
  return kNoteHeight * static_cast<double>(lines - kNotesWithoutRoom);
}

}  // namespace

std::vector<PageText> notes_below(const RooflineScene& scene) {
  const std::vector<std::string> lines = note_lines(scene);
  std::vector<PageText> texts;
  const std::size_t rows = std::max(lines.size(), kNotesWithoutRoom);
  double y = kLowestNote + kNoteHeight * static_cast<double>(rows - 1);
  for (const std::string& line : lines) {
    texts.push_back(
        {.text = line, .x = kLeft, .y = y, .font = kRooflineSmallFont, .colour = "#5b6470"});
    y -= kNoteHeight;
  }
  return texts;
}

RunMarker marker_of(std::size_t set, std::size_t sets) {
  static constexpr std::array kMarkers{
      RunMarker{6, 0, "circle-open"}, RunMarker{6, 7, "circle"},
      RunMarker{4, 5, "square"},      RunMarker{8, 9, "triangle-up"},
      RunMarker{12, 13, "diamond"},   RunMarker{10, 11, "triangle-down"},
      RunMarker{4, 0, "square-open"}, RunMarker{8, 0, "triangle-up-open"},
  };
  return sets == 1 ? kMarkers[1] : kMarkers[set % kMarkers.size()];
}

std::string_view colour_of(OpKind kind) {
  static constexpr std::array<std::string_view, kOpKinds> kColours{
      "#CC79A7",  // attention
      "#0072B2",  // matrix products
      "#56B4E9",  // convolution
      "#D55E00",  // normalisation
      "#009E73",  // elementwise
      "#E69F00",  // reductions
      "#7B5EA7",  // optimizer
      "#8C6D46",  // copies
      "#B8A500",  // embedding
      "#A0475C",  // communication
      "#4D4D4D",  // other
  };
  return kColours[static_cast<std::size_t>(kind)];
}

RooflineLegend legend_of(const RooflineScene& scene) {
  const std::vector<Row> rows = rows_of(scene);
  RooflineLegend legend{.rows = rows.size()};
  double y = kLowestRow + raised(scene) + kRowHeight * static_cast<double>(rows.size());
  for (const Row& row : rows) {
    y -= kRowHeight;
    double x = (kRooflineWidth - width_of(row)) / 2;
    for (const Entry& entry : row) {
      if (entry.point_type != kNoMark)
        legend.marks.push_back({x + 4, y, entry.point_type, entry.colour});
      legend.texts.push_back({.text = entry.text, .x = x + kMarkWidth, .y = y});
      x += entry.width() + kGap;
    }
  }
  return legend;
}

PageBox roofline_area(const RooflineScene& scene) {
  const auto rows = static_cast<double>(std::max<std::size_t>(rows_of(scene).size(), 1));
  return {.left = kLeft,
          .bottom = 94 + raised(scene) + kRowHeight * (rows - 1),
          .right = 704,
          .top = 432};
}

}  // namespace ridgeline
