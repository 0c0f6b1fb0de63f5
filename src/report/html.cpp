#include "report/html.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/html_assets.h"
#include "report/html_text.h"

namespace ridgeline {

namespace {

// Even if some escape were forgotten, the page could load and send nothing.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'";

std::string chart_id(std::size_t number) { return fmt::format("chart-{}", number); }

void append_charts(std::string& out, const Section& section, std::size_t& number) {
  out += "<div class=\"charts\">\n";
  for (const auto& chart : section.charts) {
    out += fmt::format("<figure><h3>{}</h3><div id=\"{}\" style=\"height:{}px\"></div></figure>\n",
                       html_escape(chart.title), chart_id(number++), chart.height_px);
  }
  out += "</div>\n";
}

std::string contents(const Page& page) {
  std::string out = "<nav>";
  for (const auto& section : page.sections) {
    out +=
        fmt::format("<a href=\"#{}\">{}</a>", html_escape(section.id), html_escape(section.title));
  }
  return out + "</nav>\n";
}

std::string body_of(const Page& page, bool with_charts) {
  std::string out = "<main>\n";
  std::size_t number = 0;
  for (const auto& section : page.sections) {
    out += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}", html_escape(section.id),
                       html_escape(section.title), section.body);
    if (!section.charts.empty() && with_charts) append_charts(out, section, number);
    if (!section.charts.empty() && !with_charts) {
      out += "<p class=\"note\">Charts are left out: this page was made without Plotly.js.</p>\n";
    }
    out += "</section>\n";
  }
  return out + "</main>\n<footer>Made by ridgeline</footer>\n";
}

std::string scripts(const Page& page, const HtmlOptions& options) {
  Json charts = Json::array();
  for (const auto& section : page.sections) {
    for (const auto& chart : section.charts) {
      charts.push_back(
          {{"id", chart_id(charts.size())}, {"data", chart.data}, {"layout", chart.layout}});
    }
  }
  if (charts.empty() || options.plotly_js.empty()) return {};
  return fmt::format(
      "<script type=\"application/json\" id=\"chart-data\">{}</script>\n"
      "<script>{}</script>\n<script>{}</script>\n",
      script_json(charts), script_source(options.plotly_js), page_script());
}

}  // namespace

std::string html_page(const Page& page, const HtmlOptions& options) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
      kPolicy, html_escape(page.title), page_style());
  out += fmt::format("<header><h1>{}</h1><p class=\"subtitle\">{}</p></header>\n",
                     html_escape(page.title), html_escape(page.subtitle));
  out += contents(page);
  out += body_of(page, !options.plotly_js.empty());
  out += scripts(page, options);
  return out + "</body>\n</html>\n";
}

}  // namespace ridgeline
