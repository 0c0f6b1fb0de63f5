#include "report/html_text.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "core/error.h"

namespace ridgeline {
namespace {

// What stands for a character that would begin markup; empty for all others.
std::string_view markup_entity(char c) {
  return c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : "";
}

std::string_view quote_entity(char c) { return c == '"' ? "&quot;" : c == '\'' ? "&#39;" : ""; }

}  // namespace

std::string html_escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
    const std::string_view entity = markup_entity(c).empty() ? quote_entity(c) : markup_entity(c);
    if (entity.empty()) {
      out += control ? ' ' : c;
    } else {
      out += entity;
    }
  }
  return out;
}

std::string chart_escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const std::string_view entity = markup_entity(c);
    if (entity.empty()) {
      out += c;
    } else {
      out += entity;
    }
  }
  return out;
}

std::string script_json(const Json& value) {
  // ASCII only, so that U+2028 and the like are escapes; "<" is left to spell no tag.
  const std::string plain = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string out;
  out.reserve(plain.size());
  for (const char c : plain) {
    if (c == '<' || c == '>' || c == '&') {
      out += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026";
    } else {
      out += c;
    }
  }
  return out;
}

std::string script_source(std::string_view source) {
  constexpr std::string_view kEnd = "</script";
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == static_cast<unsigned char>(b);
  };
  std::string out;
  out.reserve(source.size() + 16);
  for (;;) {
    const auto found = std::ranges::search(source, kEnd, same);
    const auto before = static_cast<std::size_t>(found.begin() - source.begin());
    out += source.substr(0, before);
    if (found.empty()) return out;
    out += "<\\/";  // the same in a string or a pattern, which is all where it can stand
    source.remove_prefix(before + 2);
  }
}

std::string html_table(const ReaderTable& table) {
  std::string out = "<div class=\"scroll\"><table>\n<thead><tr>";
  const auto opened = [&](std::string_view tag, std::size_t column) {
    out += '<';
    out += tag;
    out += table.columns[column].right_aligned ? " class=\"number\">" : ">";
  };
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    opened("th", c);
    out += html_escape(table.columns[c].title) + "</th>";
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    RIDGELINE_CHECK(row.size() == table.columns.size());
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) {
      opened("td", c);
      out += html_escape(row[c]) + "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string html_prose(std::string_view lines) {
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

}  // namespace ridgeline
