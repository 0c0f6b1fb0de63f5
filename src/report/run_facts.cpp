#include <algorithm>

#include <fmt/format.h>

#include "core/format.h"
#include "report/html_text.h"
#include "report/run_page.h"

namespace ridgeline {

namespace {

std::string card(std::string_view name, std::string_view value) {
  return fmt::format("<div><div class=\"value\">{}</div><div class=\"name\">{}</div></div>\n",
                     html_escape(value), html_escape(name));
}

std::string outcome_counts(const Rows& rows) {
  const auto count = [&](std::string_view outcome) {
    return std::ranges::count_if(
        rows, [&](const Json& row) { return text_at(row, {"outcome"}) == outcome; });
  };
  std::string text = fmt::format("{} measured", count("measured"));
  if (const auto skipped = count("skipped")) text += fmt::format(", {} skipped", skipped);
  if (const auto failed = count("failed")) text += fmt::format(", {} failed", failed);
  return text;
}

// "faster, 1.32 times the speed", a verdict after the other.
std::string verdict_words(const std::vector<Json>& verdicts) {
  std::string text;
  for (const Json& verdict : verdicts) {
    if (!text.empty()) text += "; ";
    text += text_at(verdict, {"verdict"}).value_or("inconclusive");
    if (const auto speedup = number_at(verdict, {"speedup"}))
      text += fmt::format(", {:.2f} times the speed", *speedup);
  }
  return text;
}

std::string gpu_names(const Json& environment) {
  const Json* gpus = find(environment, {"gpus"});
  std::string names;
  if (gpus == nullptr || !gpus->is_array()) return names;
  for (const Json& gpu : *gpus) {
    if (!names.empty()) names += ", ";
    names += text_at(gpu, {"name"}).value_or("unnamed");
  }
  return names;
}

// Quoted where a shell would split or expand it.
std::string shell_word(const std::string& word) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%";
  if (!word.empty() && word.find_first_not_of(kSafe) == std::string::npos) return word;
  std::string quoted(1, '\'');
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  quoted += '\'';
  return quoted;
}

std::string command_text(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words)
    text += fmt::format("{}{}", text.empty() ? "" : " ", shell_word(word));
  return text;
}

std::string value_text(const std::string& key, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() && key.ends_with("_bytes")) return format_bytes({value.get<double>()});
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_plain_list(const Json& value) {
  return value.is_array() &&
         std::ranges::none_of(value, [](const Json& item) { return item.is_structured(); });
}

std::string list_text(const std::string& key, const Json& list) {
  std::string text;
  for (const Json& item : list) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", value_text(key, item));
  }
  return text.empty() ? "none" : text;
}

// Nested facts as lines of "cpu.model", whatever a later version puts in. Depth is bounded by the
// reading of the document (run_document.h).
void append_facts(ReaderTable& table, const Json& value, const std::string& name) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) {
      append_facts(table, inner, name.empty() ? key : name + "." + key);
    }
  } else if (value.is_array() && !is_plain_list(value)) {
    std::size_t index = 0;
    for (const Json& inner : value)
      append_facts(table, inner, fmt::format("{}[{}]", name, index++));
  } else {
    table.rows.push_back(
        {name, value.is_array() ? list_text(name, value) : value_text(name, value)});
  }
}

std::string facts_table(const Json& facts) {
  ReaderTable table{.columns = {{"Fact"}, {"Value"}}, .rows = {}};
  append_facts(table, facts, "");
  return html_table(table);
}

}  // namespace

Section summary_section(const RunDocument& run) {
  Section section{
      .id = "summary", .title = "Summary", .body = "<div class=\"cards\">\n", .charts = {}};
  // A comparison has no rows of its own: counting them would read as if nothing had been measured.
  if (!run.verdicts.empty())
    section.body += card("verdict, B against A", verdict_words(run.verdicts));
  if (!run.rows.empty() || run.verdicts.empty())
    section.body += card("rows", outcome_counts(run.rows));
  if (const auto machine = text_at(run.environment, {"machine"}))
    section.body += card("machine", *machine);
  if (const auto cpu = text_at(run.environment, {"cpu", "model"}))
    section.body += card("CPU", *cpu);
  if (const auto gpus = gpu_names(run.environment); !gpus.empty())
    section.body += card("GPU", gpus);
  if (const auto memory = number_at(run.environment, {"memory", "total_bytes"})) {
    section.body += card("memory", format_bytes({*memory}));
  }
  if (const auto revision = text_at(run.environment, {"build", "revision"})) {
    section.body += card("revision", *revision);
  }
  section.body += "</div>\n";
  if (!run.command_line.empty()) {
    section.body += "<pre>" + html_escape(command_text(run.command_line)) + "</pre>\n";
  }
  for (const auto& note : run.notes) {
    section.body += "<p><span class=\"badge warn\">note</span> " + html_escape(note) + "</p>\n";
  }
  return section;
}

std::optional<Section> environment_section(const RunDocument& run) {
  if (run.environment.empty() && run.settings.empty()) return std::nullopt;
  Section section{
      .id = "environment", .title = "Environment and settings", .body = {}, .charts = {}};
  if (!run.environment.empty()) {
    section.body +=
        "<details><summary>Environment</summary>" + facts_table(run.environment) + "</details>\n";
  }
  if (!run.settings.empty()) {
    section.body +=
        "<details><summary>Settings</summary>" + facts_table(run.settings) + "</details>\n";
  }
  return section;
}

}  // namespace ridgeline
