#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include <jpeglib.h>
#include <png.h>

#include "data/pictures.h"

namespace ridgeline {

// A JPEG of the best quality with the colour components that `space` has, made from `samples`.
inline std::string jpeg_of(int height, int width, J_COLOR_SPACE space, int components,
                           const std::vector<std::uint8_t>& samples, bool progressive = false) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &memory, &size);
  info.image_height = static_cast<JDIMENSION>(height);
  info.image_width = static_cast<JDIMENSION>(width);
  info.input_components = components;
  info.in_color_space = space;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  if (progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  for (int y = 0; y < height; ++y) {
    auto* row = const_cast<std::uint8_t*>(samples.data() + y * width * components);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string bytes(reinterpret_cast<char*>(memory), size);
  std::free(memory);
  return bytes;
}

inline std::string jpeg_of(const Picture& picture, bool progressive = false) {
  return jpeg_of(picture.height, picture.width, JCS_RGB, 3, picture.pixels, progressive);
}

// A PNG in one of libpng's simple formats.
inline std::string png_of(int height, int width, png_uint_32 format,
                          const std::vector<std::uint8_t>& samples) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.height = static_cast<png_uint_32>(height);
  image.width = static_cast<png_uint_32>(width);
  image.format = format;
  png_alloc_size_t size = 0;
  png_image_write_to_memory(&image, nullptr, &size, 0, samples.data(), 0, nullptr);
  std::string bytes(size, '\0');
  png_image_write_to_memory(&image, bytes.data(), &size, 0, samples.data(), 0, nullptr);
  bytes.resize(size);
  return bytes;
}

inline std::string png_of(const Picture& picture) {
  return png_of(picture.height, picture.width, PNG_FORMAT_RGB, picture.pixels);
}

}  // namespace ridgeline
