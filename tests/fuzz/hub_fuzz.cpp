#include "data/hostile_targets.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto outcome = ridgeline::outcome_of(ridgeline::hostile_hub, bytes);
  if (outcome == ridgeline::Outcome::Wrong) std::abort();
  return 0;
}
