#pragma once

#include <string>
#include <vector>

#include "report/row.h"

namespace ridgeline::testing {

// Where `value` breaks the schema; empty when it fits. Knows the part of JSON Schema 2020-12 that
// our schemas use and throws for any other keyword, so that none is silently passed over.
[[nodiscard]] std::vector<std::string> schema_faults(const Json& value, const Json& schema);

}  // namespace ridgeline::testing
