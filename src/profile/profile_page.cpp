#include "profile/profile_page.h"

#include <fmt/format.h>

#include "profile/op_report.h"
#include "report/html_text.h"

namespace ridgeline {
namespace {

constexpr std::size_t kRows = 40;
constexpr std::size_t kDepth = 2;

}  // namespace

Page profile_page(const ProfilePage& profile, const ProfileTables& tables) {
  Page page{.title = "Profile", .subtitle = profile.title, .sections = {}};
  if (!profile.findings.empty())
    page.sections.push_back({.id = "findings",
                             .title = "Findings",
                             .body = html_prose(profile.findings),
                             .charts = {}});
  page.sections.push_back({.id = "flames",
                           .title = "Flame graph",
                           .body = fmt::format("<div class=\"scroll\">{}</div>\n", profile.flames),
                           .charts = {}});
  page.sections.push_back({.id = "ops",
                           .title = "Operators",
                           .body = html_table(reader_table(tables.ops, kRows)),
                           .charts = {}});
  if (tables.kernels)
    page.sections.push_back({.id = "kernels",
                             .title = "Kernels and copies",
                             .body = html_table(reader_table(*tables.kernels, kRows)),
                             .charts = {}});
  page.sections.push_back({.id = "modules",
                           .title = "Modules",
                           .body = html_table(reader_table(tables.modules, kDepth)),
                           .charts = {}});
  page.sections.insert(page.sections.end(), profile.more.begin(), profile.more.end());
  if (!profile.cost.empty())
    page.sections.push_back({.id = "cost",
                             .title = "Cost of profiling",
                             .body = html_prose(profile.cost),
                             .charts = {}});
  return page;
}

}  // namespace ridgeline
