#pragma once

#include <string>
#include <string_view>

#include "report/reader_table.h"

namespace ridgeline {

// Text that stays text in a table cell: pipes, backslashes, markup and line breaks escaped.
[[nodiscard]] std::string markdown_escape(std::string_view text);

// A pipe table, padded so that it reads well as plain text too.
[[nodiscard]] std::string to_markdown(const ReaderTable& table);

}  // namespace ridgeline
