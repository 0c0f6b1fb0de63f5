#include "core/error.h"

#include <fmt/format.h>

namespace ridgeline {

std::string_view name_of(Fault fault) {
  switch (fault) {
    case Fault::BadInput:
      return "bad_input";
    case Fault::Io:
      return "io";
    case Fault::Device:
      return "device";
    case Fault::Memory:
      return "memory";
    case Fault::Internal:
      break;
  }
  return "internal";
}

void broken(const char* claim, const char* file, int line) {
  throw Error(Fault::Internal, fmt::format("{}:{}: internal check failed: {}", file, line, claim));
}

}  // namespace ridgeline
