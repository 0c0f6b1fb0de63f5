#pragma once

#include <chrono>
#include <cstdint>

namespace ridgeline {

// Quantities are types, so a byte count cannot be passed where a FLOP count is due.
// NOLINTBEGIN(modernize-use-nullptr): clang-tidy takes the 0 inside a defaulted <=> for a pointer.
using Seconds = std::chrono::duration<double>;

struct Flop {
  double count{};
  constexpr auto operator<=>(const Flop&) const = default;
};

struct Bytes {
  double count{};
  constexpr auto operator<=>(const Bytes&) const = default;
};
// NOLINTEND(modernize-use-nullptr)

struct FlopPerByte {
  double value{};
};

struct FlopPerSecond {
  double value{};
};

struct BytesPerSecond {
  double value{};
};

[[nodiscard]] constexpr Flop operator+(Flop a, Flop b) { return {a.count + b.count}; }
[[nodiscard]] constexpr Flop operator*(double k, Flop a) { return {k * a.count}; }
[[nodiscard]] constexpr Bytes operator+(Bytes a, Bytes b) { return {a.count + b.count}; }
[[nodiscard]] constexpr Bytes operator*(double k, Bytes a) { return {k * a.count}; }
[[nodiscard]] constexpr FlopPerByte operator/(Flop work, Bytes moved) {
  return {work.count / moved.count};
}
[[nodiscard]] constexpr FlopPerSecond operator/(Flop work, Seconds time) {
  return {work.count / time.count()};
}
[[nodiscard]] constexpr BytesPerSecond operator/(Bytes moved, Seconds time) {
  return {moved.count / time.count()};
}

}  // namespace ridgeline
