#include "report/png_density.h"

#include <cmath>
#include <cstdint>

#include <zlib.h>

namespace ridgeline {
namespace {

// The signature, then IHDR: length, name, 13 bytes, checksum. pHYs may follow at once.
constexpr std::size_t kHeaderEnd = 8 + 4 + 4 + 13 + 4;

void append_big_endian(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(static_cast<unsigned char>(value >> static_cast<unsigned>(shift)));
}

}  // namespace

std::string with_png_density(std::string_view png, int dots_per_inch) {
  const bool is_png = png.starts_with("\x89PNG\r\n\x1a\n") && png.size() > kHeaderEnd &&
                      png.substr(12, 4) == "IHDR";
  if (!is_png || png.find("pHYs") != std::string_view::npos) return std::string(png);
  constexpr double kInchesPerMetre = 1 / 0.0254;
  const auto per_metre = static_cast<std::uint32_t>(std::lround(dots_per_inch * kInchesPerMetre));
  std::string body = "pHYs";
  append_big_endian(body, per_metre);
  append_big_endian(body, per_metre);
  body += '\x01';  // per metre
  std::string result(png.substr(0, kHeaderEnd));
  append_big_endian(result, static_cast<std::uint32_t>(body.size() - 4));
  result += body;
  const auto* const bytes = reinterpret_cast<const Bytef*>(body.data());
  append_big_endian(result,
                    static_cast<std::uint32_t>(crc32(0, bytes, static_cast<uInt>(body.size()))));
  result += png.substr(kHeaderEnd);
  return result;
}

}  // namespace ridgeline
