#include "report/roofline_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>
#include <span>

#include <fmt/format.h>

#include "core/display.h"

namespace ridgeline {
namespace {

constexpr double kCharacterWidth = 0.6;  // of DejaVu Sans, of its size
constexpr double kLineHeight = 1.35;
constexpr std::size_t kMostLabels = 14;
constexpr std::size_t kMostCharacters = 40;
constexpr std::size_t kFewCharacters = 28;
constexpr double kLeastRadius = 2.6;
constexpr double kMostRadius = 15;
constexpr double kLoneRadius = 5;
constexpr const PageBox& kArea = kRooflineArea;

// Where the data lies on the page.
class Page {
 public:
  explicit Page(const RooflineScene& scene)
      : x_low_(std::log10(scene.x_low)),
        x_span_(std::log10(scene.x_high) - x_low_),
        y_low_(std::log10(scene.y_low)),
        y_span_(std::log10(scene.y_high) - y_low_) {}
  [[nodiscard]] double x(double value) const {
    return kArea.left + (std::log10(value) - x_low_) / x_span_ * (kArea.right - kArea.left);
  }
  [[nodiscard]] double y(double value) const {
    return kArea.bottom + (std::log10(value) - y_low_) / y_span_ * (kArea.top - kArea.bottom);
  }

 private:
  double x_low_;
  double x_span_;
  double y_low_;
  double y_span_;
};

double text_width(std::string_view text, double font) {
  return static_cast<double>(display_width(text)) * kCharacterWidth * font;
}

PageBox box_of(const PageText& label) {
  const double width = text_width(label.text, label.font);
  const double half = label.font * kLineHeight / 2;
  const double left = label.align == "right"    ? label.x - width
                      : label.align == "center" ? label.x - width / 2
                                                : label.x;
  return {.left = left, .bottom = label.y - half, .right = left + width, .top = label.y + half};
}

// Small boxes along a line, which names keep off.
void block_line(const PageLine& line, std::vector<PageBox>& obstacles) {
  constexpr int kPieces = 60;
  const double dx = (line.x1 - line.x0) / kPieces;
  const double dy = (line.y1 - line.y0) / kPieces;
  for (int i = 0; i < kPieces; ++i) {
    const double x = line.x0 + dx * i;
    const double y = line.y0 + dy * i;
    obstacles.push_back({.left = std::min(x, x + dx) - 1,
                         .bottom = std::min(y, y + dy) - 1,
                         .right = std::max(x, x + dx) + 1,
                         .top = std::max(y, y + dy) + 1});
  }
}

// A turned text takes small boxes along itself.
void block_text(const PageText& label, std::vector<PageBox>& obstacles) {
  if (label.angle == 0) {
    obstacles.push_back(box_of(label));
    return;
  }
  const double half = text_width(label.text, label.font) / 2;
  const double angle = label.angle * std::numbers::pi / 180;
  const double reach = label.font * 0.6;
  for (double along = -half; along <= half; along += label.font / 2) {
    const double x = label.x + along * std::cos(angle);
    const double y = label.y + along * std::sin(angle);
    obstacles.push_back(
        {.left = x - reach, .bottom = y - reach, .right = x + reach, .top = y + reach});
  }
}

// Of its whole length no box may lie on a dot or a line.
bool is_clear(const PageText& label, const std::vector<PageBox>& obstacles) {
  std::vector<PageBox> boxes;
  block_text(label, boxes);
  return std::ranges::none_of(boxes, [&](const PageBox& box) {
    return std::ranges::any_of(obstacles,
                               [&](const PageBox& other) { return box.overlaps(other); });
  });
}

// Where a roof's name may stand: so far along the line, and on this side of it.
struct RoofPlace {
  double along{};
  double above = 8;
};
constexpr std::array kComputePlaces{RoofPlace{0},       RoofPlace{0.1},    RoofPlace{0.2},
                                    RoofPlace{0.3},     RoofPlace{0, -8},  RoofPlace{0.1, -8},
                                    RoofPlace{0.2, -8}, RoofPlace{0.3, -8}};
constexpr std::array kMemoryPlaces{RoofPlace{0.3},  RoofPlace{0.2}, RoofPlace{0.4},
                                   RoofPlace{0.15}, RoofPlace{0.5}, RoofPlace{0.6}};

// Level, from the line's end on.
PageText compute_roof_text(const RoofLine& roof, const PageLine& line, const RoofPlace& place) {
  return {.text = roof.label,
          .x = line.x1 - 4 - place.along * (line.x1 - line.x0),
          .y = line.y1 + place.above,
          .align = "right"};
}

// Turned as the line is, from its foot on.
PageText memory_roof_text(const RoofLine& roof, const PageLine& line, const RoofPlace& place) {
  const double run = line.x1 - line.x0;
  const double rise = line.y1 - line.y0;
  const double angle = std::atan2(rise, run);
  return {.text = roof.label,
          .x = line.x0 + run * place.along - place.above * std::sin(angle),
          .y = line.y0 + rise * place.along + place.above * std::cos(angle),
          .align = "center",
          .angle = angle * 180 / std::numbers::pi};
}

// The first place, in order of preference, where it covers nothing; the best one where all do.
PageText roof_text(const RoofLine& roof, const PageLine& line,
                   const std::vector<PageBox>& obstacles) {
  const auto text = roof.is_memory ? memory_roof_text : compute_roof_text;
  const std::span<const RoofPlace> places =
      roof.is_memory ? std::span<const RoofPlace>(kMemoryPlaces) : kComputePlaces;
  for (const RoofPlace& place : places) {
    PageText label = text(roof, line, place);
    if (box_of(label).left >= kArea.left && is_clear(label, obstacles)) return label;
  }
  return text(roof, line, places.front());
}

std::vector<PageBox> dot_boxes(const RooflineScene& scene, const Page& page) {
  std::vector<PageBox> boxes;
  for (const RooflineDot& dot : scene.dots) {
    const double x = page.x(dot.x);
    const double y = page.y(dot.y);
    const double r = radius_of(dot);
    boxes.push_back({.left = x - r, .bottom = y - r, .right = x + r, .top = y + r});
  }
  return boxes;
}

void add_roof_texts(const RooflineScene& scene, const Page& page, RooflineLayout& layout,
                    std::vector<PageBox>& obstacles) {
  const auto line_of = [&](const RoofLine& roof) {
    return PageLine{page.x(roof.x0), page.y(roof.y0), page.x(roof.x1), page.y(roof.y1)};
  };
  // Its own line is beside a roof's name at every place: the others are in the way.
  std::vector<PageBox> texts;
  for (const RoofLine& roof : scene.roofs) {
    std::vector<PageBox> in_the_way = dot_boxes(scene, page);
    in_the_way.insert(in_the_way.end(), texts.begin(), texts.end());
    for (const RoofLine& other : scene.roofs)
      if (&other != &roof) block_line(line_of(other), in_the_way);
    layout.texts.push_back(roof_text(roof, line_of(roof), in_the_way));
    block_text(layout.texts.back(), texts);
  }
  obstacles = dot_boxes(scene, page);
  for (const RoofLine& roof : scene.roofs) block_line(line_of(roof), obstacles);
  obstacles.insert(obstacles.end(), texts.begin(), texts.end());
  double y = kArea.bottom + 8;
  for (const RooflineKnee& knee : scene.knees) {
    if (knee.x <= scene.x_low || knee.x >= scene.x_high) continue;
    PageText label{.text = knee.label,
                   .x = page.x(knee.x) + 4,
                   .y = y,
                   .font = kRooflineSmallFont,
                   .colour = "#5b6470"};
    if (box_of(label).right > kArea.right) {
      label.align = "right";
      label.x -= 8;
    }
    block_text(label, obstacles);
    layout.texts.push_back(std::move(label));
    y += 11;
  }
}

std::string dot_name(const RooflineScene& scene, const RooflineDot& dot) {
  const bool single = std::ranges::count(scene.dots, dot.set, &RooflineDot::set) == 1;
  const std::string& name = single ? scene.sets[dot.set] : dot.label;
  const bool crowded = scene.dots.size() > kMostLabels;
  return shortened(printable(name), crowded ? kFewCharacters : kMostCharacters);
}

// Under the name of a lone point stand the numbers that place it.
std::vector<std::string> lines_of(const RooflineScene& scene, const RooflineDot& dot) {
  std::vector<std::string> lines{dot_name(scene, dot)};
  if (scene.dots.size() <= 3) {
    lines.push_back(fmt::format("{:.3f} FLOP/byte", dot.x));
    lines.push_back(fmt::format("{:.1f} GFLOP/s", dot.y));
  }
  return lines;
}

void add_name(const LabelWish& wish, const PlacedLabel& place,
              const std::vector<std::string>& lines, RooflineLayout& layout) {
  const double step = kRooflineSmallFont * kLineHeight;
  double y = place.box.top - step / 2;
  for (const std::string& line : lines) {
    layout.texts.push_back({.text = line,
                            .x = place.box.left + 1.5,
                            .y = y,
                            .font = kRooflineSmallFont,
                            .colour = "#1b1f24"});
    y -= step;
  }
  if (!place.far) return;
  layout.leaders.push_back({wish.x, wish.y, std::clamp(wish.x, place.box.left, place.box.right),
                            std::clamp(wish.y, place.box.bottom, place.box.top)});
}

void add_names(const RooflineScene& scene, const Page& page, RooflineLayout& layout,
               std::vector<PageBox>& obstacles) {
  std::vector<LabelWish> wishes;
  std::vector<std::vector<std::string>> texts;
  std::set<std::string> named;
  for (const RooflineDot& dot : scene.dots) {
    const double x = page.x(dot.x);
    const double y = page.y(dot.y);
    // One name for dots that share it, at the largest; between runs an arrow tells the rest.
    const auto lines = lines_of(scene, dot);
    if (texts.size() == kMostLabels || !named.insert(lines.front()).second) continue;
    double width = 0;
    for (const auto& line : lines) width = std::max(width, text_width(line, kRooflineSmallFont));
    wishes.push_back(
        {.x = x,
         .y = y,
         .radius = radius_of(dot),
         .width = width + 3,
         .height = kRooflineSmallFont * kLineHeight * static_cast<double>(lines.size())});
    texts.push_back(lines);
  }
  const auto placed = place_labels(wishes, obstacles, kArea);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    if (placed[i]) add_name(wishes[i], *placed[i], texts[i], layout);
  }
}

}  // namespace

double radius_of(const RooflineDot& dot) {
  if (dot.share >= 1) return kLoneRadius;
  return std::clamp(kMostRadius * std::sqrt(dot.share), kLeastRadius, kMostRadius);
}

RooflineLayout lay_out(const RooflineScene& scene) {
  const Page page(scene);
  RooflineLayout layout;
  std::vector<PageBox> obstacles;
  layout.texts.push_back({.text = shortened(printable(scene.title), 90),
                          .x = kArea.left,
                          .y = 464,
                          .font = 12,
                          .colour = "#1b1f24"});
  layout.texts.push_back({.text = shortened(printable(scene.subtitle), 120),
                          .x = kArea.left,
                          .y = 448,
                          .font = kRooflineSmallFont,
                          .colour = "#5b6470"});
  for (std::size_t i = 0; i < std::min<std::size_t>(2, scene.notes.size()); ++i) {
    layout.texts.push_back({.text = shortened(printable(scene.notes[i]), 140),
                            .x = kArea.left,
                            .y = 18 - 11 * static_cast<double>(i),
                            .font = kRooflineSmallFont,
                            .colour = "#5b6470"});
  }
  add_roof_texts(scene, page, layout, obstacles);
  for (const RooflineArrow& arrow : scene.arrows) {
    const RooflineDot& from = scene.dots[arrow.from];
    const RooflineDot& to = scene.dots[arrow.to];
    block_line({page.x(from.x), page.y(from.y), page.x(to.x), page.y(to.y)}, obstacles);
  }
  add_names(scene, page, layout, obstacles);
  return layout;
}

}  // namespace ridgeline
