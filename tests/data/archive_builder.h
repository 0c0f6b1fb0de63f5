#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/gzip.h"

namespace ridgeline {

struct TarSpec {
  std::string name;
  std::string content;
  char type = '0';
  bool gnu = false;
};

inline std::string tar_block(const TarSpec& spec) {
  std::string header(512, '\0');
  const auto put = [&](std::size_t at, std::string_view text) {
    header.replace(at, text.size(), text);
  };
  put(0, spec.name.substr(0, 100));
  put(100, "0000644");
  put(124, fmt::format("{:011o}", spec.content.size()));
  put(136, "00000000000");
  put(148, "        ");
  header[156] = spec.type;
  put(257, spec.gnu ? "ustar  "
                    : std::string_view("ustar\0"
                                       "00",
                                       8));
  unsigned sum = 0;
  for (const char letter : header) sum += static_cast<unsigned char>(letter);
  put(148, fmt::format("{:06o}", sum));
  header[154] = '\0';
  std::string block = header + spec.content;
  block.resize((block.size() + 511) / 512 * 512, '\0');
  return block;
}

template <class Specs>
std::string tar_of(const Specs& specs) {
  std::string archive;
  for (const TarSpec& spec : specs) archive += tar_block(spec);
  return archive + std::string(1024, '\0');
}

}  // namespace ridgeline
