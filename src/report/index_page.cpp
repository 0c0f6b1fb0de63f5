#include "report/index_page.h"

#include <fmt/format.h>

#include "report/html.h"
#include "report/html_text.h"

namespace ridgeline {

std::string index_page(const std::string& title, const std::vector<IndexEntry>& entries) {
  Section steps{.id = "steps", .title = "Steps", .body = "<ol>\n", .charts = {}};
  for (const IndexEntry& entry : entries) {
    const std::string name = html_escape(entry.title);
    const std::string note = entry.note.empty() ? "" : " (" + html_escape(entry.note) + ")";
    steps.body += entry.link.empty() ? fmt::format("<li>{}{}</li>\n", name, note)
                                     : fmt::format("<li><a href=\"{}\">{}</a>{}</li>\n",
                                                   html_escape(entry.link), name, note);
  }
  steps.body += "</ol>\n";
  return html_page({.title = title, .subtitle = {}, .sections = {std::move(steps)}}, {});
}

}  // namespace ridgeline
