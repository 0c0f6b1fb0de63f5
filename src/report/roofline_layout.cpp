#include "report/roofline_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <ranges>
#include <set>
#include <span>

#include <fmt/format.h>

#include "core/display.h"
#include "report/roofline_legend.h"

namespace ridgeline {
namespace {

constexpr std::size_t kMostLabels = 14;
constexpr std::size_t kMostCharacters = 40;
constexpr std::size_t kFewCharacters = 28;
constexpr double kLeastRadius = 2.6;
constexpr double kMostRadius = 15;
constexpr double kLoneRadius = 5;
constexpr double kOutline = 1;  // of a disc, beyond its radius

// Where the data lies on the page.
class Page {
 public:
  explicit Page(const RooflineScene& scene)
      : area(roofline_area(scene)),
        x_low_(std::log10(scene.x_low)),
        x_span_(std::log10(scene.x_high) - x_low_),
        y_low_(std::log10(scene.y_low)),
        y_span_(std::log10(scene.y_high) - y_low_) {}
  [[nodiscard]] double x(double value) const {
    return area.left + (std::log10(value) - x_low_) / x_span_ * (area.right - area.left);
  }
  [[nodiscard]] double y(double value) const {
    return area.bottom + (std::log10(value) - y_low_) / y_span_ * (area.top - area.bottom);
  }

  PageBox area;

 private:
  double x_low_;
  double x_span_;
  double y_low_;
  double y_span_;
};

// Where a roof's name may stand: so far along the line, and on this side of it.
struct RoofPlace {
  double along{};
  double above = 8;
};
constexpr std::array kComputePlaces{RoofPlace{0}, RoofPlace{0.1}, RoofPlace{0.2}, RoofPlace{0.3},
                                    RoofPlace{0, -8}, RoofPlace{0.1, -8}, RoofPlace{0.2, -8},
                                    RoofPlace{0.3, -8}, RoofPlace{0.45}, RoofPlace{0.6},
                                    RoofPlace{0.75}, RoofPlace{0.45, -8}, RoofPlace{0.5, -8},
                                    RoofPlace{0.6, -8}, RoofPlace{0.75, -8},
                                    // Of a short roof, off the rising one that meets it.
                                    RoofPlace{0, -20}, RoofPlace{0, -32}};
constexpr std::array kMemoryPlaces{RoofPlace{0.3},      RoofPlace{0.2},     RoofPlace{0.4},
                                   RoofPlace{0.15},     RoofPlace{0.5},     RoofPlace{0.6},
                                   RoofPlace{0.3, -8},  RoofPlace{0.2, -8}, RoofPlace{0.4, -8},
                                   RoofPlace{0.15, -8}, RoofPlace{0.5, -8}, RoofPlace{0.6, -8},
                                   RoofPlace{0.75},     RoofPlace{0.75, -8}};

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

// What a roof's name should not cover, the worse the later.
struct RoofObstacles {
  std::vector<PageBox> arrows{};  // and knees, as thin
  std::vector<PageBox> lines{};   // of other roofs
  std::vector<PageBox> dots{};
  std::vector<PageBox> texts{};
};

// The first place, in order of preference, where it covers nothing. Where there is none it may lie
// over an arrow, which is thin, then over another roof's line, as close roofs leave no room between
// them, then over dots, but not over a text; and a peak's name stays below its line then, for above
// the next one it would seem that one's.
PageText roof_text(const RoofLine& roof, const PageLine& line, const PageBox& area,
                   const RoofObstacles& obstacles) {
  const auto text = roof.is_memory ? memory_roof_text : compute_roof_text;
  const std::span<const RoofPlace> places =
      roof.is_memory ? std::span<const RoofPlace>(kMemoryPlaces) : kComputePlaces;
  for (int covered = 0; covered < 4; ++covered) {
    for (const RoofPlace& place : places) {
      if (covered > 1 && !roof.is_memory && place.above > 0) continue;
      PageText label = text(roof, line, place);
      if (box_of(label).left >= area.left && is_clear(label, obstacles.texts) &&
          (covered > 2 || is_clear(label, obstacles.dots)) &&
          (covered > 1 || is_clear(label, obstacles.lines)) &&
          (covered > 0 || is_clear(label, obstacles.arrows)))
        return label;
    }
  }
  return text(roof, line, places.front());
}

void block_arrows(const RooflineScene& scene, const Page& page, std::vector<PageBox>& boxes) {
  for (std::size_t i = 0; i < std::min(kMostDrawnArrows, scene.arrows.size()); ++i) {
    const RooflineDot& from = scene.dots[scene.arrows[i].from];
    const RooflineDot& to = scene.dots[scene.arrows[i].to];
    block_line({page.x(from.x), page.y(from.y), page.x(to.x), page.y(to.y)}, boxes);
  }
}

void block_knees(const RooflineScene& scene, const Page& page, std::vector<PageBox>& boxes) {
  for (const RooflineKnee& knee : scene.knees) {
    if (scene.shows(knee))
      block_line({page.x(knee.x), page.area.bottom, page.x(knee.x), page.y(knee.y)}, boxes);
  }
}

std::vector<PageBox> dot_boxes(const RooflineScene& scene, const Page& page) {
  std::vector<PageBox> boxes;
  for (const RooflineDot& dot : scene.dots) {
    const double x = page.x(dot.x);
    const double y = page.y(dot.y);
    const double r = radius_of(dot) + kOutline;
    boxes.push_back({.left = x - r, .bottom = y - r, .right = x + r, .top = y + r});
  }
  return boxes;
}

// From the foot of the axes upwards, off the names of roofs and each other.
void add_knee_texts(const RooflineScene& scene, const Page& page, std::vector<PageBox>& texts,
                    RooflineLayout& layout, std::vector<PageBox>& obstacles) {
  constexpr double kStep = 11;
  for (const RooflineKnee& knee : scene.knees) {
    if (!scene.shows(knee)) continue;
    PageText label{.text = knee.label,
                   .x = page.x(knee.x) + 4,
                   .y = page.area.bottom + 8,
                   .font = kRooflineSmallFont,
                   .colour = "#5b6470"};
    if (box_of(label).right > page.area.right) {
      label.align = "right";
      label.x -= 8;
    }
    while (!is_clear(label, texts) && label.y + kStep < page.area.top) label.y += kStep;
    block_text(label, texts);
    block_text(label, obstacles);
    layout.texts.push_back(std::move(label));
  }
}

void add_roof_texts(const RooflineScene& scene, const Page& page, RooflineLayout& layout,
                    std::vector<PageBox>& obstacles) {
  const auto line_of = [&](const RoofLine& roof) {
    return PageLine{page.x(roof.x0), page.y(roof.y0), page.x(roof.x1), page.y(roof.y1)};
  };
  // Its own line is beside a roof's name at every place: the others are in the way.
  RoofObstacles in_way{.dots = dot_boxes(scene, page)};
  block_arrows(scene, page, in_way.arrows);
  block_knees(scene, page, in_way.arrows);
  for (const RoofLine& roof : std::views::reverse(scene.roofs)) {  // the highest peak first
    in_way.lines.clear();
    for (const RoofLine& other : scene.roofs)
      if (&other != &roof) block_line(line_of(other), in_way.lines);
    layout.texts.push_back(roof_text(roof, line_of(roof), page.area, in_way));
    block_text(layout.texts.back(), in_way.texts);
  }
  std::vector<PageBox> texts = std::move(in_way.texts);
  obstacles = dot_boxes(scene, page);
  for (const RoofLine& roof : scene.roofs) block_line(line_of(roof), obstacles);
  obstacles.insert(obstacles.end(), texts.begin(), texts.end());
  add_knee_texts(scene, page, texts, layout, obstacles);
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
  const auto placed = place_labels(wishes, obstacles, page.area);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    if (placed[i]) add_name(wishes[i], *placed[i], texts[i], layout);
  }
}

}  // namespace

double radius_of(const RooflineDot& dot) {
  if (dot.share >= 1) return kLoneRadius;
  return std::clamp(kMostRadius * std::sqrt(dot.share), kLeastRadius, kMostRadius);
}

std::vector<PageText> ceiling_texts(const RooflineScene& scene) {
  RooflineLayout layout;
  std::vector<PageBox> obstacles;
  add_roof_texts(scene, Page(scene), layout, obstacles);
  return std::move(layout.texts);
}

AxesPlace axes_place(const RooflineScene& scene, const PageText& text) {
  const PageBox area = roofline_area(scene);
  const double right = (text.x - area.left) / (area.right - area.left);
  const double up = (text.y - area.bottom) / (area.top - area.bottom);
  return {.x = scene.x_low * std::pow(scene.x_high / scene.x_low, right),
          .y = scene.y_low * std::pow(scene.y_high / scene.y_low, up)};
}

RooflineLayout lay_out(const RooflineScene& scene) {
  const Page page(scene);
  RooflineLayout layout{.texts = legend_of(scene).texts};
  std::vector<PageBox> obstacles;
  layout.texts.push_back({.text = shortened(printable(scene.title), 90),
                          .x = page.area.left,
                          .y = 464,
                          .font = 12,
                          .colour = "#1b1f24"});
  layout.texts.push_back({.text = shortened(printable(scene.subtitle), 120),
                          .x = page.area.left,
                          .y = 448,
                          .font = kRooflineSmallFont,
                          .colour = "#5b6470"});
  for (PageText& note : notes_below(scene)) layout.texts.push_back(std::move(note));
  add_roof_texts(scene, page, layout, obstacles);
  block_arrows(scene, page, obstacles);
  add_names(scene, page, layout, obstacles);
  return layout;
}

}  // namespace ridgeline
