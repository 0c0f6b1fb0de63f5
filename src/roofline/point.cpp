#include "roofline/point.h"

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"

namespace ridgeline {
namespace {

// A mean weighted by time, of which only some points know the value.
class WeightedMean {
 public:
  void add(std::optional<double> value, Seconds time) {
    if (!value) return;
    sum_ += *value * time.count();
    weight_ += time.count();
  }
  [[nodiscard]] std::optional<double> mean() const {
    return weight_ > 0 ? std::optional(sum_ / weight_) : std::nullopt;
  }

 private:
  double sum_ = 0;
  double weight_ = 0;
};

std::string key_of(const RooflinePoint& point, PointGrouping grouping) {
  switch (grouping) {
    case PointGrouping::Kind:
      return std::string(name_of(point.kind));
    case PointGrouping::Phase:
      return point.phase.empty() ? "no range" : point.phase;
    case PointGrouping::Total:
      return "total";
    default:
      return point.label;
  }
}

void add_counts(RooflinePoint& sum, const RooflinePoint& point) {
  sum.calls += point.calls;
  sum.time += point.time;
  for (std::size_t i = 0; i < kComputePaths; ++i) sum.flop[i] = sum.flop[i] + point.flop[i];
  for (std::size_t i = 0; i < kMemoryLevels; ++i) {
    if (sum.bytes[i] && point.bytes[i]) {
      sum.bytes[i] = *sum.bytes[i] + *point.bytes[i];
    } else {
      sum.bytes[i].reset();
    }
  }
}

// "[64, 3, 7, 7]: 45 % of it in 20 calls", the longest first.
std::vector<std::string> shapes_of(const std::vector<const RooflinePoint*>& group, Seconds all) {
  constexpr std::size_t kMost = 3;
  struct Part {
    Seconds time{};
    std::uint64_t calls = 0;
  };
  std::unordered_map<std::string_view, Part> parts;
  for (const RooflinePoint* const point : group) {
    Part& part = parts[point->detail];
    part.time += point->time;
    part.calls += point->calls;
  }
  if (parts.size() < 2 || !(all.count() > 0)) return {};
  std::vector<std::pair<std::string_view, Part>> longest(parts.begin(), parts.end());
  std::ranges::sort(longest, {}, &std::pair<std::string_view, Part>::first);
  std::ranges::stable_sort(longest, std::greater{},
                           [](const auto& part) { return part.second.time; });
  std::vector<std::string> texts;
  for (const auto& [detail, part] : longest) {
    if (texts.size() == kMost) break;
    texts.push_back(fmt::format("{}: {:.0f} % of it in {} {}", detail.empty() ? "no shape" : detail,
                                100 * (part.time / all), part.calls,
                                part.calls == 1 ? "call" : "calls"));
  }
  if (longest.size() > kMost)
    texts.push_back(fmt::format("and {} more shapes", longest.size() - kMost));
  return texts;
}

RooflinePoint merged(const std::vector<const RooflinePoint*>& group, std::string label,
                     const WonOf& won) {
  RooflinePoint sum = *group.front();
  sum.label = std::move(label);
  sum.won.reset();
  WeightedMean sm;
  WeightedMean dram;
  WeightedMean occupancy;
  WeightedMean waves;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const RooflinePoint& point = *group[i];
    if (i > 0) add_counts(sum, point);
    if (won) sum.won = sum.won.value_or(Seconds{0}) + won(point);
    if (point.detail != sum.detail) sum.detail.clear();
    if (point.phase != sum.phase) sum.phase.clear();
    if (point.kind != sum.kind) sum.kind = OpKind::Other;
    sum.partly_by_shapes =
        sum.partly_by_shapes || point.partly_by_shapes || sum.by_shapes != point.by_shapes;
    sum.by_shapes = sum.by_shapes && point.by_shapes;
    sm.add(point.sm_percent, point.time);
    dram.add(point.dram_percent, point.time);
    occupancy.add(point.occupancy_percent, point.time);
    waves.add(point.waves, point.time);
  }
  sum.sm_percent = sm.mean();
  sum.dram_percent = dram.mean();
  sum.occupancy_percent = occupancy.mean();
  sum.waves = waves.mean();
  return sum;
}

// That which takes most of the time, work before overhead.
OpKind main_kind(const std::vector<const RooflinePoint*>& group) {
  std::array<Seconds, kOpKinds> times{};
  for (const RooflinePoint* const point : group)
    if (!point->is_overhead()) times[static_cast<std::size_t>(point->kind)] += point->time;
  const auto* const most = std::ranges::max_element(times);
  return most->count() > 0 ? static_cast<OpKind>(most - times.begin()) : group.front()->kind;
}

// Where the brackets that open at `at` close; npos when they do not.
std::size_t closing(std::string_view text, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    if (text[i] == '<' || text[i] == '(') ++depth;
    if ((text[i] == '>' || text[i] == ')') && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// The part after the last "::" outside brackets, up to the first bracket: a function's own name.
std::string_view own_name(std::string_view text) {
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i).starts_with("<unnamed>") || text.substr(i).starts_with("(anonymous")) {
      const std::size_t end = closing(text, i);
      if (end == std::string_view::npos) break;
      i = end + 1;
    } else if (text[i] == '<' || text[i] == '(') {
      return text.substr(start, i - start);
    } else if (text[i] == ' ' || (text[i] == ':' && text.substr(i).starts_with("::"))) {
      i += text[i] == ' ' ? 1 : 2;
      start = i;
    } else {
      ++i;
    }
  }
  return text.substr(start);
}

// Forward and backward of fused attention differ only at the end of a name that is longer than any
// column.
constexpr std::string_view kAttention = "aten::_scaled_dot_product_";

std::string short_attention_name(std::string_view name) {
  constexpr std::string_view kWord = "_attention";
  std::string text = "sdpa_" + std::string(name.substr(kAttention.size()));
  if (const auto at = text.find(kWord); at != std::string::npos) text.erase(at, kWord.size());
  return text;
}

}  // namespace

Flop RooflinePoint::total_flop() const {
  Flop total{};
  for (const Flop part : flop) total = total + part;
  return total;
}

bool RooflinePoint::is_overhead() const {
  // From shapes every level has the same bytes; DRAM need not be among those asked for.
  const auto known = [](const std::optional<Bytes>& moved) { return moved.has_value(); };
  const auto some = [](const std::optional<Bytes>& moved) { return moved && moved->count > 0; };
  return by_shapes && std::ranges::any_of(bytes, known) && std::ranges::none_of(bytes, some) &&
         total_flop().count == 0;
}

ComputePath RooflinePoint::main_path() const {
  const auto most = std::ranges::max_element(flop);
  if (!(most->count > 0)) return ComputePath::Fp32;
  return static_cast<ComputePath>(most - flop.begin());
}

std::optional<FlopPerByte> RooflinePoint::intensity(MemoryLevel level) const {
  const auto moved = of(level);
  if (!moved || !(moved->count > 0)) return std::nullopt;
  return total_flop() / *moved;
}

std::optional<FlopPerSecond> RooflinePoint::rate() const {
  if (!(time.count() > 0)) return std::nullopt;
  return total_flop() / time;
}

const std::vector<std::string_view>& point_grouping_names() {
  static const std::vector<std::string_view> kNames{"launch", "kernel", "kind", "phase", "total"};
  return kNames;
}

PointGrouping point_grouping(std::string_view word) {
  const auto& names = point_grouping_names();
  const auto at = std::ranges::find(names, word);
  if (at == names.end()) throw bad_input(unknown_word("grouping", word, names));
  return static_cast<PointGrouping>(at - names.begin());
}

std::vector<RooflinePoint> grouped(const std::vector<RooflinePoint>& points, PointGrouping grouping,
                                   const WonOf& won) {
  if (grouping == PointGrouping::Launch) return points;
  std::unordered_map<std::string, std::size_t> places;
  std::vector<std::string> keys;
  std::vector<std::vector<const RooflinePoint*>> groups;
  for (const RooflinePoint& point : points) {
    std::string key = key_of(point, grouping);
    const auto [place, is_new] = places.try_emplace(key, groups.size());
    if (is_new) {
      groups.emplace_back();
      keys.push_back(std::move(key));
    }
    groups[place->second].push_back(&point);
  }
  std::vector<RooflinePoint> result;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    result.push_back(merged(groups[i], keys[i], won));
    if (grouping != PointGrouping::Total) result.back().kind = main_kind(groups[i]);
    if (grouping == PointGrouping::Kernel)
      result.back().shapes = shapes_of(groups[i], result.back().time);
  }
  std::ranges::stable_sort(result, std::greater{}, &RooflinePoint::time);
  return result;
}

RooflinePoint total_of(const std::vector<RooflinePoint>& points, std::string label) {
  if (points.empty()) throw bad_input("there are no points to sum");
  RooflinePoint total = grouped(points, PointGrouping::Total).front();
  total.label = std::move(label);
  return total;
}

std::string short_label(const RooflinePoint& point) {
  // What a compiler or a library named has one of these; a phase may, and then it is its own label.
  const bool is_code = point.label.find("::") != std::string::npos ||
                       point.label.find_first_of("<(") != std::string::npos;
  return is_code && point.label != point.phase ? short_kernel_name(point.label) : point.label;
}

std::string short_kernel_name(std::string_view name) {
  if (name.starts_with(kAttention)) return short_attention_name(name);
  const std::string_view own = own_name(name);
  std::string result(own.empty() ? name : own);
  // Of PyTorch's elementwise and multi-tensor kernels only the functor tells them apart.
  const std::size_t functor = name.find("Functor");
  if (functor == std::string_view::npos) return result;
  std::size_t start = functor;
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  while (start > 0 && is_word(name[start - 1])) --start;
  std::size_t end = functor;
  while (end < name.size() && is_word(name[end])) ++end;
  const std::string_view word = name.substr(start, end - start);
  return word == own ? result : std::string(word) + " in " + result;
}

}  // namespace ridgeline
