#include "roofline/ncu_file.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/malformed.h"
#include "core/mapped_file.h"
#include "core/process.h"
#include "core/text.h"

namespace ridgeline {
namespace {

// Large reports take ncu minutes.
constexpr Seconds kPatience{1800};

std::string imported(const std::filesystem::path& file, const NcuFileOptions& options) {
  const auto program = find_program(options.ncu);
  if (!program)
    throw Error(Fault::Io,
                fmt::format("cannot read '{}': a report of ncu needs ncu to read it, which is not "
                            "installed here; where it is: ncu --import {} --csv --page raw > "
                            "report.csv",
                            on_one_line(file.string()), on_one_line(file.filename().string())));
  const ChildResult child =
      run_child({program->string(), "--import", std::filesystem::absolute(file).string(), "--csv",
                 "--page", "raw"},
                {.environment = {{"LC_ALL", "C"}}, .timeout = kPatience});
  if (child.timed_out)
    throw Error(Fault::Io,
                fmt::format("ncu did not finish reading '{}'", on_one_line(file.string())));
  if (!child.succeeded()) {
    const std::string_view said = last_line(child.err.empty() ? child.out : child.err);
    throw Error(Fault::Io, fmt::format("ncu cannot read '{}': {}", on_one_line(file.string()),
                                       said.empty() ? "it gave no reason" : on_one_line(said)));
  }
  return child.out;
}

}  // namespace

bool is_ncu_report(std::string_view text) { return text.starts_with("NVR"); }

NcuPoints read_ncu_file(const std::filesystem::path& file, const NcuFileOptions& options) {
  const MappedFile mapped(file);
  const std::string_view text(reinterpret_cast<const char*>(mapped.bytes().data()),
                              mapped.bytes().size());
  if (is_ncu_report(text) || file.extension() == ".ncu-rep")
    return points_of(parse_ncu_csv(imported(file, options), file.string()));
  return points_of(parse_ncu_csv(text, file.string()));
}

}  // namespace ridgeline
