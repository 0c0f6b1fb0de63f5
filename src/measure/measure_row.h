#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/error.h"
#include "engine/engine.h"
#include "measure/row_spec.h"
#include "measure/sampler.h"

namespace ridgeline {

// Measures one row and returns it as the object that rows.jsonl holds (docs/run.schema.json). What
// cannot run is a skipped or failed row, never an exception; its memory is given back.
[[nodiscard]] nlohmann::json measure_row(const Engine& engine, const RowSpec& spec,
                                         const SampleHooks& hooks);

// Why the row could never run as asked; absent when it can.
[[nodiscard]] std::optional<std::string> reason_to_skip(const RowSpec& spec,
                                                        const Backend& backend);

// What every row holds, whatever became of it.
[[nodiscard]] nlohmann::json row_header(const RowSpec& spec);
// A row without numbers.
[[nodiscard]] nlohmann::json failed_row(const RowSpec& spec, std::string_view fault,
                                        const std::string& reason);
[[nodiscard]] nlohmann::json skipped_row(const RowSpec& spec, const std::string& reason);

}  // namespace ridgeline
