#pragma once

#include "engine/scope.h"

namespace ridgeline {

// Makes frames of the scopes that models and steps open. Outlives every observer: a scope calls
// back who listened when it opened.
[[nodiscard]] ScopeListener& scope_frames() noexcept;

}  // namespace ridgeline
