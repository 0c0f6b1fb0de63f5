#include "engine/autocast.h"

#include <ATen/autocast_mode.h>

namespace ridgeline {
namespace {

at::DeviceType torch_type(DeviceKind kind) {
  return kind == DeviceKind::Cuda ? at::kCUDA : at::kCPU;
}

}  // namespace

AutocastScope::AutocastScope(DeviceKind device, Precision precision)
    : active_(precision == Precision::Bf16 || precision == Precision::Fp16), device_(device) {
  if (!active_) return;
  at::autocast::set_autocast_dtype(torch_type(device),
                                   precision == Precision::Bf16 ? at::kBFloat16 : at::kHalf);
  at::autocast::set_autocast_enabled(torch_type(device), true);
  at::autocast::increment_nesting();
}

AutocastScope::~AutocastScope() {
  if (!active_) return;
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(torch_type(device_), false);
}

}  // namespace ridgeline
