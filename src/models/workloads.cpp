#include "models/workloads.h"

#include "engine/step.h"
#include "models/make.h"

namespace ridgeline {
namespace {

// Attention alone has no weights for autocast to keep in fp32: its inputs are simply of the dtype.
RunSettings stored_as_computed(const ModelSpec& spec, RunSettings settings) {
  const bool bf16 = settings.precision == Precision::Bf16;
  if (bf16 && std::holds_alternative<AttentionSpec>(spec)) settings.precision = Precision::Bf16Pure;
  return settings;
}

}  // namespace
}  // namespace ridgeline

// The table of ops a model calls is chosen here, once, before it is built.
extern "C" ridgeline::Workload* ridgeline_make_workload(const ridgeline::ModelSpec& spec,
                                                        const ridgeline::RunSettings& settings,
                                                        ridgeline::Backend& backend) {
  using namespace ridgeline;
  apply_process_settings(settings, backend);
  const ModelContext context{
      .ops = settings.kernels == Kernels::Fused ? backend.fused(plain_ops()) : plain_ops(),
      .activation_checkpointing = settings.activation_checkpointing,
      .device = settings.device};
  return make_step([&] { return make_model(spec, context, settings.seed); },
                   stored_as_computed(spec, settings), backend)
      .release();
}
