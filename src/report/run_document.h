#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/row.h"

namespace ridgeline {

inline constexpr int kRunSchemaVersion = 1;

// What a run folder holds, checked (see run_check.h). A run that was killed has no run.json, only
// rows, so everything but the rows may be unknown.
struct RunDocument {
  std::optional<std::string> command;
  std::vector<std::string> command_line;
  Json settings = Json::object();
  std::optional<std::string> started;  // ISO 8601, UTC
  std::optional<std::string> finished;
  Json environment = Json::object();
  Rows rows;
  std::vector<Json> verdicts;  // of A/B comparisons
  std::optional<Json> warmup_study;
  std::optional<Json> training;
  std::optional<Json> peaks;       // of roofline peaks
  std::vector<std::string> notes;  // what the reading had to say: a row that was cut off
};

// run.json where there is one, else rows.jsonl. Throws Error(Io) when neither can be read and
// Error(BadInput), with file and position, when what is there is not a run.
[[nodiscard]] RunDocument read_run(const std::filesystem::path& folder);

// The same from text; `name` stands for the file in messages.
[[nodiscard]] RunDocument parse_run(std::string_view text, const std::string& name);

// A row a line. A last line without its end that is no JSON was cut off when the run was killed:
// it is dropped, with a note.
[[nodiscard]] RunDocument parse_rows(std::string_view text, const std::string& name);

// The document as run.json has it; docs/run.schema.json describes it.
[[nodiscard]] Json run_json(const RunDocument& run);

// Text of a run.json or of a line of rows.jsonl; bytes that are no UTF-8 (a library's message may
// hold such) become U+FFFD rather than an exception.
[[nodiscard]] std::string json_text(const Json& value);
[[nodiscard]] std::string json_line(const Json& value);

}  // namespace ridgeline
