#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofline/ncu_command.h"
#include "roofline/ncu_report.h"

namespace ridgeline {

// What a file of ncu lacks for its FLOPs and percentages to be whole: a sentence for each thing
// that is not there, and last the one command that collects it.
[[nodiscard]] std::vector<std::string> missing_notes(const NcuReport& report);

// What collects all that a roofline needs and, so that nothing is lost, what the file has besides.
[[nodiscard]] NcuCommandOptions whole_collection(const NcuReport& report);

}  // namespace ridgeline
