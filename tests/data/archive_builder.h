#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <zlib.h>

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

inline std::string gzip_of(std::string_view text) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;
  if (::deflateInit2(&stream, 1, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("deflateInit2");
  }
  std::string packed(::deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (::deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("deflate");
  packed.resize(packed.size() - stream.avail_out);
  ::deflateEnd(&stream);
  return packed;
}

}  // namespace ridgeline
