#include "trace/wire_message.h"

#include <bit>

#include "core/utf8.h"

namespace ridgeline {
namespace {

enum WireType : std::uint64_t { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };

}  // namespace

void append_little_endian(std::string& out, std::uint64_t value, int count) {
  for (int i = 0; i < count; ++i) {
    out.push_back(static_cast<char>(value & 0xffU));
    value >>= 8U;
  }
}

WireMessage& WireMessage::integer(int field, std::int64_t value) {
  key(field, kVarint);
  varint(static_cast<std::uint64_t>(value));  // negative numbers take ten bytes, as the format says
  return *this;
}

WireMessage& WireMessage::number(int field, double value) {
  key(field, kFixed64);
  append_little_endian(encoded_, std::bit_cast<std::uint64_t>(value), 8);
  return *this;
}

WireMessage& WireMessage::single(int field, float value) {
  key(field, kFixed32);
  append_little_endian(encoded_, std::bit_cast<std::uint32_t>(value), 4);
  return *this;
}

WireMessage& WireMessage::text(int field, std::string_view value) {
  return bytes(field, with_valid_utf8(value));
}

WireMessage& WireMessage::bytes(int field, std::string_view value) {
  key(field, kLengthDelimited);
  varint(value.size());
  encoded_.append(value);
  return *this;
}

WireMessage& WireMessage::message(int field, const WireMessage& value) {
  return bytes(field, value.encoded());
}

void WireMessage::key(int field, std::uint64_t wire_type) {
  varint((static_cast<std::uint64_t>(field) << 3U) | wire_type);
}

void WireMessage::varint(std::uint64_t value) {
  while (value >= 0x80) {
    encoded_.push_back(static_cast<char>((value & 0x7fU) | 0x80U));
    value >>= 7U;
  }
  encoded_.push_back(static_cast<char>(value));
}

}  // namespace ridgeline
