#pragma once

#include <string>

#include "data/image_folder.h"
#include "data/image_set.h"

namespace ridgeline {

// What `--data` names: "synthetic", or a folder in one of the layouts that are known. Throws
// Error(Io) when there is nothing, Error(BadInput) when nothing there is known.
[[nodiscard]] ImageData open_images(const std::string& where,
                                    const ImageFolderOptions& options = {});

}  // namespace ridgeline
