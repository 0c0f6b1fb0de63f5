#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"

namespace ridgeline {

// The word closest to `word` by edit distance, for "did you mean"; absent when nothing is near.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 const std::vector<std::string_view>& words);

// "unknown size 'smal' (did you mean 'small'?); one of: small, medium", for whoever refuses a word.
[[nodiscard]] std::string unknown_word(std::string_view what, std::string_view word,
                                       const std::vector<std::string_view>& known);

// The last line that is not blank, without the blanks at its end; empty when there is none. Where
// programs say what went wrong.
[[nodiscard]] std::string_view last_line(std::string_view text);

// Items between commas and/or blanks; empty items are dropped.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text);

// Lists `1,2,4` and ranges `1-8` (step 1), `1-64*2` (times 2), `10-50+20` (plus 20). The end of a
// range is included when the steps meet it. Each throws Error(BadInput) that names `flag`, the bad
// item and an example.
[[nodiscard]] std::vector<long> parse_positive_list(std::string_view flag, std::string_view text);
[[nodiscard]] std::vector<long> parse_list_at_least(std::string_view flag, std::string_view text,
                                                    long minimum);

// "20s", "1500ms", "2m", "1.5h"; a bare number is seconds. Error(BadInput) unless above zero.
[[nodiscard]] Seconds parse_duration(std::string_view flag, std::string_view text);

}  // namespace ridgeline
