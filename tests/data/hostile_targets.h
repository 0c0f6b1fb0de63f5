#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"
#include "data/cifar10_batch.h"
#include "data/csv.h"
#include "data/hub.h"
#include "data/image_file.h"
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

inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline void hostile_image(std::span<const std::byte> bytes) {
  std::vector<std::uint8_t> pixels;
  const ImageView image = decode_image(as_text(bytes), "hostile", pixels);
  Array array;
  array.bytes = std::as_bytes(std::span(image.pixels, 3 * static_cast<std::size_t>(image.height) *
                                                          static_cast<std::size_t>(image.width)));
  touch(array);
}

inline void hostile_csv(std::span<const std::byte> bytes) {
  const CsvContent table = parse_csv(as_text(bytes), "hostile", {.cell = 64, .columns = 8});
  for (const auto& row : table.rows)
    if (row.size() != table.header.size()) std::abort();
}

inline void hostile_index(std::span<const std::byte> bytes) {
  for (const auto& [file, names] : parse_safetensors_index(as_text(bytes), "hostile"))
    if (file.starts_with('/') || names.empty()) std::abort();
}

// The Hub's answer comes over the network, so what is wrong with it is an Error(Io) of the list.
inline void hostile_hub(std::span<const std::byte> bytes) {
  try {
    const FetchPlan plan = plan_from_listing({.name = "hostile/hostile"}, as_text(bytes),
                                             {.to = "folder", .exclude = {"*.bin"}});
    for (const FetchItem& item : plan.items) {
      const auto below = item.request.to.lexically_normal().string();
      if (!below.starts_with("folder/") || below.find("..") == 0) std::abort();
    }
  } catch (const Error& error) {
    if (error.fault() != Fault::Io) throw;
    throw bad_input(std::string("hostile: ") + error.what());
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
