#include "cli/train_recipe.h"

#include <array>

namespace ridgeline {
namespace {

using nlohmann::json;

json model_json(const ModelSpec& model) {
  if (const auto* const t = std::get_if<TransformerSpec>(&model))
    return {{"label", t->label},
            {"vocab_size", t->vocab_size},
            {"d_model", t->d_model},
            {"d_ff", t->d_ff},
            {"num_layers", t->num_layers},
            {"num_heads", t->num_heads},
            {"num_kv_heads", t->num_kv_heads},
            {"tied", t->tied},
            {"rope", t->rope == RopeLayout::Half ? "half" : "interleaved"},
            {"rope_theta", t->rope_theta},
            {"eps", t->eps}};
  const auto& r = std::get<ResNetSpec>(model);
  return {{"label", r.label},
          {"stem", r.stem == ResNetSpec::Stem::Cifar ? "cifar" : "imagenet"},
          {"num_classes", r.num_classes}};
}

std::string geometry_word(const TransformOptions& transform) {
  using Geometry = TransformOptions::Geometry;
  constexpr std::array kWords{
      std::pair{Geometry::RandomCrop, "crop"}, std::pair{Geometry::CenterCrop, "centercrop"},
      std::pair{Geometry::RandomResizedCrop, "rrc"}, std::pair{Geometry::Resize, "resize"},
      std::pair{Geometry::ResizeCenterCrop, "center"}};
  for (const auto& [geometry, word] : kWords) {
    if (geometry == transform.geometry) return word + std::to_string(transform.size);
  }
  return "none";
}

json transform_json(const TransformOptions& transform) {
  json entry{{"transform", geometry_word(transform)},
             {"flip", transform.alternate_flip ? json("alternate") : json(transform.flip)},
             {"cutout", transform.cutout},
             {"mean", transform.normalisation.mean},
             {"std", transform.normalisation.std}};
  if (transform.geometry != TransformOptions::Geometry::RandomCrop) return entry;
  entry["padding"] = transform.padding;
  entry["padding_mode"] = transform.border == Border::Reflect ? "reflect" : "zeros";
  return entry;
}

json data_json(const DataFlags& flags, const TrainSetup& setup) {
  if (!setup.images) {
    json entry{{"source", flags.text ? "text" : flags.tokens ? "tokens" : "random rows"}};
    if (flags.text) entry["file"] = flags.text->string();
    if (flags.tokens) entry["file"] = flags.tokens->string();
    entry["hold_out"] = setup.hold_out;
    return entry;
  }
  json entry = transform_json(setup.train_transform);
  entry["source"] = flags.data;
  if (flags.synthetic_images > 0) entry["synthetic_images"] = flags.synthetic_images;
  entry["hold_out"] = setup.hold_out;
  entry["augment"] = flags.augment;
  entry["shuffle"] = setup.loader.shuffle;
  entry["drop_last"] = setup.loader.drop_last;
  return entry;
}

json optimizer_json(const OptimizerOptions& o) {
  const bool muon = o.kind == OptimizerKind::Muon;
  const OptimizerKind usual = muon ? o.rest : o.kind;
  json entry{{"kind", name_of(o.kind)},
             {"learning_rate", o.learning_rate},
             {"weight_decay", o.weight_decay}};
  if (o.norm_weight_decay) entry["norm_weight_decay"] = *o.norm_weight_decay;
  if (usual == OptimizerKind::Sgd) {
    entry["momentum"] = o.momentum;
    entry["nesterov"] = o.nesterov;
  } else {
    entry["beta1"] = o.beta1;
    entry["beta2"] = o.beta2;
    entry["eps"] = o.eps;
  }
  if (!muon) return entry;
  entry["rest"] = name_of(o.rest);
  entry["muon_learning_rate"] = o.muon_learning_rate;
  entry["muon_weight_decay"] = o.muon_weight_decay;
  entry["muon_momentum"] = o.muon_momentum;
  return entry;
}

json schedule_json(const Schedule& schedule) {
  json entry{{"kind", name_of(schedule.kind)}};
  if (schedule.kind != ScheduleKind::OneCycle) entry["warmup_steps"] = schedule.warmup_steps;
  if (schedule.kind != ScheduleKind::Step) return entry;
  entry["drop_every_steps"] = schedule.drop_every;
  entry["drop_factor"] = schedule.drop_factor;
  return entry;
}

json training_json(const TrainRequest& request) {
  const TrainSettings& settings = request.settings;
  json entry{{"batch_size", batch_size_of(request.model).value_or(0)},
             {"accumulation", settings.run.accumulation},
             {"label_smoothing", settings.label_smoothing},
             {"clip_norm", settings.clip_norm},
             {"ema_decay", settings.ema_decay},
             {"precision", name_of(settings.run.precision)},
             {"skip_nan", request.plan.skip_bad_steps}};
  if (const auto* const t = std::get_if<TransformerSpec>(&request.model))
    entry["context_length"] = t->context_length;
  else
    entry["image_size"] = std::get<ResNetSpec>(request.model).image_size;
  return entry;
}

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

json recipe_json(const TrainFlags& flags, const TrainSetup& setup, const TrainRequest& request) {
  const RunSettings& run = request.settings.run;
  json recipe{
      {"model", model_json(request.model)},
      {"data", data_json(flags.data, setup)},
      {"optimizer", optimizer_json(setup.optimizer)},
      {"schedule", schedule_json(request.schedule)},
      {"training", training_json(request)},
      {"length",
       {{"steps", request.plan.total_steps}, {"steps_per_epoch", request.plan.steps_per_epoch}}},
      {"run",
       {{"mode", name_of(run.mode)},
        {"kernels", name_of(run.kernels)},
        {"channels_last", run.channels_last},
        {"activation_checkpointing", run.activation_checkpointing},
        {"deterministic", run.deterministic},
        {"cudnn_benchmark", run.cudnn_benchmark},
        {"mirror_test", request.settings.mirror_test},
        {"save_every_epochs", request.save.every_epochs},
        {"save_seconds", request.save.pause.count()}}}};
  recipe["data"]["content"] = request.facts.data;
  if (setup.epochs > 0) recipe["length"]["epochs"] = setup.epochs;
  if (request.plan.until_accuracy)
    recipe["length"]["until_accuracy"] = *request.plan.until_accuracy;
  if (request.weights) recipe["model"]["weights"] = request.weights->string();
  if (request.resume) recipe["model"]["resumed_from"] = request.resume->string();
  if (setup.images)
    recipe["loader"] = {{"workers", setup.loader.workers},
                        {"prefetch", setup.loader.prefetch},
                        {"persistent_workers", setup.loader.persistent_workers},
                        {"pin_memory", flags.data.pin_memory}};
  return recipe;
}

std::vector<std::pair<std::string, std::string>> architecture_of(const ModelSpec& model) {
  std::vector<std::pair<std::string, std::string>> lines;
  const json described = model_json(model);
  for (const auto& [name, value] : described.items()) {
    if (name != "label") lines.emplace_back(name, text_of(value));  // a name, compared apart
  }
  return lines;
}

std::vector<std::pair<std::string, std::string>> exact_recipe(const json& recipe) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const char* part : {"data", "optimizer", "schedule", "training"}) {
    for (const auto& [name, value] : recipe.at(part).items()) {
      // The same files may lie elsewhere today; what they hold is compared apart.
      if (name == "source" || name == "file" || name == "content") continue;
      lines.emplace_back(std::string(part) + "." + name, text_of(value));
    }
  }
  // Compared with and without a mirror image accuracies would make a false best.
  if (recipe.at("run").at("mirror_test").get<bool>())
    lines.emplace_back("run.mirror_test", "true");  // files from before this was kept do not say
  return lines;
}

HParams hyperparameters(const TrainSetup& setup, const TrainRequest& request) {
  const OptimizerOptions& o = setup.optimizer;
  HParams all{{"model", request.facts.model},
              {"optimizer", std::string(name_of(o.kind))},
              {"learning_rate", o.learning_rate},
              {"weight_decay", o.weight_decay},
              {"schedule", std::string(name_of(setup.schedule.kind))},
              {"warmup_steps", static_cast<double>(setup.schedule.warmup_steps)},
              {"batch_size", static_cast<double>(batch_size_of(request.model).value_or(0))},
              {"accumulation", static_cast<double>(setup.run.accumulation)},
              {"steps", static_cast<double>(request.plan.total_steps)},
              {"precision", std::string(name_of(setup.run.precision))},
              {"mode", std::string(name_of(setup.run.mode))},
              {"label_smoothing", request.settings.label_smoothing},
              {"clip_norm", request.settings.clip_norm},
              {"ema_decay", request.settings.ema_decay},
              {"seed", static_cast<double>(setup.run.seed)}};
  if (setup.epochs > 0) all.emplace_back("epochs", static_cast<double>(setup.epochs));
  if (setup.images) {
    all.emplace_back("transform", geometry_word(setup.train_transform));
    all.emplace_back("cutout", static_cast<double>(setup.train_transform.cutout));
  }
  if (setup.hold_out > 0)
    all.emplace_back(setup.images ? "held_out_images" : "held_out_tokens",
                     static_cast<double>(setup.hold_out));
  const bool muon = o.kind == OptimizerKind::Muon;
  if ((muon ? o.rest : o.kind) == OptimizerKind::Sgd) all.emplace_back("momentum", o.momentum);
  if (!muon) return all;
  all.emplace_back("rest_optimizer", std::string(name_of(o.rest)));
  all.emplace_back("muon_learning_rate", o.muon_learning_rate);
  all.emplace_back("muon_weight_decay", o.muon_weight_decay);
  all.emplace_back("muon_momentum", o.muon_momentum);
  return all;
}

}  // namespace ridgeline
