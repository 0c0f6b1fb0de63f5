// What the data layer does, for a test in Python to compare: pixels come on standard input, results
// leave on standard output.
//   transform_dump execute WORD float|bytes HEIGHT WIDTH TOP LEFT BOX_HEIGHT BOX_WIDTH FLIP
//   transform_dump draw WORD HEIGHT WIDTH COUNT
//   transform_dump decode FILE
#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/atomic_file.h"
#include "core/error.h"
#include "data/draw.h"
#include "data/image_file.h"
#include "data/transform.h"

namespace ridgeline {
namespace {

using Words = std::vector<std::string>;

void write(const void* data, std::size_t bytes) {
  RIDGELINE_CHECK(std::fwrite(data, 1, bytes, stdout) == bytes);
}

void execute(const Words& words) {
  const auto number = [&](std::size_t i) { return std::stoi(words.at(i)); };
  TransformOptions options = parse_transform(words.at(0));
  options.normalisation = kImageNetNormalisation;
  if (words.at(1) == "bytes") options.output = TransformOptions::Output::Bytes;
  const std::string input{std::istreambuf_iterator<char>(std::cin), {}};
  const ImageView image{.pixels = reinterpret_cast<const std::uint8_t*>(input.data()),
                        .height = number(2),
                        .width = number(3)};
  RIDGELINE_CHECK(input.size() == static_cast<std::size_t>(3 * image.height * image.width));
  const SampleDraw drawn{
      .box = {.top = number(4), .left = number(5), .height = number(6), .width = number(7)},
      .flip = number(8) != 0};
  const Transform transform(options);
  std::vector<std::byte> out(transform.output_bytes(image));
  std::vector<std::uint8_t> scratch;
  transform.execute(image, drawn, out.data(), scratch);
  write(out.data(), out.size());
}

void draw_boxes(const Words& words) {
  const TransformOptions options = parse_transform(words.at(0));
  const ImageView image{
      .pixels = nullptr, .height = std::stoi(words.at(1)), .width = std::stoi(words.at(2))};
  for (std::uint64_t i = 0; i < std::stoul(words.at(3)); ++i) {
    const SampleDraw drawn = draw(options, image, {.seed = 42, .epoch = 0, .index = i});
    fmt::print("{} {} {} {} {}\n", drawn.box.top, drawn.box.left, drawn.box.height, drawn.box.width,
               drawn.flip ? 1 : 0);
  }
}

void decode(const Words& words) {
  std::vector<std::uint8_t> pixels;
  const ImageView image = decode_image(read_file(words.at(0), Bytes{1e9}), words.at(0), pixels);
  write(image.pixels, static_cast<std::size_t>(3 * image.height * image.width));
}

void run(const Words& words) {
  const Words rest(words.begin() + 1, words.end());
  if (words.at(0) == "execute") return execute(rest);
  if (words.at(0) == "draw") return draw_boxes(rest);
  if (words.at(0) == "decode") return decode(rest);
  throw bad_input("execute, draw or decode");
}

}  // namespace
}  // namespace ridgeline

int main(int count, char** words) {
  try {
    ridgeline::run({words + 1, words + count});
  } catch (const std::exception& error) {
    fmt::print(stderr, "transform_dump: {}\n", error.what());
    return 1;
  }
  return 0;
}
