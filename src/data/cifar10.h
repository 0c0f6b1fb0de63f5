#pragma once

#include <filesystem>
#include <optional>

#include "data/image_set.h"

namespace ridgeline {

// CIFAR-10, whole in memory (both sets are ImageArray). `path` is a folder with the six batches in
// binary layout (data_batch_1.bin ...) or as Python pickles (data_batch_1 ...), in it or in the
// folder the archives unpack to, or with one of the archives itself (cifar-10-binary.tar.gz,
// cifar-10-python.tar.gz), or such an archive. What is complete comes before what is not, unpacked
// before packed.
//
// Absent when nothing of the sort is there. Throws Error(BadInput) when there is but is broken: the
// line names the file and the place, or the batches that are missing. Files that are well-formed
// but not the published ones (a subset, relabelled images) are taken, and the description says so:
// a damaged download never passes unnoticed, a user's own images are not refused.
[[nodiscard]] std::optional<ImageData> load_cifar10(const std::filesystem::path& path);

}  // namespace ridgeline
