#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ridgeline {

// The shapes and types of an op's inputs as one name: the JSON list of dimensions, a line break,
// the JSON list of types. Made in a callback, so without an allocation; an input that finds no room
// any more stands as an empty list.
class ShapeText {
 public:
  // One input. Lists of tensors open a list of their own around theirs.
  void tensor(std::span<const std::int64_t> sizes, std::string_view type) noexcept;
  void open_list() noexcept;
  void close_list() noexcept;
  // Anything that is no tensor.
  void other(std::string_view type) noexcept;
  [[nodiscard]] std::string_view finish() noexcept;

 private:
  static constexpr std::size_t kRoom = 1536;
  struct Part {
    std::array<char, kRoom> text{'['};
    std::size_t size = 1;
    void add(std::string_view more) noexcept {
      for (const char c : more) text[size++] = c;
    }
  };
  void sizes_of(std::span<const std::int64_t> sizes) noexcept;
  void type_of(std::string_view type) noexcept;
  void comma(Part& part) noexcept;

  Part dimensions_;
  Part types_;
  bool in_list_ = false;
  std::array<char, 2 * kRoom + 1> joined_{};
};

// The dimensions alone, for tables: "[[8,3,32,32],[64,3,3,3]]".
[[nodiscard]] std::string_view dimensions_of(std::string_view shape);
// As members of an event's args, with a comma before each; empty for no shape.
[[nodiscard]] std::string trace_arguments(std::string_view shape);

}  // namespace ridgeline
