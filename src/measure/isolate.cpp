#include "measure/isolate.h"

#include <csignal>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/process.h"
#include "core/text.h"
#include "measure/measure_row.h"

namespace ridgeline {
namespace {

using nlohmann::json;

std::string cause_of_death(const ChildResult& child) {
  if (child.signal == SIGKILL)
    return "its process was killed (SIGKILL; the kernel does that when memory runs out)";
  if (child.signal != 0)
    return fmt::format("its process died of signal {} ({})", child.signal, strsignal(child.signal));
  return fmt::format("its process ended with code {}", child.exit_code);
}

}  // namespace

json measure_row_isolated(const RowSpec& spec,
                          const std::vector<std::pair<std::string, std::string>>& environment) {
  const ChildResult child = run_child({own_program().string(), kMeasureRowCommand},
                                      {.environment = environment, .input = to_json(spec).dump()});
  if (child.succeeded()) {
    json row = json::parse(child.out, nullptr, /*allow_exceptions=*/false);
    if (row.is_object()) return row;
  }
  const std::string said(last_line(child.err));
  return failed_row(spec, child.signal != 0 ? "killed" : "internal",
                    cause_of_death(child) + (said.empty() ? "" : ": " + said));
}

}  // namespace ridgeline
