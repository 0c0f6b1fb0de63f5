#include "report/row.h"

#include <fmt/format.h>

namespace ridgeline {

const Json* find(const Json& object, KeyPath path) {
  const Json* at = &object;
  for (const std::string_view key : path) {
    if (!at->is_object()) return nullptr;
    const auto it = at->find(key);
    if (it == at->end()) return nullptr;
    at = &*it;
  }
  return at;
}

std::optional<double> number_at(const Json& object, KeyPath path) {
  const Json* value = find(object, path);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->get<double>();
}

std::optional<std::string> text_at(const Json& object, KeyPath path) {
  const Json* value = find(object, path);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return value->get<std::string>();
}

std::optional<bool> flag_at(const Json& object, KeyPath path) {
  const Json* value = find(object, path);
  if (value == nullptr || !value->is_boolean()) return std::nullopt;
  return value->get<bool>();
}

bool is_measured(const Json& row) { return text_at(row, {"outcome"}) == "measured"; }

std::string row_label(const Json& row) {
  if (auto label = text_at(row, {"label"}); label && !label->empty()) return *label;
  return text_at(row, {"model"}).value_or("");
}

std::string why_unmeasured(const Json& row) {
  if (is_measured(row)) return {};
  if (auto reason = text_at(row, {"reason"}); reason && !reason->empty()) return *reason;
  return text_at(row, {"outcome"}).value_or("failed") + " without a reason";
}

std::string joined_warnings(const Json& row) {
  std::string joined;
  const Json* warnings = find(row, {"warnings"});
  if (warnings == nullptr || !warnings->is_array()) return joined;
  for (const Json& warning : *warnings) {
    if (!warning.is_string()) continue;
    if (!joined.empty()) joined += "; ";
    joined += warning.get_ref<const std::string&>();
  }
  return joined;
}

const Json* total_time(const Json& row) { return find(row, {"phases", "total"}); }

std::optional<double> backward_forward_ratio(const Json& row) {
  const auto forward = number_at(row, {"phases", "forward", "mean_s"});
  const auto backward = number_at(row, {"phases", "backward", "mean_s"});
  if (!forward || !backward || !(*forward > 0)) return std::nullopt;
  return *backward / *forward;
}

std::string setting_text(const Json& row, std::string_view key) {
  const Json* value = find(row, {"settings", key});
  if (value == nullptr) return {};
  if (value->is_string()) return value->get<std::string>();
  if (value->is_boolean()) return value->get<bool>() ? "on" : "off";
  if (value->is_number_integer()) return fmt::format("{}", value->get<std::int64_t>());
  if (value->is_number()) return fmt::format("{:.9g}", value->get<double>());
  return {};
}

}  // namespace ridgeline
