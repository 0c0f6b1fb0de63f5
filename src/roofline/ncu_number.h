#pragma once

#include <optional>
#include <string_view>

namespace ridgeline {

// ncu writes numbers as the locale of its machine does: 1,234.5 or 1.234,5 (or with blanks or
// apostrophes between the thousands). One number may be read either way (1,234), so a file is read
// with one mark, and what its other numbers prove is kept.
enum class DecimalMark { Point, Comma };

struct MarkEvidence {
  bool point = false;  // some number makes sense only with a decimal point
  bool comma = false;  // some only with a decimal comma
};

// The number of a cell; of a value with its instances, "1,234 (600; 634)", the first. Absent for
// n/a, nan, inf, an error mark "(!)", and anything else that is no number. Adds to the evidence.
[[nodiscard]] std::optional<double> ncu_number(std::string_view text, DecimalMark mark,
                                               MarkEvidence& evidence);

// Whether a cell that is no number was meant to be one: n/a, nan and error marks were not.
[[nodiscard]] bool has_digits(std::string_view text);

// What one of a unit is in base units (seconds, bytes, hertz, one): "Mbyte" 1e6, "usecond" 1e-6,
// "Gbyte/second" 1e9, "cycle/nsecond" 1e9, "%" 1, "" 1. Absent for a word nobody knows.
[[nodiscard]] std::optional<double> ncu_unit(std::string_view unit);

}  // namespace ridgeline
