#include "report/writeup.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "core/format.h"
#include "report/units_text.h"
#include "report/variation.h"

namespace ridgeline {

namespace {

struct PhaseLine {
  std::string_view phase;
  std::string_view title;
};

constexpr std::array kPhaseLines{
    PhaseLine{"forward", "Forward pass:"},
    PhaseLine{"backward", "Backward pass:"},
    PhaseLine{"optimizer", "Optimizer:"},
    PhaseLine{"total", "Step:"},
};

std::string heading(const Json& row, const std::vector<SettingName>& varying) {
  std::string text = row_label(row) + " model";
  if (const auto parameters = number_at(row, {"parameters"})) {
    text += fmt::format(" ({} parameters)", format_count(*parameters));
  }
  const std::string phrase = settings_phrase(row, varying);
  return text + (phrase.empty() ? "" : ", " + phrase) + ":\n";
}

bool has_phase(const Json& row, std::string_view phase) {
  return find(row, {"phases", phase}) != nullptr;
}

// Beside forward and backward alone a total adds nothing; with the optimizer it is the step.
bool says_something(const Json& row, std::string_view phase) {
  if (phase != "total" || has_phase(row, "optimizer")) return true;
  return !has_phase(row, "forward") && !has_phase(row, "backward");
}

double append_phase_lines(std::string& text, const Json& row) {
  double worst_cv = 0;
  for (const auto& line : kPhaseLines) {
    const auto mean = number_at(row, {"phases", line.phase, "mean_s"});
    if (!mean) continue;
    const auto cv = number_at(row, {"phases", line.phase, "cv_percent"});
    worst_cv = std::max(worst_cv, cv.value_or(0));
    if (!says_something(row, line.phase)) continue;
    const auto deviation = number_at(row, {"phases", line.phase, "std_s"});
    text += fmt::format("  {:<14} {}", line.title, milliseconds_spread(*mean, deviation));
    text += cv ? fmt::format(" ms (CV: {}%)\n", percent_text(*cv)) : " ms\n";
  }
  return worst_cv;
}

std::string paragraph(const Json& row, const std::vector<SettingName>& varying) {
  std::string text = heading(row, varying);
  if (!is_measured(row)) {
    const bool skipped = text_at(row, {"outcome"}) == "skipped";
    return text + (skipped ? "  Skipped: " : "  Failed: ") + why_unmeasured(row) + "\n";
  }
  const double worst_cv = append_phase_lines(text, row);
  if (const auto ratio = backward_forward_ratio(row)) {
    text += fmt::format("  Ratio: Backward is {:.2f}x forward\n", *ratio);
  }
  if (const auto adjusted = text_at(row, {"adjusted"})) text += "  Adjusted: " + *adjusted + "\n";
  if (worst_cv > kNoisyCvPercent) {
    text +=
        fmt::format("  Noisy: the CV reaches {}%; raise the warm-up steps and the measured steps\n",
                    percent_text(worst_cv));
  }
  if (const auto warnings = joined_warnings(row); !warnings.empty()) {
    text += "  Warning: " + warnings + "\n";
  }
  return text;
}

}  // namespace

std::string writeup(const Rows& rows) {
  const auto varying = varying_settings(rows);
  std::string text;
  for (const Json& row : rows) {
    if (!text.empty()) text += "\n";
    text += paragraph(row, varying);
  }
  return text;
}

}  // namespace ridgeline
