#include "lab/runner.h"

#include <fmt/format.h>

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

bool leaves_a_folder(const PresetStep& step) {
  return step.arguments.front() == "bench" || step.arguments.front() == "warmup";
}

}  // namespace

std::vector<StepResult> run_preset(const Preset& preset, const fs::path& folder,
                                   const RunnerHooks& hooks) {
  std::vector<StepResult> results;
  for (std::size_t i = 0; i < preset.steps.size() && !hooks.interrupted(); ++i) {
    const PresetStep& step = preset.steps[i];
    hooks.started(i, step);
    StepResult result{.title = step.title, .folder = {}};
    std::vector<std::string> arguments = step.arguments;
    if (leaves_a_folder(step)) {
      result.folder = folder / fmt::format("{}-{}", i + 1, step.arguments.front());
      arguments.insert(arguments.end(), {"--out", result.folder.string()});
    }
    result.exit_code = hooks.execute(arguments);
    results.push_back(std::move(result));
  }
  return results;
}

std::string index_page(const Preset& preset, const std::vector<StepResult>& results) {
  std::string items;
  for (const StepResult& result : results) {
    const std::string state =
        result.exit_code == 0 ? "" : fmt::format(" (exit code {})", result.exit_code);
    items += result.folder.empty() ? fmt::format("<li>{}{}</li>\n", escaped(result.title), state)
                                   : fmt::format("<li><a href=\"{}/report.html\">{}</a>{}</li>\n",
                                                 escaped(result.folder.filename().string()),
                                                 escaped(result.title), state);
  }
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width\">\n"
      "<title>{0}</title>\n<style>body{{font:16px/1.5 "
      "system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1rem;color-scheme:light "
      "dark}}</style>\n"
      "<h1>{0}</h1>\n<ol>\n{1}</ol>\n</html>\n",
      escaped(preset.title), items);
}

}  // namespace ridgeline
