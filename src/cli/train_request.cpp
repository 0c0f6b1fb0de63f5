#include "cli/train_request.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "cli/train_recipe.h"
#include "core/error.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path checkpoint_folder(const TrainFlags& flags, const RunFolder& folder) {
  if (flags.out_dir) return *flags.out_dir;
  if (flags.resume) return flags.resume->parent_path();
  return folder.path();
}

json model_config(const ModelSpec& model) {
  if (const auto* const t = std::get_if<TransformerSpec>(&model))
    return {{"vocab_size", t->vocab_size},     {"hidden_dim", t->d_model},
            {"n_layers", t->num_layers},       {"n_heads", t->num_heads},
            {"n_kv_heads", t->num_kv_heads},   {"intermediate_dim", t->d_ff},
            {"max_seq_len", t->context_length}};
  const auto& r = std::get<ResNetSpec>(model);
  return {{"model", r.label}, {"num_classes", r.num_classes}, {"image_size", r.image_size}};
}

json profiler_config(const TrainFlags& flags) {
  return {{"enable_pytorch_profiler", flags.pytorch_profiler || flags.all_profiling},
          {"enable_memory_profiling", flags.memory_profiling || flags.all_profiling},
          {"warmup_steps", flags.profiler_warmup},
          {"profile_steps", flags.profiler_steps}};
}

}  // namespace

TrainRequest request_for(const TrainFlags& flags, const TrainSetup& setup, const TrainData& data,
                         const std::optional<fs::path>& weights, const RunFolder& folder) {
  TrainRequest request;
  request.model = data.model();
  request.settings = {.run = setup.run,
                      .optimizer = setup.optimizer,
                      .label_smoothing = flags.label_smoothing,
                      .clip_norm = flags.clip_norm,
                      .ema_decay = flags.ema,
                      .mirror_test = flags.mirror_test,
                      .survive_bad_steps = flags.skip_nan,
                      .normalisation = setup.train_transform.normalisation,
                      .learning_rates = {}};
  const std::int64_t per_epoch = data.steps_per_epoch();
  request.schedule = setup.schedule;
  if (setup.epochs > 0) request.schedule.total_steps = setup.epochs * per_epoch;
  request.schedule.drop_every = setup.images ? setup.drop_every * per_epoch : setup.drop_every;
  request.plan = {.total_steps = request.schedule.total_steps,
                  .steps_per_epoch = per_epoch,
                  .micro_batches = static_cast<std::size_t>(setup.run.accumulation),
                  .report_every = flags.report_every.value_or(setup.images ? 50 : 10),
                  .until_accuracy = flags.until_accuracy,
                  .stop_after_step = {},
                  .skip_bad_steps = flags.skip_nan};
  if (flags.stop_after)
    request.plan.stop_after_step = *flags.stop_after * (setup.images ? per_epoch : 1);
  request.facts = {.model = data.label(),
                   .seed = flags.common.seed,
                   .steps_per_epoch = per_epoch,
                   .total_steps = request.plan.total_steps,
                   .hold_out = static_cast<std::int64_t>(setup.hold_out),
                   .data = data.identity(),
                   .architecture = architecture_of(request.model)};
  request.save = {.folder = checkpoint_folder(flags, folder),
                  .every_epochs = flags.save_every,
                  .at_epoch_ends = setup.images,
                  .pause = Seconds{flags.save_seconds}};
  request.facts.recipe = exact_recipe(recipe_json(flags, setup, request));
  request.weights = weights;
  request.resume = flags.resume;
  if (flags.profile_one_step) {
    request.profile = {.warmup_steps = flags.warmup_iters, .steps = flags.profile_iters};
    request.plan.total_steps = flags.warmup_iters + flags.profile_iters;
    request.schedule.total_steps = std::max(request.schedule.total_steps, request.plan.total_steps);
  }
  return request;
}

SummaryFacts summary_facts(const TrainFlags& flags, const TrainSetup& setup,
                           const TrainRequest& request, const Session& session) {
  const DeviceFacts device = session.engine.backend(session.device).facts(session.device.index);
  json parameters{{"num_steps", request.plan.total_steps},
                  {"batch_size", batch_size_of(request.model).value_or(0)},
                  {"learning_rate", setup.optimizer.learning_rate},
                  {"use_amp", setup.run.precision == Precision::Fp16}};
  if (setup.hold_out > 0)
    parameters[setup.images ? "held_out_images" : "held_out_tokens"] = setup.hold_out;
  return {.config = model_config(request.model),
          .profiler = profiler_config(flags),
          .parameters = std::move(parameters),
          .system = {{"device", name_of(session.device)},
                     {"gpu_name",
                      session.device.kind == DeviceKind::Cuda ? json(device.name) : json(nullptr)},
                     {"device_name", device.name},
                     {"torch_version", session.engine.torch_version()}}};
}

}  // namespace ridgeline
