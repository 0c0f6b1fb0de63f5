#include "data/value.h"

namespace ridgeline {
namespace {

template <class Wanted>
const Value* find_entry(const Value& value, const Wanted& wanted) {
  const auto* const dict = std::get_if<Dict>(&value.held);
  if (dict == nullptr) return nullptr;
  for (const auto& [key, entry] : *dict) {
    const auto* const held = std::get_if<Wanted>(&key);
    if (held != nullptr && *held == wanted) return &entry;
  }
  return nullptr;
}

}  // namespace

std::int64_t element_count(const Array& array) {
  std::int64_t count = 1;
  for (const std::int64_t size : array.shape) count *= size;
  return count;
}

const Value* find(const Value& value, std::string_view key) {
  return find_entry(value, std::string(key));
}

const Value* find(const Value& value, std::int64_t key) { return find_entry(value, key); }

}  // namespace ridgeline
