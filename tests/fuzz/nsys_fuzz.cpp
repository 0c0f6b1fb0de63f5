#include <cstdlib>

#include "trace/made_nsys.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  if (!ridgeline::survives_as_nsys(bytes)) std::abort();
  return 0;
}
