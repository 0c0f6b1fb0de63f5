#include "data/find_images.h"

#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "core/error.h"
#include "data/cifar10.h"
#include "data/synthetic_images.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

struct Layout {
  const char* name;
  bool (*is)(const fs::path&);
  ImageData (*open)(const fs::path&, const ImageFolderOptions&);
};

// Asked in this order. Another layout is one more line.
constexpr std::array kLayouts{
    Layout{"an image folder (DIR/train/CLASS/*.jpg or DIR/CLASS/*.png)", is_image_folder,
           open_image_folder},
};

}  // namespace

ImageData open_images(const std::string& where, const ImageFolderOptions& options) {
  if (where == "synthetic") return make_synthetic_images();
  std::error_code error;
  if (!fs::exists(where, error))
    throw Error(Fault::Io, fmt::format("{}: no such folder ('synthetic' needs none)", where));
  if (auto cifar = load_cifar10(where)) return std::move(*cifar);
  for (const Layout& layout : kLayouts) {
    if (layout.is(where)) return layout.open(where, options);
  }
  std::string known = "CIFAR-10 (binary or Python layout, or its archive)";
  for (const Layout& layout : kLayouts) known += fmt::format(", {}", layout.name);
  throw bad_input(fmt::format("{}: no data set that is known: {}", where, known));
}

}  // namespace ridgeline
