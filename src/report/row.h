#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace ridgeline {

using Json = nlohmann::json;
using Rows = std::vector<Json>;

// A path of keys into a row, as {"phases", "forward", "mean_s"}.
using KeyPath = std::initializer_list<std::string_view>;

// What a row does not know is absent, so every reading is optional; a value of another type than
// asked for counts as absent too (files are checked on reading, see run_document.h).
[[nodiscard]] const Json* find(const Json& object, KeyPath path);
[[nodiscard]] std::optional<double> number_at(const Json& object, KeyPath path);
[[nodiscard]] std::optional<std::string> text_at(const Json& object, KeyPath path);
[[nodiscard]] std::optional<bool> flag_at(const Json& object, KeyPath path);

[[nodiscard]] bool is_measured(const Json& row);
// "small", or the model's name where the row has no label.
[[nodiscard]] std::string row_label(const Json& row);
// Why a row has no numbers; empty for a measured one.
[[nodiscard]] std::string why_unmeasured(const Json& row);
// All warnings of a row, joined by "; ".
[[nodiscard]] std::string joined_warnings(const Json& row);

// The statistics of the whole of what ran in a step, or nullptr.
[[nodiscard]] const Json* total_time(const Json& row);
// Mean backward over mean forward time.
[[nodiscard]] std::optional<double> backward_forward_ratio(const Json& row);

// A setting as a reader writes it: "256", "bf16", "on".
[[nodiscard]] std::string setting_text(const Json& row, std::string_view key);

}  // namespace ridgeline
