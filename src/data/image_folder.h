#pragma once

#include <filesystem>

#include "data/image_set.h"

namespace ridgeline {

struct ImageFolderOptions {
  // Of DIR/CLASS/* alone all images are the test set, and there is no training set.
  bool to_judge = false;
};

// torchvision's ImageFolder layout: DIR/train/CLASS/*.jpg|jpeg|png with DIR/val or DIR/test beside
// it, or DIR/CLASS/* alone, where every tenth image of a class is held out and the description says
// so. Classes are sorted by name, images by path; folders within a class count, hidden names do
// not; images of formats that are not read are left out and noted. Files are decoded when read.
// Throws Error(Io) or Error(BadInput) with the path.
[[nodiscard]] ImageData open_image_folder(const std::filesystem::path& folder,
                                          const ImageFolderOptions& options = {});

// Whether there is a folder with a folder of images in it, as open_image_folder wants.
[[nodiscard]] bool is_image_folder(const std::filesystem::path& folder);

}  // namespace ridgeline
