#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/error.h"

namespace ridgeline {

// Reads bytes from front to back, unpacking gzip when that is what they are (several gzip parts one
// after the other too). Never more than asked for, so a bomb costs no memory.
class Inflater {
 public:
  // `bytes` must outlive it; `source` names them in errors.
  Inflater(std::span<const std::byte> bytes, std::string source);
  ~Inflater();
  Inflater(Inflater&&) noexcept;
  Inflater& operator=(Inflater&&) noexcept;

  // Fills `out` as far as there is something left; returns how much. Throws Error(BadInput) for
  // damaged gzip data.
  [[nodiscard]] std::size_t read(std::span<std::byte> out);

  // The same for readers to whom a part is better than nothing: damage ends the data, and is kept.
  [[nodiscard]] std::size_t read_to_damage(std::span<std::byte> out);
  [[nodiscard]] const std::optional<Error>& damage() const;
  // Bytes behind the last gzip part that are none, once all parts were read; padding with zeros, as
  // of a tape, is nothing.
  [[nodiscard]] std::size_t foreign_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ridgeline
