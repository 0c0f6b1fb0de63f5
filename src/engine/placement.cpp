#include "engine/placement.h"

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <set>
#include <string_view>

namespace ridgeline {
namespace {

at::Tensor placed(const at::Tensor& tensor, const RunSettings& settings, bool cast) {
  const bool to_half =
      cast && settings.precision == Precision::Bf16Pure && tensor.is_floating_point();
  at::Tensor moved =
      tensor.to(torch_device(settings.device), to_half ? at::kBFloat16 : tensor.scalar_type());
  if (settings.channels_last && moved.dim() == 4)
    moved = moved.contiguous(at::MemoryFormat::ChannelsLast);
  return moved;
}

std::string_view owner(std::string_view name) { return name.substr(0, name.rfind('.')); }

}  // namespace

c10::Device torch_device(const Device& device) {
  if (device.kind == DeviceKind::Cpu) return at::Device(at::kCPU);
  return at::Device(at::kCUDA, static_cast<at::DeviceIndex>(device.index));
}

void place_model(Model& model, const RunSettings& settings) {
  const at::NoGradGuard no_grad;
  std::set<std::string, std::less<>> batch_norms;
  for (const auto& [name, buffer] : model.buffers()) {
    if (name.ends_with("running_mean")) batch_norms.emplace(owner(name));
    buffer.set_data(placed(buffer, settings, /*cast=*/false));
  }
  for (const auto& [name, parameter] : model.parameters()) {
    parameter.set_data(placed(parameter, settings, !batch_norms.contains(owner(name))));
  }
  for (const auto& [name, constant] : model.constants()) {
    constant.set_data(placed(constant, settings, /*cast=*/false));
  }
}

std::pair<at::Tensor, at::Tensor> place_batch(std::pair<at::Tensor, at::Tensor> batch,
                                              const RunSettings& settings) {
  auto& [input, target] = batch;
  input = placed(input, settings, /*cast=*/true);
  if (target.defined()) target = placed(target, settings, /*cast=*/true);
  return batch;
}

}  // namespace ridgeline
