#pragma once

#include <string>
#include <vector>

#include "core/table.h"

namespace ridgeline {

// A table for people, apart from how it is shown: Markdown (markdown.h), HTML (html.h) or the
// terminal (core/table.h).
struct ReaderTable {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  // each as wide as the columns
};

}  // namespace ridgeline
