#include "engine/scope.h"

namespace ridgeline {

std::atomic<ScopeListener*> scope_listener{nullptr};

}  // namespace ridgeline
