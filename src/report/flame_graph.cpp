#include "report/flame_graph.h"

#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "core/display.h"
#include "report/html_text.h"

namespace ridgeline {
namespace {

constexpr int kRow = 18;
constexpr int kMargin = 10;
constexpr int kHeader = 34;
constexpr double kLetter = 7.2;        // width of one in the font of the boxes
constexpr std::size_t kDeepest = 256;  // recursion without end would make a picture without end

// std::map, so that siblings are sorted and the picture is the same for the same stacks.
struct Box {
  double value = 0;
  std::map<std::string, std::unique_ptr<Box>, std::less<>> inside{};
};

void add(Box& root, const FoldedStack& stack) {
  if (!(stack.value > 0)) return;
  root.value += stack.value;
  Box* box = &root;
  std::string_view rest = stack.frames;
  for (std::size_t depth = 0; depth < kDeepest && !rest.empty(); ++depth) {
    const std::size_t end = rest.find(';');
    const std::string_view name = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    auto& next = box->inside[std::string(name)];
    if (!next) next = std::make_unique<Box>();
    next->value += stack.value;
    box = next.get();
  }
}

// A warm colour that belongs to the name, so that a function keeps it from picture to picture.
std::string colour_of(std::string_view name) {
  std::uint32_t hash = 2166136261U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return fmt::format("rgb({},{},{})", 205 + hash % 50, 80 + (hash >> 8) % 130, (hash >> 16) % 60);
}

class Picture {
 public:
  Picture(const Box& root, const FlameGraphOptions& options)
      : options_(options),
        whole_(root.value),
        scale_(root.value > 0 ? (options.width - 2 * kMargin) / root.value : 0) {
    draw(root, "all", kMargin, 0);
  }

  [[nodiscard]] std::string svg() const {
    const int height = kHeader + static_cast<int>(levels_) * kRow + kMargin;
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
        "{1}\" font-family=\"DejaVu Sans Mono, monospace\" font-size=\"12\">\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n"
        "<text x=\"{2}\" y=\"22\" font-size=\"16\">{3}</text>\n"
        "<g transform=\"translate(0 {4})\">\n{5}</g>\n</svg>\n",
        options_.width, height, kMargin, html_escape(printable(options_.title)), height - kMargin,
        boxes_);
  }

 private:
  void draw(const Box& box, const std::string& name, double left, std::size_t level) {
    const double width = box.value * scale_;
    if (width < options_.least_width) return;
    levels_ = std::max(levels_, level + 1);
    const double top = -static_cast<double>(level + 1) * kRow;
    const auto room = static_cast<std::size_t>(std::max(0.0, (width - 6) / kLetter));
    boxes_ += fmt::format(
        "<g><title>{} ({:.6g} {}, {:.2f} %)</title><rect x=\"{:.1f}\" y=\"{:.0f}\" "
        "width=\"{:.1f}\" height=\"{}\" fill=\"{}\" rx=\"2\"/>",
        html_escape(printable(name)), box.value, options_.unit, 100 * box.value / whole_, left, top,
        width, kRow - 1, colour_of(name));
    if (room >= 3)
      boxes_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.0f}\">{}</text>", left + 3, top + 13,
                            html_escape(shortened(printable(name), room)));
    boxes_ += "</g>\n";
    for (const auto& [inner, child] : box.inside) {
      draw(*child, inner, left, level + 1);
      left += child->value * scale_;
    }
  }

  const FlameGraphOptions& options_;
  double whole_;
  double scale_;
  std::size_t levels_ = 0;
  std::string boxes_;
};

}  // namespace

std::string flame_graph_svg(std::span<const FoldedStack> stacks, const FlameGraphOptions& options) {
  Box root;
  for (const FoldedStack& stack : stacks) add(root, stack);
  return Picture(root, options).svg();
}

}  // namespace ridgeline
