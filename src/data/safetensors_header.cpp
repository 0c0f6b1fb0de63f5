#include "data/safetensors_header.h"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/malformed.h"
#include "data/strict_json.h"

namespace ridgeline {
namespace {

constexpr std::size_t kMostDimensions = 64;
constexpr std::size_t kDeepest = 3;  // header, tensor, shape
constexpr std::string_view kMetadataKey = "__metadata__";

// {"name": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}, ...,
//  "__metadata__": {"text": "text"}} and nothing else.
class HeaderListener final : public JsonListener {
 public:
  explicit HeaderListener(std::string_view source) : source_(source) {}

  void object(Keys keys) override {
    if (keys.size() > 1 || in_array_) throw refusal(keys, "is an object");
    dtype_given_ = false;
    numbers_given_ = 0;
    if (keys.size() == 1 && keys[0] != kMetadataKey) header_.entries.emplace_back().name = keys[0];
  }

  void array(Keys keys) override {
    if (in_array_ || (!is_field(keys, "shape") && !is_field(keys, "data_offsets"))) {
      throw refusal(keys, "is an array");
    }
    in_array_ = true;
    numbers_.clear();
  }

  void text(Keys keys, std::string& value) override {
    if (keys.size() == 2 && keys[0] == kMetadataKey) {
      header_.metadata.emplace_back(keys[1], std::move(value));
      return;
    }
    if (in_array_ || !is_field(keys, "dtype")) throw refusal(keys, "is text");
    const auto dtype = parse_dtype(value);
    if (!dtype) throw refusal(keys, fmt::format("is the unknown type {}", in_quotes(value)));
    header_.entries.back().dtype = *dtype;
    dtype_given_ = true;
  }

  void whole_number(Keys keys, std::uint64_t value) override {
    if (!in_array_) throw refusal(keys, "is a number");
    if (numbers_.size() == kMostDimensions) {
      throw refusal(keys, fmt::format("has more than {} numbers", kMostDimensions));
    }
    numbers_.push_back(value);
  }

  void other(Keys keys) override {
    throw refusal(keys, "is neither text nor whole numbers from 0 to 2^64 - 1");
  }

  void end_array(Keys keys) override {
    in_array_ = false;
    ++numbers_given_;
    SafetensorsEntry& entry = header_.entries.back();
    if (is_field(keys, "data_offsets")) {
      if (numbers_.size() != 2) throw refusal(keys, "does not have two numbers");
      entry.begin = numbers_[0];
      entry.end = numbers_[1];
      return;
    }
    for (const std::uint64_t size : numbers_) {
      if (!std::in_range<std::int64_t>(size)) throw refusal(keys, "has a size beyond 2^63");
      entry.shape.push_back(static_cast<std::int64_t>(size));
    }
  }

  void end_object(Keys keys) override {
    if (keys.size() != 1 || keys[0] == kMetadataKey) return;
    // Each can stand once only, so two arrays are both of them.
    if (!dtype_given_ || numbers_given_ != 2) {
      throw refusal(keys, "lacks its dtype, shape or data_offsets");
    }
  }

  [[nodiscard]] SafetensorsHeader take() { return std::move(header_); }

 private:
  static bool is_field(Keys keys, std::string_view name) {
    return keys.size() == 2 && keys[0] != kMetadataKey && keys[1] == name;
  }

  [[nodiscard]] Error refusal(Keys keys, std::string_view what) const {
    if (keys.empty()) return malformed(source_, fmt::format("the header {}", what));
    if (keys.size() == 1) {
      return malformed(source_, fmt::format("{} in the header {}", in_quotes(keys[0]), what));
    }
    return malformed(source_, fmt::format("{} of {} in the header {}", in_quotes(keys[1]),
                                          in_quotes(keys[0]), what));
  }

  std::string_view source_;
  SafetensorsHeader header_;
  bool in_array_ = false;
  bool dtype_given_ = false;
  int numbers_given_ = 0;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view text, std::string_view source) {
  // A file is told from other JSON by its first byte; leading blanks are not allowed.
  if (!text.starts_with('{')) throw malformed(source, "the header does not begin with '{'");
  HeaderListener listener(source);
  read_json_strictly(text, source, kDeepest, listener);
  return listener.take();
}

}  // namespace ridgeline
