#include <algorithm>
#include <csetjmp>
#include <cstdio>

#include <fmt/format.h>
// libjpeg's headers need <cstdio> before them.
#include <jerror.h>
#include <jpeglib.h>

#include "core/error.h"
#include "data/image_file.h"

namespace ridgeline {
namespace {

// A progressive file may repeat itself in thousands of scans, each over the whole picture.
constexpr int kMostScans = 500;

// libjpeg reports by calling back and must not be returned to: it is left with longjmp, so that no
// frame of ours between setjmp and there may own anything.
struct JpegReader {
  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf way_out{};
  char message[JMSG_LENGTH_MAX] = {};
  ~JpegReader() { jpeg_destroy_decompress(&info); }
};

void leave(j_common_ptr info) {
  auto* const reader = static_cast<JpegReader*>(info->client_data);
  info->err->format_message(info, reader->message);
  std::longjmp(reader->way_out, 1);
}

// Damage that the decoder would paint over is an error here; what leaves the pixels alone is not.
void judge_message(j_common_ptr info, int level) {
  if (level >= 0) return;
  switch (info->err->msg_code) {
    case JWRN_ADOBE_XFORM:
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_JFIF_MAJOR:
    case JWRN_TOO_MUCH_DATA:
      return;
    default:
      leave(info);
  }
}

void watch_scans(j_common_ptr info) {
  auto* const reader = static_cast<JpegReader*>(info->client_data);
  if (reader->info.input_scan_number <= kMostScans) return;
  std::snprintf(reader->message, sizeof(reader->message), "more than %d scans", kMostScans);
  std::longjmp(reader->way_out, 1);
}

// Each of these steps returns false, with the message set, where libjpeg gave up.
bool begin(JpegReader& reader, std::string_view bytes) {
  reader.info.err = jpeg_std_error(&reader.errors);
  reader.errors.error_exit = leave;
  reader.errors.emit_message = judge_message;
  reader.info.client_data = &reader;
  if (setjmp(reader.way_out) != 0) return false;
  jpeg_create_decompress(&reader.info);
  reader.info.client_data = &reader;
  reader.progress.progress_monitor = watch_scans;
  reader.info.progress = &reader.progress;
  jpeg_mem_src(&reader.info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&reader.info, TRUE);
  const bool four =
      reader.info.jpeg_color_space == JCS_CMYK || reader.info.jpeg_color_space == JCS_YCCK;
  reader.info.out_color_space = four ? JCS_CMYK : JCS_RGB;
  return true;
}

// Four inks to three lights. Adobe's programs, which nearly all such files come from, store them
// inverted, and say so.
void cmyk_to_rgb(const std::uint8_t* inks, std::size_t pixels, bool inverted, std::uint8_t* out) {
  for (std::size_t i = 0; i < pixels; ++i) {
    const unsigned flip = inverted ? 0 : 255;
    const unsigned light = inks[4 * i + 3] ^ flip;
    for (std::size_t c = 0; c < 3; ++c)
      out[3 * i + c] = static_cast<std::uint8_t>(((inks[4 * i + c] ^ flip) * light + 127) / 255);
  }
}

bool read_rows(JpegReader& reader, std::uint8_t* pixels, std::uint8_t* inks) {
  if (setjmp(reader.way_out) != 0) return false;
  jpeg_start_decompress(&reader.info);
  const std::size_t width = reader.info.output_width;
  while (reader.info.output_scanline < reader.info.output_height) {
    std::uint8_t* const out = pixels + 3 * width * reader.info.output_scanline;
    JSAMPROW row = inks != nullptr ? inks : out;
    jpeg_read_scanlines(&reader.info, &row, 1);
    if (inks != nullptr) cmyk_to_rgb(inks, width, reader.info.saw_Adobe_marker != 0, out);
  }
  jpeg_finish_decompress(&reader.info);
  return true;
}

}  // namespace

ImageView decode_jpeg(std::string_view bytes, const std::string& name,
                      std::vector<std::uint8_t>& pixels) {
  JpegReader reader;
  const auto refusal = [&] { return bad_input(fmt::format("{}: {}", name, reader.message)); };
  if (!begin(reader, bytes)) throw refusal();
  const ImageView image =
      reserve_image(reader.info.image_height, reader.info.image_width, name, pixels);
  std::vector<std::uint8_t> inks;
  if (reader.info.out_color_space == JCS_CMYK)
    inks.resize(4 * std::size_t{reader.info.image_width});
  if (!read_rows(reader, pixels.data(), inks.empty() ? nullptr : inks.data())) throw refusal();
  return image;
}

}  // namespace ridgeline
