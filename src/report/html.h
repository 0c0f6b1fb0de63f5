#pragma once

#include <string>
#include <vector>

#include "report/row.h"

namespace ridgeline {

// An interactive chart: what Plotly.newPlot takes. Colours and fonts are the page's.
struct Chart {
  std::string title;
  Json data = Json::array();
  Json layout = Json::object();
  int height_px = 360;
};

// A part of the page with a place in its table of contents. `body` is HTML: whoever makes it
// escapes what comes from outside (html_text.h).
struct Section {
  std::string id;
  std::string title;
  std::string body;
  std::vector<Chart> charts;
};

struct Page {
  std::string title;
  std::string subtitle;
  std::vector<Section> sections;
};

struct HtmlOptions {
  std::string plotly_js;  // the text of plotly.min.js; without it charts become a note
};

// One file that needs no other, loads nothing, and follows the reader's light or dark theme.
[[nodiscard]] std::string html_page(const Page& page, const HtmlOptions& options);

}  // namespace ridgeline
