#pragma once

#include <string>
#include <string_view>

namespace ridgeline {

// A gnuplot string in single quotes: nothing is expanded in those (no commands in backquotes, no
// escapes), so only the quote itself and control characters need care. The quote becomes ’, for
// gnuplot 5.4 misreads a doubled one at the start of a string.
[[nodiscard]] std::string gnuplot_quoted(std::string_view text);

// The same for tick labels, which gnuplot also reads as a printf format.
[[nodiscard]] std::string gnuplot_tick_label(std::string_view text);

}  // namespace ridgeline
