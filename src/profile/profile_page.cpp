#include "profile/profile_page.h"

#include <fmt/format.h>

#include "report/html_text.h"

namespace ridgeline {
namespace {

constexpr std::size_t kRows = 40;
constexpr std::size_t kDepth = 2;

// Lines with a dash become a list, the others paragraphs.
std::string prose(std::string_view lines) {
  std::string html;
  bool listing = false;
  const auto set_listing = [&](bool wanted) {
    if (wanted != listing) html += wanted ? "<ul>\n" : "</ul>\n";
    listing = wanted;
  };
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (line.empty()) continue;
    const bool item = line.starts_with("- ");
    set_listing(item);
    html += item ? fmt::format("<li>{}</li>\n", html_escape(line.substr(2)))
                 : fmt::format("<p>{}</p>\n", html_escape(line));
  }
  set_listing(false);
  return html;
}

}  // namespace

Page profile_page(const ProfilePage& profile, const OpTable& ops, const ModuleTable& modules) {
  Page page{.title = "Profile", .subtitle = profile.title, .sections = {}};
  if (!profile.findings.empty())
    page.sections.push_back(
        {.id = "findings", .title = "Findings", .body = prose(profile.findings), .charts = {}});
  page.sections.push_back({.id = "flames",
                           .title = "Flame graph",
                           .body = fmt::format("<div class=\"scroll\">{}</div>\n", profile.flames),
                           .charts = {}});
  page.sections.push_back({.id = "ops",
                           .title = ops.grouping == OpGrouping::Kernel ? "Kernels" : "Operators",
                           .body = html_table(reader_table(ops, kRows)),
                           .charts = {}});
  page.sections.push_back({.id = "modules",
                           .title = "Modules",
                           .body = html_table(reader_table(modules, kDepth)),
                           .charts = {}});
  if (!profile.cost.empty())
    page.sections.push_back(
        {.id = "cost", .title = "Cost of profiling", .body = prose(profile.cost), .charts = {}});
  return page;
}

}  // namespace ridgeline
