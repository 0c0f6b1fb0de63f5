#pragma once

#include "data/image_set.h"

namespace ridgeline {

// Takes the last `count` images out of the training set, as they lie in it, and puts them in the
// test set's place. A set in memory stays one. Throws Error(BadInput) unless some are left to train
// on.
void hold_out(ImageData& data, std::size_t count);

// Error(BadInput) unless some of `images` are left to train on.
void require_some_left(std::size_t images, std::size_t held_out);

// How many classes a set has images of.
[[nodiscard]] std::size_t classes_present(const ImageSet& images);

}  // namespace ridgeline
