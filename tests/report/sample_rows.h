#pragma once

#include <string>
#include <vector>

#include "report/row.h"
#include "report/run_document.h"

namespace ridgeline::testing {

// The statistics of ten samples around `median_s` that spread by about `spread` (0.02 for 2 %).
[[nodiscard]] Json stats(double median_s, double spread = 0.02);

// A measured row of the transformer benchmark: fp32, eager, forward and backward.
[[nodiscard]] Json plain_row(const std::string& label, std::int64_t parameters, int context,
                             double forward_s);

// The same with the optimizer, throughput, memory and utilisation.
[[nodiscard]] Json step_row(const std::string& label, std::int64_t parameters, int context,
                            double forward_s);

[[nodiscard]] Json unmeasured_row(const std::string& outcome, const std::string& reason);

// The row with its samples left out: small, for tests that try every byte or every key.
[[nodiscard]] Json without_samples(Json row);

// A study of 0, 1, 2, 5 and 10 warm-up steps.
[[nodiscard]] Json warmup_study();

// A run with everything: two sizes over four contexts, a skipped and a failed row, verdicts, a
// warm-up study.
[[nodiscard]] RunDocument full_run();

// Text that has broken out of something before: a script element, an attribute, a line of
// JavaScript, a CSV cell, a Markdown cell, a shell, a printf format.
[[nodiscard]] std::vector<std::string> hostile_texts();

}  // namespace ridgeline::testing
