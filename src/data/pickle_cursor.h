#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "core/error.h"
#include "core/malformed.h"
#include "data/little_endian.h"

namespace ridgeline {

// Goes through the bytes of a pickle and knows where the current opcode began, for messages.
class PickleCursor {
 public:
  PickleCursor(std::span<const std::byte> bytes, std::string_view source)
      : bytes_(bytes), source_(source) {}

  [[nodiscard]] std::uint8_t next_opcode() {
    opcode_at_ = at_;
    return number<std::uint8_t>();
  }
  [[nodiscard]] std::uint64_t opcode_at() const { return opcode_at_; }
  [[nodiscard]] Error refusal(std::string_view what) const {
    return malformed(source_, opcode_at_, what);
  }

  [[nodiscard]] std::span<const std::byte> take(std::uint64_t size) {
    if (size > bytes_.size() - at_) {
      throw refusal(fmt::format("the pickle ends early: {} bytes wanted, {} left", size,
                                bytes_.size() - at_));
    }
    const auto part = bytes_.subspan(at_, static_cast<std::size_t>(size));
    at_ += part.size();
    return part;
  }

  template <class Number>
  [[nodiscard]] Number number() {
    return load_number<Number>(take(sizeof(Number)), 0);
  }

  [[nodiscard]] std::string_view text(std::uint64_t size) {
    const auto part = take(size);
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }

  // Up to the end of the line, which is passed over.
  [[nodiscard]] std::string_view line() {
    const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + at_,
                                bytes_.size() - at_);
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) throw refusal("the pickle ends within a line");
    at_ += end + 1;
    return rest.substr(0, end);
  }

 private:
  std::span<const std::byte> bytes_;
  std::string_view source_;
  std::size_t at_ = 0;
  std::size_t opcode_at_ = 0;
};

}  // namespace ridgeline
