#include "roofline/points_file.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/malformed.h"
#include "core/utf8.h"
#include "roofline/verdict.h"

namespace ridgeline {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr const char* kByShapes = "shapes";

// By the names of paths and levels, which differ.
Json intervals_json(const Ceilings& ceilings) {
  Json json = Json::object();
  const auto add = [&](std::string_view name, const std::optional<PeakInterval>& interval) {
    if (interval)
      json[std::string(name)] = {{"low_per_s", interval->low},
                                 {"high_per_s", interval->high},
                                 {"steady", interval->steady}};
  };
  for (const ComputePath path : all_compute_paths())
    add(name_of(path), ceilings.compute_interval[index_of(path)]);
  for (const MemoryLevel level : all_memory_levels())
    add(name_of(level), ceilings.bandwidth_interval[index_of(level)]);
  return json;
}

Json ceilings_json(const Ceilings& ceilings) {
  Json compute = Json::object();
  for (const ComputePath path : all_compute_paths()) {
    if (const auto peak = ceilings.of(path)) compute[std::string(name_of(path))] = peak->value;
  }
  Json bandwidth = Json::object();
  for (const MemoryLevel level : all_memory_levels()) {
    if (const auto peak = ceilings.of(level)) bandwidth[std::string(name_of(level))] = peak->value;
  }
  Json json{{"machine", ceilings.machine},
            {"source", ceilings.source},
            {"compute_flop_per_s", compute},
            {"bandwidth_bytes_per_s", bandwidth}};
  if (Json intervals = intervals_json(ceilings); !intervals.empty())
    json["intervals"] = std::move(intervals);
  return json;
}

Json point_json(const RooflinePoint& point) {
  Json json{{"label", point.label}, {"detail", point.detail},
            {"phase", point.phase}, {"kind", name_of(point.kind)},
            {"calls", point.calls}, {"time_s", point.time.count()}};
  Json flop = Json::object();
  for (const ComputePath path : all_compute_paths()) {
    if (const Flop work = point.flop[index_of(path)]; work.count > 0)
      flop[std::string(name_of(path))] = work.count;
  }
  json["flop"] = std::move(flop);
  Json bytes = Json::object();
  for (const MemoryLevel level : all_memory_levels()) {
    if (const auto moved = point.of(level)) bytes[std::string(name_of(level))] = moved->count;
  }
  json["bytes"] = std::move(bytes);
  const auto add = [&](const char* key, const std::optional<double>& value) {
    if (value) json[key] = *value;
  };
  add("sm_percent", point.sm_percent);
  add("dram_percent", point.dram_percent);
  add("occupancy_percent", point.occupancy_percent);
  add("waves", point.waves);
  if (point.by_shapes) json["counted_by"] = kByShapes;
  return json;
}

// Reads members with checks; every message names the file and the key.
class Members {
 public:
  Members(const Json& json, const std::string& source, std::string place)
      : json_(json), source_(source), place_(std::move(place)) {
    if (!json.is_object()) throw malformed(source_, fmt::format("{} is no object", place_));
  }
  [[nodiscard]] std::string text(const char* key) const {
    const auto at = json_.find(key);
    if (at == json_.end()) return {};
    if (!at->is_string()) throw wrong(key, "is no text");
    return with_valid_utf8(at->get<std::string>());
  }
  [[nodiscard]] std::optional<double> number(const char* key) const {
    const auto at = json_.find(key);
    if (at == json_.end()) return std::nullopt;
    return checked(*at, key);
  }
  [[nodiscard]] double checked(const Json& value, std::string_view key) const {
    if (!value.is_number()) throw wrong(key, "is no number");
    const double number = value.get<double>();
    if (!std::isfinite(number) || number < 0 || number > kMostOfAnything)
      throw wrong(key, "is not between 0 and 1e30");
    return number;
  }
  // Calls take(name, number) for each member of the object under `key`.
  template <class Take>
  void each(const char* key, Take take) const {
    const auto at = json_.find(key);
    if (at == json_.end()) return;
    if (!at->is_object()) throw wrong(key, "is no object");
    for (const auto& [name, value] : at->items()) {
      if (!take(name, checked(value, name))) throw wrong(key, "has the unknown " + in_quotes(name));
    }
  }
  [[nodiscard]] Error wrong(std::string_view key, std::string_view what) const {
    return malformed(source_, fmt::format("{}: {} {}", place_, in_quotes(key), what));
  }

 private:
  const Json& json_;
  const std::string& source_;
  std::string place_;
};

void read_intervals(const Json& json, const std::string& source, Ceilings& ceilings) {
  const auto all = json.find("intervals");
  if (all == json.end()) return;
  if (!all->is_object()) throw malformed(source, "ceilings: 'intervals' is no object");
  for (const auto& [name, item] : all->items()) {
    const Members members(item, source, "the interval of " + in_quotes(name));
    const auto low = members.number("low_per_s");
    const auto high = members.number("high_per_s");
    if (!low || !high || *low > *high)
      throw members.wrong("low_per_s", "and 'high_per_s' are none");
    const auto steady = item.find("steady");
    const PeakInterval interval{
        .low = *low, .high = *high, .steady = steady == item.end() || *steady != false};
    const auto path = compute_path(name);
    const auto level = memory_level(name);
    if (path) ceilings.compute_interval[index_of(*path)] = interval;
    if (level) ceilings.bandwidth_interval[index_of(*level)] = interval;
    if (!path && !level) throw members.wrong(name, "is neither a unit nor a level");
  }
}

Ceilings ceilings_from(const Json& json, const std::string& source) {
  const Members members(json, source, "ceilings");
  Ceilings ceilings{.machine = members.text("machine"), .source = members.text("source")};
  members.each("compute_flop_per_s", [&](const std::string& name, double value) {
    const auto path = compute_path(name);
    if (path) ceilings.compute[index_of(*path)] = FlopPerSecond{value};
    return path.has_value();
  });
  members.each("bandwidth_bytes_per_s", [&](const std::string& name, double value) {
    const auto level = memory_level(name);
    if (level) ceilings.bandwidth[index_of(*level)] = BytesPerSecond{value};
    return level.has_value();
  });
  read_intervals(json, source, ceilings);
  return ceilings;
}

OpKind kind_named(const std::string& name) {
  for (std::size_t i = 0; i < kOpKinds; ++i) {
    if (name_of(static_cast<OpKind>(i)) == name) return static_cast<OpKind>(i);
  }
  return OpKind::Other;
}

RooflinePoint point_from(const Json& json, const std::string& source, std::size_t number) {
  const Members members(json, source, fmt::format("point {}", number));
  RooflinePoint point{.label = members.text("label"),
                      .detail = members.text("detail"),
                      .phase = members.text("phase"),
                      .kind = kind_named(members.text("kind")),
                      .time = Seconds{members.number("time_s").value_or(0)}};
  if (!(point.time.count() > 0)) throw members.wrong("time_s", "is missing or zero");
  const double calls = members.number("calls").value_or(1);
  if (calls < 1 || calls > 1e15) throw members.wrong("calls", "is no count");
  point.calls = static_cast<std::uint64_t>(calls);
  members.each("flop", [&](const std::string& name, double value) {
    const auto path = compute_path(name);
    if (path) point.flop[index_of(*path)] = Flop{value};
    return path.has_value();
  });
  members.each("bytes", [&](const std::string& name, double value) {
    const auto level = memory_level(name);
    if (level) point.bytes[index_of(*level)] = Bytes{value};
    return level.has_value();
  });
  point.sm_percent = members.number("sm_percent");
  point.dram_percent = members.number("dram_percent");
  point.occupancy_percent = members.number("occupancy_percent");
  point.waves = members.number("waves");
  point.by_shapes = members.text("counted_by") == kByShapes;
  return point;
}

Json step_json(const StepFacts& step, const PointSet& set) {
  const StepVerdict verdict = judge_step(set.points, set.ceilings);
  Json json{{"clock_s", step.clock.count()},
            {"points_s", verdict.time.count()},
            {"best_s", verdict.least.count()}};
  if (step.mfu) json["mfu"] = *step.mfu;
  if (step.hfu) json["hfu"] = *step.hfu;
  json["levels"] = Json::array();
  for (const MemoryLevel level : step.levels) json["levels"].push_back(name_of(level));
  if (step.setting > 0) json["setting"] = step.setting;
  return json;
}

StepFacts step_from(const Json& json, const std::string& source) {
  constexpr double kMostSettings = 1e6;
  const Members members(json, source, "the step");
  StepFacts step{.clock = Seconds{members.number("clock_s").value_or(0)},
                 .mfu = members.number("mfu"),
                 .hfu = members.number("hfu")};
  const auto levels = json.find("levels");
  if (levels != json.end() && levels->is_array()) {
    for (const Json& word : *levels) {
      const auto level = word.is_string() ? memory_level(word.get<std::string>()) : std::nullopt;
      if (!level) throw members.wrong("levels", "names none");
      step.levels.push_back(*level);
    }
  }
  step.setting = static_cast<int>(std::min(members.number("setting").value_or(0), kMostSettings));
  return step;
}

}  // namespace

std::string points_json(const PointSet& set) {
  Json points = Json::array();
  for (const RooflinePoint& point : set.points) points.push_back(point_json(point));
  Json document{{"roofline_version", kVersion}, {"label", set.label}, {"source", set.source}};
  if (set.cache) document["cache_control"] = name_of(*set.cache);
  if (set.step) document["step"] = step_json(*set.step, set);
  document["notes"] = set.notes;
  document["ceilings"] = ceilings_json(set.ceilings);
  document["points"] = std::move(points);
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

Json parsed(std::string_view text, const std::string& source) {
  Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) throw malformed(source, "it is no JSON");
  return document;
}

PointSet set_from(const Json& document, const std::string& source) {
  const Members members(document, source, "the document");
  if (members.number("roofline_version") != kVersion)
    throw members.wrong("roofline_version", "is not 1: no file of `ridgeline roofline`");
  PointSet set{.label = members.text("label"), .source = members.text("source")};
  if (const std::string word = members.text("cache_control"); !word.empty()) {
    if (word != "none" && word != "all")
      throw members.wrong("cache_control", "is neither none nor all");
    set.cache = parse_cache_control(word);
  }
  if (document.contains("step")) set.step = step_from(document["step"], source);
  if (document.contains("ceilings")) set.ceilings = ceilings_from(document["ceilings"], source);
  const auto points = document.find("points");
  if (points == document.end() || !points->is_array() || points->empty())
    throw members.wrong("points", "is missing or empty");
  for (const Json& point : *points)
    set.points.push_back(point_from(point, source, set.points.size() + 1));
  if (const auto notes = document.find("notes"); notes != document.end() && notes->is_array()) {
    for (const Json& note : *notes)
      if (note.is_string()) set.notes.push_back(with_valid_utf8(note.get<std::string>()));
  }
  return set;
}

}  // namespace

PointSet parse_points_json(std::string_view text, const std::string& source) {
  return set_from(parsed(text, source), source);
}

std::vector<PointSet> parse_points_list(std::string_view text, const std::string& source) {
  const Json documents = parsed(text, source);
  if (!documents.is_array() || documents.empty())
    throw malformed(source, "a list of points that has none");
  std::vector<PointSet> sets;
  for (const Json& document : documents) sets.push_back(set_from(document, source));
  return sets;
}

}  // namespace ridgeline
