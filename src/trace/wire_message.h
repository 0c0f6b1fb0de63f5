#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ridgeline {

// Builds one protobuf message in its wire format, field by field. Only what TensorBoard's events
// need: a zero is written like any other value, so that a member of a oneof is present.
class WireMessage {
 public:
  WireMessage& integer(int field, std::int64_t value);
  WireMessage& number(int field, double value);
  WireMessage& single(int field, float value);
  // Protobuf's readers refuse a string that is no UTF-8: broken bytes become U+FFFD.
  WireMessage& text(int field, std::string_view value);
  WireMessage& bytes(int field, std::string_view value);
  WireMessage& message(int field, const WireMessage& value);

  [[nodiscard]] const std::string& encoded() const { return encoded_; }

 private:
  void key(int field, std::uint64_t wire_type);
  void varint(std::uint64_t value);

  std::string encoded_;
};

// The lowest `count` bytes of `value`, least significant first.
void append_little_endian(std::string& out, std::uint64_t value, int count);

}  // namespace ridgeline
