#include "report/run_document.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "core/atomic_file.h"
#include "core/error.h"
#include "report/run_check.h"

namespace ridgeline {

namespace {

namespace fs = std::filesystem;

// Ours are a handful deep. Deeper input would overflow the stack of whoever walks it.
constexpr int kDeepest = 32;

// Raw samples of a day of sweeps take far less.
constexpr Bytes kLargestFile{1024.0 * 1024 * 1024};

struct Place {
  std::size_t line;
  std::size_t column;
};

Place place_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const std::size_t line_start = before.rfind('\n');
  const std::size_t start = line_start == std::string_view::npos ? 0 : line_start + 1;
  return {.line = lines + 1, .column = before.size() - start + 1};
}

// nlohmann's messages carry an identifier and a position of their own before what happened.
std::string plain_reason(const std::string& what) {
  constexpr std::string_view kMark = "syntax error";
  const std::size_t at = what.find(kMark);
  return at == std::string::npos ? what : what.substr(at);
}

Json parse_json(std::string_view text, const std::string& name, std::size_t first_line) {
  const auto shallow = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > kDeepest)
      throw bad_input(fmt::format("{}:{}: nested too deeply", name, first_line));
    return true;
  };
  try {
    return Json::parse(text, shallow);
  } catch (const Json::parse_error& error) {
    const Place place = place_of(text, error.byte == 0 ? 0 : error.byte - 1);
    throw bad_input(fmt::format("{}:{}:{}: {}", name, place.line + first_line - 1, place.column,
                                plain_reason(error.what())));
  } catch (const Json::exception& error) {
    throw bad_input(fmt::format("{}:{}: {}", name, first_line, error.what()));
  }
}

// Anything else (a folder, a pipe that never ends) is as good as no file.
bool is_file(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown);
}

Json array_of(const std::vector<Json>& items) {
  Json array = Json::array();
  for (const Json& item : items) array.push_back(item);
  return array;
}

bool is_json(std::string_view text) { return Json::accept(text); }

}  // namespace

RunDocument read_run(const fs::path& folder) {
  if (const fs::path whole = folder / "run.json"; is_file(whole)) {
    return parse_run(read_file(whole, kLargestFile), whole.string());
  }
  if (const fs::path rows = folder / "rows.jsonl"; is_file(rows)) {
    RunDocument run = parse_rows(read_file(rows, kLargestFile), rows.string());
    run.notes.insert(run.notes.begin(), "the run did not finish: its rows were read one by one");
    return run;
  }
  throw Error(Fault::Io,
              fmt::format("{}: not a run folder (no run.json, no rows.jsonl)", folder.string()));
}

RunDocument parse_run(std::string_view text, const std::string& name) {
  const Json json = parse_json(text, name, 1);
  check_run(json, name + ": ");
  RunDocument run;
  run.command = text_at(json, {"command"});
  run.command_line = json.value("command_line", std::vector<std::string>());
  run.settings = json.value("settings", Json::object());
  run.started = text_at(json, {"started"});
  run.finished = text_at(json, {"finished"});
  run.environment = json.value("environment", Json::object());
  run.rows = json["rows"].get<Rows>();
  run.verdicts = json.value("verdicts", Json::array()).get<std::vector<Json>>();
  if (json.contains("warmup_study")) run.warmup_study = json["warmup_study"];
  if (json.contains("training")) run.training = json["training"];
  if (json.contains("peaks")) run.peaks = json["peaks"];
  run.notes = json.value("notes", std::vector<std::string>());
  return run;
}

RunDocument parse_rows(std::string_view text, const std::string& name) {
  RunDocument run;
  std::size_t line_number = 0;
  while (!text.empty()) {
    ++line_number;
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const bool ended = end != std::string_view::npos;
    text.remove_prefix(ended ? end + 1 : text.size());
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (!ended && !is_json(line)) {
      run.notes.push_back(
          fmt::format("{}:{}: the last row was cut off and is left out", name, line_number));
      continue;
    }
    Json row = parse_json(line, name, line_number);
    check_row(row, fmt::format("{}:{}: ", name, line_number));
    run.rows.push_back(std::move(row));
  }
  return run;
}

Json run_json(const RunDocument& run) {
  Json json{{"schema_version", kRunSchemaVersion}, {"rows", array_of(run.rows)}};
  if (run.command) json["command"] = *run.command;
  if (!run.command_line.empty()) json["command_line"] = run.command_line;
  if (!run.settings.empty()) json["settings"] = run.settings;
  if (run.started) json["started"] = *run.started;
  if (run.finished) json["finished"] = *run.finished;
  if (!run.environment.empty()) json["environment"] = run.environment;
  if (!run.verdicts.empty()) json["verdicts"] = array_of(run.verdicts);
  if (run.warmup_study) json["warmup_study"] = *run.warmup_study;
  if (run.training) json["training"] = *run.training;
  if (run.peaks) json["peaks"] = *run.peaks;
  if (!run.notes.empty()) json["notes"] = run.notes;
  return json;
}

std::string json_text(const Json& value) {
  return value.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json_line(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ridgeline
