#include "core/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "core/display.h"
#include "core/error.h"

namespace ridgeline {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";
constexpr std::size_t kMostItems = 10000;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Letters to add, drop or change; two neighbours that changed places count as one mistake, because
// that is the commonest slip in a short word ("bnech").
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);  // the row before the last
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  const auto same = [&](std::size_t i, std::size_t j) { return lower(a[i]) == lower(b[j]); };
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = last[j - 1] + (same(i - 1, j - 1) ? 0 : 1);
      row[j] = std::min({changed, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && same(i - 1, j - 2) && same(i - 2, j - 1))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Reads the items of one list. Holds what every message needs.
class ListReader {
 public:
  ListReader(std::string_view flag, long minimum) : flag_(flag), minimum_(minimum) {}

  std::vector<long> read(std::string_view text) {
    const std::vector<std::string> items = split_list(text);
    if (items.empty()) throw bad_input(fmt::format("{}: the list is empty; {}", flag_, example()));
    for (const std::string& item : items) read_item(item);
    return std::move(values_);
  }

 private:
  enum class Step { Plus, Times };

  [[nodiscard]] std::string example() const {
    return "give numbers such as 1,2,4 or a range such as 1-8, 1-64*2, 10-50+20";
  }

  [[nodiscard]] Error refusal(std::string_view item, std::string_view reason) const {
    return bad_input(
        fmt::format("{}: '{}' {}; {}", flag_, shortened(printable(item), 40), reason, example()));
  }

  [[nodiscard]] long number(std::string_view digits, std::string_view item) const {
    long value = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, code] = std::from_chars(digits.data(), end, value);
    if (code == std::errc::result_out_of_range) throw refusal(item, "is too large");
    if (code != std::errc{} || stop != end) throw refusal(item, "is not a whole number");
    return value;
  }

  [[nodiscard]] long member(std::string_view digits, std::string_view item) const {
    const long value = number(digits, item);
    if (value < minimum_) throw refusal(item, fmt::format("is below {}", minimum_));
    return value;
  }

  void push(long value, std::string_view item) {
    if (values_.size() == kMostItems) {
      throw refusal(item, fmt::format("makes more than {} values", kMostItems));
    }
    values_.push_back(value);
  }

  void read_item(std::string_view item) {
    const auto dash = item.find('-', 1);  // a leading one is a sign
    if (dash == std::string_view::npos) {
      push(member(item, item), item);
      return;
    }
    std::string_view rest = item.substr(dash + 1);
    Step step = Step::Plus;
    long by = 1;
    if (const auto sign = rest.find_first_of("*+"); sign != std::string_view::npos) {
      step = rest[sign] == '*' ? Step::Times : Step::Plus;
      by = number(rest.substr(sign + 1), item);
      rest = rest.substr(0, sign);
    }
    expand(member(item.substr(0, dash), item), member(rest, item), step, by, item);
  }

  void expand(long first, long last, Step step, long by, std::string_view item) {
    if (first > last) throw refusal(item, "is a range that ends before it starts");
    if (step == Step::Times && by < 2) throw refusal(item, "needs a factor of at least 2");
    if (step == Step::Plus && by < 1) throw refusal(item, "needs a step of at least 1");
    if (step == Step::Times && first < 1)
      throw refusal(item, "cannot grow from below 1 by a factor");
    for (long value = first;;) {
      push(value, item);
      // Compared before the step is taken: the step itself could overflow.
      const bool fits = step == Step::Times
                            ? value <= last / by
                            : value <= std::numeric_limits<long>::max() - by && value + by <= last;
      if (!fits) return;
      value = step == Step::Times ? value * by : value + by;
    }
  }

  std::string_view flag_;
  long minimum_;
  std::vector<long> values_;
};

struct DurationUnit {
  std::string_view suffix;
  double seconds;
};

}  // namespace

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string_view>& words) {
  // A third of the word may be wrong, at least one letter: "resent18" is near, "cat" is not.
  const std::size_t tolerated = std::max<std::size_t>(1, word.size() / 3);
  std::optional<std::string> best;
  std::size_t least = tolerated + 1;
  if (word.empty() || word.size() > 100) return best;
  for (const std::string_view candidate : words) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= least || distance >= candidate.size()) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

std::string unknown_word(std::string_view what, std::string_view word,
                         const std::vector<std::string_view>& known) {
  const auto near = nearest(word, known);
  return fmt::format("unknown {} '{}'{}; one of: {}", what, shortened(printable(word), 40),
                     near ? fmt::format(" (did you mean '{}'?)", *near) : "",
                     fmt::join(known, ", "));
}

std::string_view last_line(std::string_view text) {
  const std::size_t end = text.find_last_not_of(kBlanks);
  if (end == std::string_view::npos) return {};
  const std::size_t before = text.rfind('\n', end);
  const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
  return text.substr(start, end + 1 - start);
}

std::vector<std::string> split_list(std::string_view text) {
  constexpr std::string_view kSeparators = ", \t\r\n\v\f";
  std::vector<std::string> items;
  for (std::size_t at = text.find_first_not_of(kSeparators); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kSeparators, at), text.size());
    items.emplace_back(text.substr(at, end - at));
    at = text.find_first_not_of(kSeparators, end);
  }
  return items;
}

std::vector<long> parse_positive_list(std::string_view flag, std::string_view text) {
  return parse_list_at_least(flag, text, 1);
}

std::vector<long> parse_list_at_least(std::string_view flag, std::string_view text, long minimum) {
  return ListReader(flag, minimum).read(text);
}

Seconds parse_duration(std::string_view flag, std::string_view text) {
  constexpr std::array kUnits{
      DurationUnit{"", 1},  DurationUnit{"us", 1e-6}, DurationUnit{"ms", 1e-3},
      DurationUnit{"s", 1}, DurationUnit{"m", 60},    DurationUnit{"h", 3600},
  };
  constexpr double kLongest = 366.0 * 86400;
  const auto refusal = [&](std::string_view reason) {
    return bad_input(fmt::format("{}: '{}' {}; give a time such as 20s, 1500ms or 2m", flag,
                                 shortened(printable(text), 40), reason));
  };
  const std::string_view body = trimmed(text);
  double value = 0;
  const auto [stop, code] =
      std::from_chars(body.data(), body.data() + body.size(), value, std::chars_format::fixed);
  if (code == std::errc::result_out_of_range) throw refusal("is out of range");
  if (code != std::errc{} || !std::isfinite(value)) throw refusal("is not a time");
  const std::string_view suffix =
      trimmed(body.substr(static_cast<std::size_t>(stop - body.data())));
  const auto unit = std::ranges::find(kUnits, suffix, &DurationUnit::suffix);
  if (unit == kUnits.end()) throw refusal("has an unknown unit");
  const double seconds = value * unit->seconds;
  if (!(seconds > 0)) throw refusal("is not above zero");
  if (seconds > kLongest) throw refusal("is longer than a year");
  return Seconds{seconds};
}

}  // namespace ridgeline
