#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"
#include "data/cifar10_batch.h"
#include "data/pickle.h"
#include "data/safetensors.h"
#include "data/tar.h"
#include "data/torch_file.h"

namespace ridgeline {

// Each reader on arbitrary bytes, as the fuzzers and the mutation test call it. Whatever the bytes,
// it returns or throws Error(BadInput) that names the source; anything else ends the process or the
// test. What was read is touched, so that a view beyond its bytes is found.
using HostileTarget = void (*)(std::span<const std::byte>);

inline void touch(const Array& array) {
  unsigned sum = 0;
  for (const std::byte byte : array.bytes) sum += std::to_integer<unsigned>(byte);
  [[maybe_unused]] static volatile unsigned sink;
  sink = sum;
}

inline void touch(const Value& value) {
  if (const auto* const array = std::get_if<Array>(&value.held)) touch(*array);
  if (const auto* const list = std::get_if<List>(&value.held)) {
    for (const Value& item : *list) touch(item);
  }
  if (const auto* const dict = std::get_if<Dict>(&value.held)) {
    for (const auto& [key, item] : *dict) touch(item);
  }
}

inline void hostile_safetensors(std::span<const std::byte> bytes) {
  for (const auto& [name, array] : parse_safetensors(bytes, "hostile", nullptr).arrays) {
    touch(array);
  }
}

inline void hostile_pickle(std::span<const std::byte> bytes) {
  const std::array<std::byte, 64> storage{};
  touch(read_pickle(bytes,
                    {.source = "hostile", .owner = {}, .tensor = [&](const StoredTensor& stored) {
                       if (stored.storage_bytes > storage.size() ||
                           byte_count(stored.dtype, stored.layout.shape) > 4096U) {
                         throw bad_input("hostile: larger than the test's storage");
                       }
                       return gather(stored.dtype, stored.layout, storage);
                     }}));
}

inline void hostile_torch_file(std::span<const std::byte> bytes) {
  touch(parse_torch_file(bytes, "hostile", std::make_shared<int>(0)));
}

inline void hostile_tar(std::span<const std::byte> bytes) {
  TarReader tar(bytes, "hostile");
  while (const auto member = tar.next()) {
    if (member->name.size() % 2 == 0) (void)tar.read(1U << 16U);
  }
}

inline void hostile_cifar(std::span<const std::byte> bytes) {
  bool taken = false;
  for (const auto layout : {CifarLayout::Binary, CifarLayout::Pickle}) {
    try {
      const CifarBatch batch = parse_cifar_batch(
          {.layout = layout, .batch = 0, .source = "hostile", .bytes = bytes, .owner = {}});
      std::vector<std::uint8_t> pixels(batch.labels.size() * kCifarImage);
      interleave_cifar_batch(batch, pixels.data());
      taken = true;
    } catch (const Error&) {
      if (layout == CifarLayout::Pickle && !taken) throw;
    }
  }
}

enum class Outcome { Taken, Refused, Wrong };

// Wrong: an error of another kind, without the source, or of several lines.
inline Outcome outcome_of(HostileTarget target, std::span<const std::byte> bytes) {
  try {
    target(bytes);
    return Outcome::Taken;
  } catch (const Error& error) {
    const std::string_view line = error.what();
    const bool right = error.fault() == Fault::BadInput &&
                       line.find("hostile") != std::string_view::npos &&
                       line.find('\n') == std::string_view::npos;
    return right ? Outcome::Refused : Outcome::Wrong;
  }
}

}  // namespace ridgeline
