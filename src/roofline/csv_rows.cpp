#include "roofline/csv_rows.h"

#include <algorithm>
#include <bit>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace ridgeline {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::size_t find_from(std::string_view text, char c, std::size_t at) {
  return std::min(text.find(c, at), text.size());
}

// As text.find('"', at). Most cells are shorter than what a call of memchr costs, so sixteen bytes
// are looked at in place first.
std::size_t find_quote(std::string_view text, std::size_t at) {
#ifdef __SSE2__
  if (at + sizeof(__m128i) <= text.size()) {
    const __m128i here = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    const int found = _mm_movemask_epi8(_mm_cmpeq_epi8(here, _mm_set1_epi8('"')));
    if (found != 0)
      return at + static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(found)));
    at += sizeof(__m128i);
  }
#endif
  return text.find('"', at);
}

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

void CsvRows::take_line() {
  const std::size_t end = find_from(text_, '\n', row_);
  line_ = without_return(text_.substr(row_, end - row_));
  next_ = std::min(end + 1, text_.size());
}

CsvRows::Cell CsvRows::take_quoted() {
  const std::size_t start = next_ + 1;
  std::size_t at = start;
  for (;;) {
    at = find_quote(text_, at);
    if (at == std::string_view::npos) return Cell::Unclosed;
    if (at + 1 >= text_.size() || text_[at + 1] != '"') break;
    at += 2;
  }
  cells_.push_back(text_.substr(start, at - start));
  next_ = at + 1;
  if (next_ >= text_.size()) return Cell::LastOfRow;
  const char after = text_[next_];
  if (after == delimiter_) {
    ++next_;
    return Cell::Delimited;
  }
  // A text may end between the two characters of a line's end, as a header looked at alone does.
  if (after == '\r' && (next_ + 1 == text_.size() || text_[next_ + 1] == '\n')) ++next_;
  if (next_ >= text_.size()) return Cell::LastOfRow;
  if (text_[next_] != '\n') return Cell::Malformed;
  ++next_;
  return Cell::LastOfRow;
}

CsvRows::Cell CsvRows::take_plain() {
  const std::size_t start = next_;
  while (next_ < text_.size() && text_[next_] != delimiter_ && text_[next_] != '\n') ++next_;
  const bool more = next_ < text_.size() && text_[next_] == delimiter_;
  const std::string_view cell = text_.substr(start, next_ - start);
  cells_.push_back(more ? cell : without_return(cell));
  next_ = std::min(next_ + 1, text_.size());
  return more ? Cell::Delimited : Cell::LastOfRow;
}

CsvRows::Cell CsvRows::take_cell() {
  if (next_ < text_.size() && text_[next_] == '"') return take_quoted();
  return take_plain();
}

CsvRows::Step CsvRows::next() {
  cells_.clear();
  row_ = next_;
  if (next_ >= text_.size()) return Step::End;
  if (text_[next_] == kByteOrderMark.front() && text_.substr(next_).starts_with(kByteOrderMark)) {
    next_ += kByteOrderMark.size();
    row_ = next_;
    if (next_ >= text_.size()) return Step::End;
  }
  if (quoted_ && text_[row_] != '"') {
    take_line();
    return Step::Noise;
  }
  for (;;) {
    const Cell cell = take_cell();
    if (cell == Cell::LastOfRow) return Step::Row;
    if (cell == Cell::Delimited) continue;
    cells_.clear();
    const bool at_end = text_.find('\n', row_) == std::string_view::npos;
    take_line();
    // An unclosed quote that only the end of the text explains is a cut, when no line follows.
    return cell == Cell::Unclosed && at_end ? Step::CutOff : Step::Broken;
  }
}

std::string unquoted(std::string_view cell) {
  std::string text;
  text.reserve(cell.size());
  for (std::size_t i = 0; i < cell.size(); ++i) {
    text += cell[i];
    if (cell[i] == '"' && i + 1 < cell.size() && cell[i + 1] == '"') ++i;
  }
  return text;
}

}  // namespace ridgeline
