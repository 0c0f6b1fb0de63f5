#include "report/run_check.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "core/error.h"
#include "report/run_document.h"

namespace ridgeline {

namespace {

enum class Kind { Text, Number, Count, Flag, Object, Texts, Numbers };

struct Key {
  std::string_view name;
  Kind kind;
  bool required = false;
};

constexpr std::array kRowKeys{
    Key{"model", Kind::Text},
    Key{"label", Kind::Text, true},
    Key{"parameters", Kind::Count},
    Key{"settings", Kind::Object, true},
    Key{"phases_asked", Kind::Texts},
    Key{"plan", Kind::Object},
    Key{"outcome", Kind::Text, true},
    Key{"reason", Kind::Text},
    Key{"fault", Kind::Text},
    Key{"phases", Kind::Object},
    Key{"host_launch", Kind::Object},
    Key{"warmup_s", Kind::Numbers},
    Key{"samples_per_s", Kind::Number},
    Key{"tokens_per_s", Kind::Number},
    Key{"flop", Kind::Object},
    Key{"bytes", Kind::Object},
    Key{"flop_per_s", Kind::Number},
    Key{"mfu", Kind::Number},
    Key{"peak", Kind::Object},
    Key{"memory", Kind::Object},
    Key{"energy_j", Kind::Number},
    Key{"steady", Kind::Object},
    Key{"stopped_by", Kind::Text},
    Key{"warnings", Kind::Texts},
    Key{"adjusted", Kind::Text},
    Key{"samples_per_cpu_s", Kind::Number},
    Key{"written_bytes_per_s", Kind::Number},
};

constexpr std::array kSettingKeys{
    Key{"batch_size", Kind::Count},   Key{"context_length", Kind::Count},
    Key{"image_size", Kind::Count},   Key{"head_dim", Kind::Count},
    Key{"num_heads", Kind::Count},    Key{"precision", Kind::Text},
    Key{"tf32", Kind::Flag},          Key{"mode", Kind::Text},
    Key{"kernels", Kind::Text},       Key{"device", Kind::Text},
    Key{"optimizer", Kind::Text},     Key{"channels_last", Kind::Flag},
    Key{"accumulation", Kind::Count}, Key{"activation_checkpointing", Kind::Flag},
    Key{"threads", Kind::Count},      Key{"seed", Kind::Count},
    Key{"extent", Kind::Text},        Key{"workers", Kind::Count},
    Key{"prefetch", Kind::Count},     Key{"output", Kind::Text},
    Key{"cudnn", Kind::Flag},
};

constexpr std::array kStatsKeys{
    Key{"samples_s", Kind::Numbers},     Key{"count", Kind::Count, true},
    Key{"median_s", Kind::Number, true}, Key{"median_low_s", Kind::Number},
    Key{"median_high_s", Kind::Number},  Key{"confidence", Kind::Number},
    Key{"mean_s", Kind::Number, true},   Key{"std_s", Kind::Number},
    Key{"cv_percent", Kind::Number},     Key{"min_s", Kind::Number},
    Key{"max_s", Kind::Number},          Key{"p90_s", Kind::Number},
    Key{"p95_s", Kind::Number},          Key{"p99_s", Kind::Number},
    Key{"outliers_mild", Kind::Count},   Key{"outliers_severe", Kind::Count},
};

constexpr std::array kPlanKeys{Key{"warmup_steps", Kind::Count}, Key{"measure_steps", Kind::Count},
                               Key{"budget_s", Kind::Number}, Key{"target_percent", Kind::Number}};

constexpr std::array kMemoryKeys{
    Key{"current_bytes", Kind::Number}, Key{"peak_bytes", Kind::Number},
    Key{"reserved_bytes", Kind::Number}, Key{"predicted_bytes", Kind::Number},
    Key{"available_bytes", Kind::Number}};

constexpr std::array kRunKeys{
    Key{"schema_version", Kind::Count, true},
    Key{"command", Kind::Text},
    Key{"command_line", Kind::Texts},
    Key{"settings", Kind::Object},
    Key{"started", Kind::Text},
    Key{"finished", Kind::Text},
    Key{"environment", Kind::Object},
    Key{"warmup_study", Kind::Object},
    Key{"training", Kind::Object},
    Key{"peaks", Kind::Object},
    Key{"notes", Kind::Texts},
};

constexpr std::array kVerdictKeys{
    Key{"a", Kind::Text, true},
    Key{"b", Kind::Text, true},
    Key{"verdict", Kind::Text, true},
    Key{"speedup", Kind::Number},
    Key{"speedup_low", Kind::Number},
    Key{"speedup_high", Kind::Number},
    Key{"confidence", Kind::Number},
    Key{"rounds", Kind::Count},
    Key{"threshold_percent", Kind::Number},
    Key{"detectable_percent", Kind::Number},
    Key{"rounds_still_needed", Kind::Count},
    Key{"sentence", Kind::Text, true},
};

constexpr std::array kTrainingKeys{
    Key{"label", Kind::Text, true}, Key{"held_out_images", Kind::Count},
    Key{"held_out_tokens", Kind::Count}, Key{"summary", Kind::Object}};
constexpr std::array kTrainingEntryKeys{
    Key{"step", Kind::Count, true},     Key{"epoch", Kind::Count, true},
    Key{"loss", Kind::Number},          Key{"accuracy_percent", Kind::Number},
    Key{"learning_rate", Kind::Number}, Key{"samples", Kind::Count},
    Key{"timed_samples", Kind::Count},  Key{"samples_per_s", Kind::Number},
    Key{"tokens_per_s", Kind::Number},  Key{"wall_s", Kind::Number},
    Key{"step_s", Kind::Number},        Key{"data_wait_s", Kind::Number},
    Key{"compute_s", Kind::Number},     Key{"forward_s", Kind::Number},
    Key{"backward_s", Kind::Number},    Key{"optimizer_s", Kind::Number},
    Key{"test_loss", Kind::Number},     Key{"test_accuracy_percent", Kind::Number},
    Key{"test_s", Kind::Number},        Key{"current_bytes", Kind::Number},
    Key{"peak_bytes", Kind::Number},    Key{"skipped_steps", Kind::Count},
};

constexpr std::array kPeaksKeys{Key{"machine", Kind::Text, true}, Key{"threads", Kind::Count},
                                Key{"notes", Kind::Texts}};
constexpr std::array kPeakKeys{Key{"name", Kind::Text, true},    Key{"flop_per_s", Kind::Number},
                               Key{"bytes_per_s", Kind::Number}, Key{"low_per_s", Kind::Number},
                               Key{"high_per_s", Kind::Number},  Key{"samples", Kind::Count},
                               Key{"threads", Kind::Count},      Key{"reached_with", Kind::Text}};

constexpr std::array kStudyKeys{Key{"label", Kind::Text}, Key{"phase", Kind::Text},
                                Key{"advice", Kind::Text}};

constexpr std::array kPointKeys{Key{"warmup_steps", Kind::Count, true},
                                Key{"time", Kind::Object, true}};

constexpr std::array<std::string_view, 3> kOutcomes{"measured", "skipped", "failed"};
constexpr std::array<std::string_view, 4> kVerdicts{"faster", "slower", "equivalent",
                                                    "inconclusive"};

bool all_are(const Json& array, bool (Json::*is)() const noexcept) {
  return array.is_array() &&
         std::ranges::all_of(array, [is](const Json& item) { return (item.*is)(); });
}

bool fits(const Json& value, Kind kind) {
  switch (kind) {
    case Kind::Text:
      return value.is_string();
    case Kind::Number:
      return value.is_number();
    case Kind::Count:
      return value.is_number_integer() && value >= 0;
    case Kind::Flag:
      return value.is_boolean();
    case Kind::Object:
      return value.is_object();
    case Kind::Texts:
      return all_are(value, &Json::is_string);
    case Kind::Numbers:
      return all_are(value, &Json::is_number);
  }
  return false;
}

std::string_view wanted(Kind kind) {
  switch (kind) {
    case Kind::Text:
      return "text";
    case Kind::Number:
      return "a number";
    case Kind::Count:
      return "a whole number, 0 or more";
    case Kind::Flag:
      return "true or false";
    case Kind::Object:
      return "an object";
    case Kind::Texts:
      return "a list of texts";
    case Kind::Numbers:
      return "a list of numbers";
  }
  return "";
}

[[noreturn]] void refuse(const std::string& where, std::string_view what) {
  throw bad_input(fmt::format("{}{}{}", where, where.ends_with(": ") ? "" : ": ", what));
}

void check_object(const Json& value, std::span<const Key> keys, const std::string& where) {
  if (!value.is_object()) refuse(where, "must be an object");
  for (const auto& key : keys) {
    const auto it = value.find(key.name);
    if (it == value.end()) {
      if (key.required) refuse(fmt::format("{}/{}", where, key.name), "is missing");
    } else if (!fits(*it, key.kind)) {
      refuse(fmt::format("{}/{}", where, key.name), fmt::format("must be {}", wanted(key.kind)));
    }
  }
}

void check_choice(const Json& value, std::span<const std::string_view> choices,
                  const std::string& where) {
  const auto& text = value.get_ref<const std::string&>();
  if (std::ranges::find(choices, text) != choices.end()) return;
  refuse(where, fmt::format("must be one of {}", fmt::join(choices, ", ")));
}

void check_part(const Json& row, std::string_view name, std::span<const Key> keys,
                const std::string& where) {
  const auto it = row.find(name);
  if (it != row.end()) check_object(*it, keys, fmt::format("{}/{}", where, name));
}

void check_numbers(const Json& row, std::string_view name, const std::string& where) {
  const auto it = row.find(name);
  if (it == row.end()) return;
  for (const auto& [key, value] : it->items()) {
    if (!value.is_number()) refuse(fmt::format("{}/{}/{}", where, name, key), "must be a number");
  }
}

// A list under `name`, each item given to `check` with its path.
template <class Check>
void check_list(const Json& value, std::string_view name, const std::string& where, Check&& check) {
  const auto it = value.find(name);
  if (it == value.end()) return;
  if (!it->is_array()) refuse(fmt::format("{}/{}", where, name), "must be a list");
  std::size_t index = 0;
  for (const Json& item : *it) check(item, fmt::format("{}/{}/{}", where, name, index++));
}

}  // namespace

void check_row(const Json& row, const std::string& where) {
  check_object(row, kRowKeys, where);
  check_choice(row["outcome"], kOutcomes, where + "/outcome");
  check_part(row, "settings", kSettingKeys, where);
  check_part(row, "plan", kPlanKeys, where);
  check_part(row, "memory", kMemoryKeys, where);
  check_part(row, "host_launch", kStatsKeys, where);
  check_numbers(row, "flop", where);
  check_numbers(row, "bytes", where);
  const bool measured = row["outcome"] == "measured";
  if (!row.contains("phases")) {
    if (measured) refuse(where + "/phases", "is missing from a measured row");
    return;
  }
  for (const auto& [phase, stats] : row["phases"].items()) {
    check_object(stats, kStatsKeys, fmt::format("{}/phases/{}", where, phase));
  }
}

void check_run(const Json& run, const std::string& where) {
  check_object(run, kRunKeys, where);
  if (run["schema_version"] != kRunSchemaVersion) {
    refuse(where + "/schema_version", fmt::format("is {}; this program reads {}",
                                                  run["schema_version"].dump(), kRunSchemaVersion));
  }
  if (!run.contains("rows")) refuse(where + "/rows", "is missing");
  check_list(run, "rows", where, check_row);
  check_list(run, "verdicts", where, [](const Json& verdict, const std::string& at) {
    check_object(verdict, kVerdictKeys, at);
    check_choice(verdict["verdict"], kVerdicts, at + "/verdict");
  });
  if (run.contains("training")) {
    check_part(run, "training", kTrainingKeys, where);
    const auto check_entry = [](const Json& entry, const std::string& at) {
      check_object(entry, kTrainingEntryKeys, at);
    };
    check_list(run["training"], "steps", where + "/training", check_entry);
    check_list(run["training"], "epochs", where + "/training", check_entry);
  }
  if (run.contains("peaks")) {
    check_part(run, "peaks", kPeaksKeys, where);
    check_list(run["peaks"], "peaks", where + "/peaks",
               [](const Json& peak, const std::string& at) { check_object(peak, kPeakKeys, at); });
  }
  if (!run.contains("warmup_study")) return;
  check_part(run, "warmup_study", kStudyKeys, where);
  check_list(run["warmup_study"], "points", where + "/warmup_study",
             [](const Json& point, const std::string& at) {
               check_object(point, kPointKeys, at);
               check_object(point["time"], kStatsKeys, at + "/time");
             });
}

}  // namespace ridgeline
