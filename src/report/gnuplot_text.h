#pragma once

#include <array>
#include <string>
#include <string_view>

namespace ridgeline {

// Okabe and Ito's palette, told apart with every common colour blindness.
inline constexpr std::array<std::string_view, 7> kPlotColours{
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#4D4D4D"};

// A gnuplot string in single quotes: nothing is expanded in those (no commands in backquotes, no
// escapes), so only the quote itself and control characters need care. The quote becomes ’, for
// gnuplot 5.4 misreads a doubled one at the start of a string.
[[nodiscard]] std::string gnuplot_quoted(std::string_view text);

// The same for tick labels, which gnuplot also reads as a printf format.
[[nodiscard]] std::string gnuplot_tick_label(std::string_view text);

// The text with a box for every character that DejaVu Sans lacks, as emoji and East Asian ones.
// Into a PNG gnuplot draws those hundreds of pixels tall, where the machine has no other font for
// them.
[[nodiscard]] std::string within_font(std::string_view text);

}  // namespace ridgeline
