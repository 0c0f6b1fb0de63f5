#include "models/workloads.h"

#include "engine/step.h"
#include "models/make.h"

// The table of ops a model calls is chosen here, once, before it is built.
extern "C" ridgeline::Workload* ridgeline_make_workload(const ridgeline::ModelSpec& spec,
                                                        const ridgeline::RunSettings& settings,
                                                        ridgeline::Backend& backend) {
  using namespace ridgeline;
  apply_process_settings(settings, backend);
  const ModelContext context{
      .ops = settings.kernels == Kernels::Fused ? backend.fused(plain_ops()) : plain_ops(),
      .activation_checkpointing = settings.activation_checkpointing};
  return make_step(make_model(spec, context, settings.seed), settings, backend).release();
}
