#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "data/dtype.h"

namespace ridgeline {

// A tensor as bytes: row-major, without gaps. `owner` keeps them alive: a mapped file, a buffer.
struct Array {
  DType dtype = DType::F32;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};
[[nodiscard]] std::int64_t element_count(const Array& array);

using NamedArrays = std::vector<std::pair<std::string, Array>>;

// What a checkpoint holds: dictionaries and lists of tensors and scalars, nested. Dictionaries keep
// the order they were written in; optimizers key their state by number.
struct Value;
using Key = std::variant<std::int64_t, std::string>;
using List = std::vector<Value>;
using Dict = std::vector<std::pair<Key, Value>>;
struct Value {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, List, Dict> held;
};

// Clang 14 must meet a whole Value before the pairs of a Dict, or it finds them incomplete.
inline Value nothing() {
  Value value;
  return value;
}

// The entry of that name; null when there is none or `value` is no dictionary.
[[nodiscard]] const Value* find(const Value& value, std::string_view key);
[[nodiscard]] const Value* find(const Value& value, std::int64_t key);

}  // namespace ridgeline
