#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <span>
#include <string_view>

namespace ridgeline {

// Whether an op's numbers, truth values and lists of them are kept beside its shapes: what the cost
// of an op is worked out from.
enum class ValueDetail : std::uint8_t { None, Values };

// The shapes and types of an op's inputs as one name: the JSON list of dimensions, a line break,
// the JSON list of types; with values another line break and the JSON list of these, where a list
// of tensors has its elements and bytes and what has no value is null. Made in a callback, so
// without an allocation; an input that finds no room any more stands as an empty list without type.
class ShapeText {
 public:
  explicit ShapeText(ValueDetail detail = ValueDetail::None) : detail_(detail) {}

  // One input. Lists of tensors open a list of their own around theirs.
  void tensor(std::span<const std::int64_t> sizes, std::string_view type,
              std::int64_t bytes = 0) noexcept;
  void open_list() noexcept;
  void close_list() noexcept;
  // Anything that is no tensor.
  void other(std::string_view type) noexcept;
  // A number or truth value, and a list of them.
  void value(std::string_view type, std::int64_t number) noexcept;
  void values(std::string_view type, std::span<const std::int64_t> numbers) noexcept;
  [[nodiscard]] std::string_view finish() noexcept;

 private:
  static constexpr std::size_t kRoom = 1536;
  // Left unset but for the start: clearing kilobytes at every op would cost more than the text.
  struct Part {
    Part() noexcept { text[0] = '['; }
    std::array<char, kRoom> text;
    std::size_t size = 1;
    void add(std::string_view more) noexcept {
      for (const char c : more) text[size++] = c;
    }
  };
  // False where they found no room.
  bool sizes_of(std::span<const std::int64_t> sizes) noexcept;
  void type_of(std::string_view type) noexcept;
  void value_of(std::span<const std::int64_t> numbers, bool is_list) noexcept;
  void no_value() noexcept;
  void comma(Part& part) noexcept;
  static void number(Part& part, std::int64_t value) noexcept;

  Part dimensions_;
  Part types_;
  Part values_;
  ValueDetail detail_;
  bool in_list_ = false;
  bool list_shown_ = false;  // its dimensions found room
  double list_elements_ = 0;
  double list_bytes_ = 0;
  std::array<char, 3 * kRoom + 2> joined_;
};

// The dimensions alone, for tables: "[[8,3,32,32],[64,3,3,3]]".
[[nodiscard]] std::string_view dimensions_of(std::string_view shape);
}  // namespace ridgeline
