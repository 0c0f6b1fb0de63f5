#include "cost_models.h"

#include "models/workloads.h"

namespace ridgeline {
namespace {

ModelSpec model_called(std::string_view name) {
  if (name != "small") return ResNetSpec{.label = "resnet18", .image_size = 32, .batch_size = 128};
  return TransformerSpec{.label = "small",
                         .vocab_size = 10000,
                         .d_model = 768,
                         .d_ff = 3072,
                         .num_layers = 12,
                         .num_heads = 12,
                         .num_kv_heads = 12,
                         .context_length = 256,
                         .batch_size = 4};
}

}  // namespace

std::unique_ptr<Workload> make_cost_workload(const Engine& engine, std::string_view model,
                                             Mode mode) {
  const RunSettings settings{.device = {.kind = DeviceKind::Cuda},
                             .precision = Precision::Bf16,
                             .mode = mode,
                             .extent = Extent::Step,
                             .channels_last = model != "small"};
  std::unique_ptr<Workload> workload(engine.symbol<MakeWorkload>(kMakeWorkloadSymbol)(
      model_called(model), settings, engine.backend(settings.device)));
  workload->activate();
  return workload;
}

}  // namespace ridgeline
