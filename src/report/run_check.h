#pragma once

#include <string>

#include "report/row.h"

namespace ridgeline {

// The types and required keys of a row and of a run document, as docs/run.schema.json publishes
// them. Unknown keys are allowed: a later version may add some. Throws Error(BadInput) that starts
// with `where` and names the key by its path: "run.json: /rows/3/outcome: is missing".
void check_row(const Json& row, const std::string& where);
void check_run(const Json& run, const std::string& where);

}  // namespace ridgeline
