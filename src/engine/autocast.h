#pragma once

#include <optional>

#include "engine/settings.h"

namespace ridgeline {

// Autocast for one forward pass. Its cache of cast weights lives as long as the scope: a weight
// used twice is cast once, and the next step sees the updated weight.
class [[nodiscard]] AutocastScope {
 public:
  AutocastScope(DeviceKind device, Precision precision);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  bool active_;
  DeviceKind device_;
};

}  // namespace ridgeline
