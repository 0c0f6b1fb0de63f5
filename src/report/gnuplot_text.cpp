#include "report/gnuplot_text.h"

namespace ridgeline {

std::string gnuplot_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\'') {
      out += "’";
    } else {
      out += code < 0x20 || code == 0x7F ? ' ' : c;
    }
  }
  return out + "'";
}

std::string gnuplot_tick_label(std::string_view text) {
  std::string doubled;
  for (const char c : text) doubled += c == '%' ? std::string("%%") : std::string(1, c);
  return gnuplot_quoted(doubled);
}

}  // namespace ridgeline
