#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>
#include <png.h>

#include "core/error.h"
#include "data/image_file.h"

namespace ridgeline {
namespace {

// Text and colour profiles are unpacked and kept before the pixels come: a small file may hold
// thousands that unpack a thousandfold. None is used, so few are kept and none may be large.
constexpr png_alloc_size_t kMostChunkBytes = png_alloc_size_t{1} << 20;
constexpr png_uint_32 kMostChunksKept = 8;

// libpng is left with longjmp: no frame between setjmp and the error may own anything.
struct PngReader {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string_view rest;
  std::jmp_buf way_out{};
  char message[128] = {};
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
};

[[noreturn]] void leave(png_structp png, png_const_charp message) {
  auto* const reader = static_cast<PngReader*>(png_get_error_ptr(png));
  std::snprintf(reader->message, sizeof(reader->message), "%s", message);
  std::longjmp(reader->way_out, 1);
}

void ignore(png_structp, png_const_charp) {}

void hand_over(png_structp png, png_bytep out, std::size_t count) {
  auto* const reader = static_cast<PngReader*>(png_get_io_ptr(png));
  if (count > reader->rest.size()) png_error(png, "the file is cut off");
  std::memcpy(out, reader->rest.data(), count);
  reader->rest.remove_prefix(count);
}

bool begin(PngReader& reader) {
  if (setjmp(reader.way_out) != 0) return false;
  png_set_read_fn(reader.png, &reader, hand_over);
  png_set_user_limits(reader.png, kLargestImageSide, kLargestImageSide);
  png_set_chunk_malloc_max(reader.png, kMostChunkBytes);
  png_set_chunk_cache_max(reader.png, kMostChunksKept);
  png_read_info(reader.png, reader.info);
  // Everything becomes RGB of 8 bits.
  png_set_strip_16(reader.png);
  png_set_palette_to_rgb(reader.png);
  if (png_get_color_type(reader.png, reader.info) == PNG_COLOR_TYPE_GRAY)
    png_set_expand_gray_1_2_4_to_8(reader.png);
  png_set_gray_to_rgb(reader.png);
  png_set_strip_alpha(reader.png);
  png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  return true;
}

bool read_rows(PngReader& reader, png_bytepp rows) {
  if (setjmp(reader.way_out) != 0) return false;
  png_read_image(reader.png, rows);
  png_read_end(reader.png, nullptr);
  return true;
}

}  // namespace

ImageView decode_png(std::string_view bytes, const std::string& name,
                     std::vector<std::uint8_t>& pixels) {
  PngReader reader;
  reader.rest = bytes;
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, leave, ignore);
  if (reader.png != nullptr) reader.info = png_create_info_struct(reader.png);
  if (reader.info == nullptr) throw Error(Fault::Memory, fmt::format("{}: no memory", name));
  const auto refusal = [&] { return bad_input(fmt::format("{}: {}", name, reader.message)); };
  if (!begin(reader)) throw refusal();
  const ImageView image = reserve_image(png_get_image_height(reader.png, reader.info),
                                        png_get_image_width(reader.png, reader.info), name, pixels);
  const std::size_t row_bytes = 3 * static_cast<std::size_t>(image.width);
  RIDGELINE_CHECK(png_get_rowbytes(reader.png, reader.info) == row_bytes);
  std::vector<png_bytep> rows(static_cast<std::size_t>(image.height));
  for (std::size_t y = 0; y < rows.size(); ++y) rows[y] = pixels.data() + y * row_bytes;
  if (!read_rows(reader, rows.data())) throw refusal();
  return image;
}

}  // namespace ridgeline
