#include "data/batch_maker.h"

#include <new>
#include <string_view>

#include <fmt/format.h>

#include "core/error.h"

namespace ridgeline {
namespace {

Error naming(const std::string& sample, Fault fault, std::string_view what) {
  if (what.find(sample) != std::string_view::npos) return {fault, std::string(what)};
  return {fault, fmt::format("{}: {}", sample, what)};
}

}  // namespace

BatchMaker::BatchMaker(const ImageSet& images, const Transform& transform)
    : images_(images), transform_(transform) {
  if (images.size() == 0) return;
  if (transform.options().geometry != TransformOptions::Geometry::None) {
    image_bytes_ = transform.output_bytes({});
    return;
  }
  std::vector<std::uint8_t> scratch;
  image_bytes_ = transform.output_bytes(images.read(0, scratch));
}

void BatchMaker::make_unnamed(const SampleKey& key, const Target& target, std::size_t at,
                              Scratch& scratch) const {
  const ImageView image = images_.read(key.index, scratch.decoded);
  if (transform_.output_bytes(image) != image_bytes_) {
    throw bad_input(fmt::format("{}x{} pixels, unlike the first image; resize or crop them",
                                image.height, image.width));
  }
  transform_.apply(image, key, target.pixels + at * image_bytes_, scratch.resampled);
  target.labels[at] = images_.label(key.index);
}

void BatchMaker::make(const SampleKey& key, const Target& target, std::size_t at,
                      Scratch& scratch) const {
  try {
    make_unnamed(key, target, at, scratch);
  } catch (const Error& error) {
    throw naming(images_.sample_name(key.index), error.fault(), error.what());
  } catch (const std::bad_alloc&) {
    throw naming(images_.sample_name(key.index), Fault::Memory, "not enough memory");
  } catch (const std::exception& error) {
    throw naming(images_.sample_name(key.index), Fault::Internal, error.what());
  }
}

}  // namespace ridgeline
