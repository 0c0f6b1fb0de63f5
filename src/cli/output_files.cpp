#include "cli/output_files.h"

#include <system_error>

#include <fmt/format.h>

#include "core/error.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

// Terminals, pipes and /dev/null lose nothing.
bool could_be_lost(const fs::path& file) {
  std::error_code unknown;
  return !fs::exists(file, unknown) || fs::is_regular_file(file, unknown);
}

bool are_one(const fs::path& a, const fs::path& b) {
  if (!could_be_lost(a) || !could_be_lost(b)) return false;
  std::error_code unknown;
  if (fs::equivalent(a, b, unknown)) return true;
  const fs::path whole_a = fs::weakly_canonical(fs::absolute(a), unknown);
  if (unknown) return false;
  const fs::path whole_b = fs::weakly_canonical(fs::absolute(b), unknown);
  return !unknown && whole_a == whole_b;
}

}  // namespace

void refuse_overwriting(const std::vector<fs::path>& inputs,
                        const std::vector<OutputFile>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const OutputFile& output = outputs[i];
    for (const fs::path& input : inputs) {
      if (are_one(input, output.file))
        throw bad_input(fmt::format("{} '{}' would overwrite the input; name another file",
                                    output.flag, output.file.string()));
    }
    for (std::size_t other = 0; other < i; ++other) {
      if (are_one(outputs[other].file, output.file))
        throw bad_input(fmt::format("{} and {} name one file, '{}'", outputs[other].flag,
                                    output.flag, output.file.string()));
    }
  }
}

}  // namespace ridgeline
