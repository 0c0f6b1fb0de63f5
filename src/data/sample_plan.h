#pragma once

#include <cstdint>

namespace ridgeline {

// One sample of an epoch as chance decided it, in 32-bit words: a table of these on a GPU is all
// that it needs to make the batches of an epoch from images it holds.
struct SamplePlan {
  std::int32_t image = 0;  // its place in the data set
  // The part of the image; a padded crop may reach beyond it.
  std::int32_t top = 0;
  std::int32_t left = 0;
  std::int32_t height = 0;
  std::int32_t width = 0;
  std::int32_t flip = 0;
  std::int32_t reflect = 0;  // beyond the image lies its mirror image; 0: black
  // A part of the output set to the mean; no height: none.
  std::int32_t cut_top = 0;
  std::int32_t cut_left = 0;
  std::int32_t cut_height = 0;
  std::int32_t cut_width = 0;
};
inline constexpr int kSamplePlanWords = 11;
static_assert(sizeof(SamplePlan) == kSamplePlanWords * sizeof(std::int32_t));

}  // namespace ridgeline
