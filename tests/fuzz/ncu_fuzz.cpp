#include <cstdlib>

#include "roofline/hostile_ncu.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool survived = ridgeline::survives_as_ncu(text) && ridgeline::survives_as_summary(text) &&
                        ridgeline::survives_as_points(text);
  if (!survived) std::abort();
  return 0;
}
