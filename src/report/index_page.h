#pragma once

#include <string>
#include <vector>

namespace ridgeline {

// One of the reports that an index links.
struct IndexEntry {
  std::string title;
  std::string link{};  // relative; empty for a step that left no report
  std::string note{};  // "exit code 3"
};

// A page that links other pages, in order. What is in the entries is text.
[[nodiscard]] std::string index_page(const std::string& title,
                                     const std::vector<IndexEntry>& entries);

}  // namespace ridgeline
