#include "trace/json_skipper.h"

namespace ridgeline {

std::size_t JsonSkipper::feed(std::string_view piece) {
  for (std::size_t i = 0; i < piece.size(); ++i) {
    const char letter = piece[i];
    const bool in_word = begun_ && depth_ == 0 && !in_string_;
    // What follows a bare word is not part of it; at the start it is, or nothing would ever move.
    if (in_word && (letter == ',' || letter == ']' || letter == '}')) {
      done_ = true;
      return i;
    }
    take(letter);
    if (done_) return i + 1;
  }
  return piece.size();
}

void JsonSkipper::take(char letter) {
  if (in_string_) {
    if (!escaped_ && letter == '"') {
      in_string_ = false;
      done_ = depth_ == 0;
    }
    escaped_ = !escaped_ && letter == '\\';
    return;
  }
  if (static_cast<unsigned char>(letter) > ' ') begun_ = true;
  if (letter == '"') {
    in_string_ = true;
  } else if (letter == '{' || letter == '[') {
    ++depth_;
  } else if (letter == '}' || letter == ']') {
    --depth_;
    done_ = depth_ <= 0;
  }
}

}  // namespace ridgeline
