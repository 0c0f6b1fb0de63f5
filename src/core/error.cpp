#include "core/error.h"

#include <fmt/format.h>

namespace ridgeline {

void broken(const char* claim, const char* file, int line) {
  throw Error(Fault::Internal, fmt::format("{}:{}: internal check failed: {}", file, line, claim));
}

}  // namespace ridgeline
