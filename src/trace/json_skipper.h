#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ridgeline {

// Finds the end of one JSON value that comes in pieces: for values longer than any window.
class JsonSkipper {
 public:
  // How much of the piece belongs to the value.
  [[nodiscard]] std::size_t feed(std::string_view piece);
  [[nodiscard]] bool done() const { return done_; }

 private:
  void take(char letter);

  std::int64_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool begun_ = false;
  bool done_ = false;
};

}  // namespace ridgeline
