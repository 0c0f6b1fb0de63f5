#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/temporary_folder.h"
#include "data/cifar10_batch.h"
#include "data/little_endian.h"

namespace ridgeline {

// A batch of `count` images: image i of batch b has the label (b + i) % 10, and its pixel p is
// (p + i) % 251 in red, +1 in green, +2 in blue.
inline std::string cifar_pixels(std::size_t image) {
  std::string pixels;
  for (std::size_t plane = 0; plane < 3; ++plane) {
    for (std::size_t p = 0; p < kCifarPlane; ++p) {
      pixels += static_cast<char>((p + image + plane) % 251);
    }
  }
  return pixels;
}

inline std::string binary_batch(std::size_t batch, std::size_t count) {
  std::string file;
  for (std::size_t i = 0; i < count; ++i) {
    file += static_cast<char>((batch + i) % 10);
    file += cifar_pixels(i);
  }
  return file;
}

// As Python 2 wrote it: protocol 2, strings for keys, an array of NumPy.
inline std::string pickle_batch(std::size_t batch, std::size_t count) {
  using namespace std::string_literals;
  std::string file =
      "\x80\x02}q\x01(U\x04"
      "dataq\x02"
      "cnumpy.core.multiarray\n_reconstruct\n"
      "cnumpy\nndarray\nK\x00\x85U\x01"
      "b\x87R(K\x01M"s;
  append_number(file, static_cast<std::uint16_t>(count));
  file +=
      "M\x00\x0c\x86"
      "cnumpy\ndtype\nU\x02u1K\x00K\x01\x87R(K\x03U\x01|NNN"
      "J\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89T"s;
  append_number(file, static_cast<std::uint32_t>(count * kCifarImage));
  for (std::size_t i = 0; i < count; ++i) file += cifar_pixels(i);
  file += "tbU\x06labels](";
  for (std::size_t i = 0; i < count; ++i) {
    file += 'K';
    file += static_cast<char>((batch + i) % 10);
  }
  return file + "eu.";
}

inline void put_cifar(const TemporaryFolder& folder, const std::string& below, CifarLayout layout,
                      std::size_t count) {
  for (std::size_t i = 0; i < kCifarBatches; ++i) {
    folder.put(below + cifar_file(layout, i),
               layout == CifarLayout::Binary ? binary_batch(i, count) : pickle_batch(i, count));
  }
}

}  // namespace ridgeline
