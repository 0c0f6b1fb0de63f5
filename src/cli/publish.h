#pragma once

#include <string>
#include <vector>

#include "cli/common_flags.h"
#include "report/run_document.h"

namespace ridgeline {

// Writes everything a finished run leaves behind into its folder: run.json, CSV, Markdown, plots,
// report.html. Returns a line for each thing that could not be made (no gnuplot, say).
[[nodiscard]] std::vector<std::string> publish(const RunDocument& run,
                                               const std::filesystem::path& folder);

// What the user asked for outside the folder: --csv, --markdown, --json. Says on standard output
// where the run is, unless it must not talk.
void hand_out(const RunDocument& run, const std::filesystem::path& folder,
              const CommonFlags& flags);

}  // namespace ridgeline
