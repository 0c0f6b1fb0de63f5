#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/row.h"

namespace ridgeline {

// A setting that tells rows apart, and how a reader calls it.
struct SettingName {
  std::string_view key;    // in the row's "settings"
  std::string_view title;  // "Context"
};

// Those settings, in the order readers expect, whose values differ between the rows.
[[nodiscard]] std::vector<SettingName> varying_settings(const Rows& rows);

// Every setting that is worth a column at all: those that vary and those that are not the default
// (fp32, eager, plain kernels, ...).
[[nodiscard]] std::vector<SettingName> telling_settings(const Rows& rows);

// "context 256, batch 4": the given settings as far as the row has them.
[[nodiscard]] std::string settings_phrase(const Json& row, const std::vector<SettingName>& names);

[[nodiscard]] bool one_label(const Rows& rows);

// Names that tell the rows apart: "small, context 256", less what they have in common. The settings
// are those that vary, unless given.
[[nodiscard]] std::vector<std::string> row_titles(const Rows& rows);
[[nodiscard]] std::vector<std::string> row_titles(const Rows& rows,
                                                  const std::vector<SettingName>& names);

}  // namespace ridgeline
