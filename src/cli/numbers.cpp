#include "cli/numbers.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "core/display.h"

namespace ridgeline {
namespace {

// Absent unless the whole text is one number.
template <class Number>
std::optional<Number> number_in(const std::string& text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  return code == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

std::string refusal(const std::string& text, const std::string& wanted) {
  return fmt::format("'{}' is not {}", shortened(printable(text), 40), wanted);
}

}  // namespace

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return {[=](std::string& text) {
            const auto value = number_in<std::uint64_t>(text);
            if (value && *value >= least && *value <= most) return std::string();
            return refusal(text, fmt::format("a whole number from {} to {}", least, most));
          },
          ""};
}

CLI::Validator number_between(double least, double most) {
  return {[=](std::string& text) {
            const auto value = number_in<double>(text);
            if (value && *value >= least && *value <= most) return std::string();
            return refusal(text, fmt::format("a number from {} to {}", least, most));
          },
          ""};
}

CLI::Validator positive_number(double most) {
  return {[=](std::string& text) {
            const auto value = number_in<double>(text);
            if (value && std::isfinite(*value) && *value > 0 && *value <= most)
              return std::string();
            return refusal(text, fmt::format("a number above 0 and up to {}", most));
          },
          ""};
}

}  // namespace ridgeline
