#include "trace/text_window.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/malformed.h"
#include "trace/json_cursor.h"

namespace ridgeline {
namespace {

// Fits the second-level cache: a window that does not is read twice from memory.
constexpr std::size_t kFirst = std::size_t{256} << 10U;

}  // namespace

TextWindow::TextWindow(Inflater source, std::string name, std::uint64_t limit)
    : source_(std::move(source)),
      name_(std::move(name)),
      limit_(limit),
      buffer_(kFirst + JsonCursor::kPadding) {}

bool TextWindow::grow() {
  const std::size_t size = end_ - begin_;
  if (size >= kLongest) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, size);
  passed_ += begin_;
  begin_ = 0;
  end_ = size;
  const std::size_t room = buffer_.size() - JsonCursor::kPadding;
  // Doubled, so that an item longer than the window is looked at a few times, not a thousand.
  if (size > room / 2) buffer_.resize(2 * room + JsonCursor::kPadding);
  const std::size_t free = buffer_.size() - JsonCursor::kPadding - end_;
  const std::size_t got =
      source_.read_to_damage(std::as_writable_bytes(std::span(buffer_).subspan(end_, free)));
  end_ += got;
  std::fill_n(buffer_.begin() + static_cast<std::ptrdiff_t>(end_), JsonCursor::kPadding, '\0');
  if (passed_ + end_ > limit_)
    throw malformed(name_, fmt::format("it unpacks to more than {} bytes", limit_));
  return got > 0;
}

}  // namespace ridgeline
