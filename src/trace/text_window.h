#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/inflater.h"

namespace ridgeline {

// A moving window over text that may be packed and longer than memory: what was consumed leaves at
// the front, `grow` appends at the back. Zero bytes follow the text, as JsonCursor wants.
class TextWindow {
 public:
  // `name` stands in errors. Text beyond `limit` bytes is an Error(BadInput): a small gzip file can
  // unpack to anything.
  TextWindow(Inflater source, std::string name, std::uint64_t limit);

  [[nodiscard]] std::string_view text() const { return {buffer_.data() + begin_, end_ - begin_}; }
  void consume(std::size_t size) { begin_ += size; }
  [[nodiscard]] std::uint64_t consumed() const { return passed_ + begin_; }

  // False when the text has no more, or the window is as long as it may get (then `is_full`).
  [[nodiscard]] bool grow();
  [[nodiscard]] bool is_full() const { return end_ - begin_ >= kLongest; }

  // What ended packed text before its end.
  [[nodiscard]] const std::optional<Error>& damage() const { return source_.damage(); }
  // What follows it and is not packed, once it was read whole.
  [[nodiscard]] std::size_t foreign_bytes() const { return source_.foreign_bytes(); }

  static constexpr std::size_t kLongest = std::size_t{64} << 20U;

 private:
  Inflater source_;
  std::string name_;
  std::uint64_t limit_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t passed_ = 0;  // what left the buffer
};

}  // namespace ridgeline
