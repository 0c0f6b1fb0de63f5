#pragma once

#include <stdexcept>
#include <string>

#include <zlib.h>

namespace ridgeline {

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
