#include "core/io_error.h"

#include <system_error>

#include <fmt/format.h>

namespace ridgeline {

Error io_error(std::string_view action, const std::filesystem::path& path, int code) {
  return {Fault::Io, fmt::format("cannot {} '{}': {}", action, path.string(),
                                 std::generic_category().message(code))};
}

}  // namespace ridgeline
