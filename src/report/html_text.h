#pragma once

#include <string>
#include <string_view>

#include "report/reader_table.h"
#include "report/row.h"

namespace ridgeline {

// Text that stays text in an element and in a quoted attribute.
[[nodiscard]] std::string html_escape(std::string_view text);

// Text that stays text in a Plotly chart, which reads a little HTML but knows few entities.
[[nodiscard]] std::string chart_escape(std::string_view text);

// JSON for inside a <script> element: nothing in it can end the element or the line.
[[nodiscard]] std::string script_json(const Json& value);

// A program's source for inside a <script> element: it cannot end the element early.
[[nodiscard]] std::string script_source(std::string_view source);

// Lines as paragraphs; those that begin with a dash as a list.
[[nodiscard]] std::string html_prose(std::string_view lines);

// The table's cells as text; wide tables scroll by themselves.
[[nodiscard]] std::string html_table(const ReaderTable& table);

}  // namespace ridgeline
