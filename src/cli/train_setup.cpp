#include "cli/train_setup.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "cli/train_refusals.h"
#include "core/error.h"
#include "models/update_cost.h"

namespace ridgeline {
namespace {

// The source workflows' recipes: S4 for images, S1 for language models.
struct Recipe {
  double learning_rate;
  double weight_decay;
  const char* schedule;
  std::int64_t warmup;
};
constexpr Recipe kImageRecipe{0.1, 5e-4, "cosine", 500};
constexpr Recipe kTokenRecipe{3e-4, 0.01, "constant", 0};
constexpr std::int64_t kImageEpochs = 80;
constexpr std::int64_t kTokenSteps = 50;
constexpr long kImageBatch = 128;
constexpr int kImageSize = 32;

ModelSpec one_model(const TrainFlags& flags) {
  if (flags.workload.model.empty())
    throw bad_input("train what? for example: ridgeline train resnet18 --data synthetic");
  const auto models = models_of(flags.workload);
  if (models.size() != 1)
    throw bad_input(fmt::format("one model is trained at a time, these are {}", models.size()));
  ModelSpec model = models.front();
  if (!std::holds_alternative<ResNetSpec>(model) && !std::holds_alternative<TransformerSpec>(model))
    throw bad_input(fmt::format("{} cannot be trained", flags.workload.model));
  if (auto* const resnet = std::get_if<ResNetSpec>(&model)) {
    if (flags.workload.batch_sizes.empty()) resnet->batch_size = kImageBatch;
    if (flags.workload.image_sizes.empty())
      resnet->image_size = transform_size(flags.data).value_or(kImageSize);
  }
  return model;
}

RunSettings run_settings(const TrainFlags& flags, const ModelSpec& model, const Device& device,
                         std::vector<std::string>& remarks) {
  RunSettings run;
  run.device = device;
  run.extent = Extent::Step;
  run.mode = parse_mode(flags.mode);
  const bool on_gpu = device.kind == DeviceKind::Cuda;
  if (flags.workload.amp && !on_gpu)
    remarks.emplace_back("--amp is ignored on a CPU: half precision is no faster there");
  const bool amp = flags.workload.amp && on_gpu;
  run.precision = !flags.precision.empty() ? parse_precision(flags.precision)
                  : amp                    ? Precision::Fp16
                                           : Precision::Fp32;
  run.channels_last = wants_channels_last(flags.workload, model);
  run.activation_checkpointing = flags.workload.checkpointing;
  run.deterministic = flags.workload.deterministic;
  run.cudnn_benchmark = flags.workload.cudnn_benchmark;
  run.accumulation = flags.workload.accumulation;
  run.threads = flags.common.threads;
  run.seed = flags.common.seed;
  run.kernels = kernels_for(flags.kernels, device, run.mode);
  if (run.kernels == Kernels::Fused && !on_gpu) {
    remarks.emplace_back("--kernels fused: a CPU has none, its plain ones are used");
    run.kernels = Kernels::Plain;
  }
  return run;
}

Normalisation normalisation_of(const DataFlags& flags, const ResNetSpec& model) {
  // The published weights of the CIFAR family were trained with ImageNet's numbers.
  Normalisation result = model.family == ResNetSpec::Family::CifarOptionA ? kImageNetNormalisation
                                                                          : kCifarNormalisation;
  if (model.image_size > kImageSize) result = kImageNetNormalisation;
  if (!flags.mean.empty()) std::ranges::copy(flags.mean, result.mean.begin());
  if (!flags.std.empty()) std::ranges::copy(flags.std, result.std.begin());
  if (std::ranges::any_of(result.std, [](float value) { return !(value > 0); }))
    throw bad_input("--std: each must be above zero");
  return result;
}

OptimizerOptions optimizer_options(const TrainFlags& flags, const Recipe& recipe,
                                   OptimizerKind usual) {
  OptimizerOptions options{
      .kind = flags.optimizer ? parse_optimizer(*flags.optimizer) : usual,
      .learning_rate = flags.learning_rate.value_or(recipe.learning_rate),
      .weight_decay = flags.weight_decay.value_or(recipe.weight_decay),
      .norm_weight_decay = flags.norm_weight_decay,
      .momentum = flags.momentum,
      .nesterov = flags.nesterov && flags.momentum > 0,
      .rest = usual,
  };
  const bool muon_is_set =
      flags.muon_learning_rate || flags.muon_weight_decay || flags.muon_momentum;
  if (muon_is_set && options.kind != OptimizerKind::Muon)
    throw bad_input("--muon-lr, --muon-decay and --muon-momentum are for --optimizer muon");
  options.muon_learning_rate = flags.muon_learning_rate.value_or(options.muon_learning_rate);
  options.muon_weight_decay = flags.muon_weight_decay.value_or(options.muon_weight_decay);
  options.muon_momentum = flags.muon_momentum.value_or(options.muon_momentum);
  constexpr double kHighestRate = std::numeric_limits<float>::max();
  if (!(options.muon_learning_rate > 0) || options.muon_learning_rate > kHighestRate)
    throw bad_input(fmt::format("--muon-lr {}: must be above zero and at most {:.3g}",
                                options.muon_learning_rate, kHighestRate));
  return options;
}

}  // namespace

std::optional<int> transform_size(const DataFlags& flags) {
  if (!flags.transform || *flags.transform == "none") return std::nullopt;
  return parse_transform(*flags.transform).size;
}

TransformPair resolve_transforms(const DataFlags& flags, const ResNetSpec& model,
                                 const Device& device) {
  const auto size = static_cast<int>(model.image_size);
  TransformPair pair;
  pair.train = parse_transform(
      flags.transform.value_or(size == kImageSize ? "crop32" : fmt::format("rrc{}", size)));
  const bool copies = pair.train.geometry == TransformOptions::Geometry::None;
  if (copies) pair.train.size = size;
  // Unasked no pieces are cut out of photographs.
  pair.train.sizes = copies || !flags.transform ? TransformOptions::Sizes::Exactly
                                                : TransformOptions::Sizes::AtLeast;
  if (pair.train.size != size)
    throw bad_input(fmt::format("--transform {} makes images of {}, --image-size says {}",
                                *flags.transform, pair.train.size, size));
  if (flags.cutout > size)
    throw bad_input(fmt::format("--cutout {}: images are {} pixels a side", flags.cutout, size));
  pair.train.cutout = flags.cutout;
  if ((flags.padding || flags.padding_mode) &&
      pair.train.geometry != TransformOptions::Geometry::RandomCrop)
    throw bad_input("--padding and --padding-mode are for crops (--transform cropN)");
  if (flags.padding) pair.train.padding = *flags.padding;
  if (flags.padding_mode) pair.train.border = parse_border(*flags.padding_mode);
  if (flags.alternate_flip && !(pair.train.flip > 0))
    throw bad_input("--alternate-flip: this transform flips nothing");
  pair.train.alternate_flip = flags.alternate_flip;
  pair.train.normalisation = normalisation_of(flags, model);
  // Bytes cross to a GPU in a quarter of the time; there they are normalised as they arrive.
  pair.train.output = device.kind == DeviceKind::Cuda ? TransformOptions::Output::Bytes
                                                      : TransformOptions::Output::Float;
  pair.test = pair.train;
  pair.test.flip = 0;
  pair.test.cutout = 0;
  using Geometry = TransformOptions::Geometry;
  if (pair.train.geometry == Geometry::RandomCrop) {
    pair.test.geometry = Geometry::CenterCrop;
    pair.test.border = Border::Zeros;
  }
  if (pair.train.geometry == Geometry::RandomResizedCrop) {
    pair.test.geometry = Geometry::ResizeCenterCrop;
    pair.test.resize = size * 256 / 224;
  }
  return pair;
}

std::string_view judged(const TrainSetup& setup) {
  return setup.hold_out > 0 ? "held-out" : "test";
}

TrainSetup resolve(const TrainFlags& flags, const Device& device) {
  TrainSetup setup;
  setup.model = one_model(flags);
  const auto* const resnet = std::get_if<ResNetSpec>(&setup.model);
  setup.images = resnet != nullptr;
  setup.label = label_of(setup.model);
  if (!setup.label.starts_with(flags.workload.model))
    setup.label = flags.workload.model + "-" + setup.label;
  setup.hold_out = flags.data.hold_out;
  setup.classes_given = flags.workload.num_classes.has_value();
  setup.vocab_given = flags.workload.vocab_size.has_value();
  refuse_foreign_flags(flags, setup.images);
  refuse_profiling_conflicts(flags);
  setup.run = run_settings(flags, setup.model, device, setup.remarks);
  const Recipe& recipe = setup.images ? kImageRecipe : kTokenRecipe;
  setup.optimizer = optimizer_options(flags, recipe, usual_optimizer(setup.model));
  setup.run.optimizer = setup.optimizer.kind;
  setup.schedule = {.kind = parse_schedule(flags.schedule.value_or(recipe.schedule)),
                    .peak = setup.optimizer.learning_rate,
                    .warmup_steps = flags.warmup.value_or(recipe.warmup),
                    .drop_factor = flags.drop_factor};
  if (setup.schedule.kind == ScheduleKind::OneCycle && flags.warmup)
    throw bad_input("--warmup means nothing to --schedule one-cycle, which rises by itself");
  refuse_idle_flags(flags, setup);
  setup.drop_every = flags.drop_every;
  if (!(flags.drop_factor > 0) || !std::isfinite(flags.drop_factor))
    throw bad_input(fmt::format("--lr-drop-factor {}: must be above zero", flags.drop_factor));
  if (flags.mirror_test)
    setup.remarks.push_back(fmt::format(
        "{} accuracy is that of an image and its mirror image together", judged(setup)));
  if (flags.workload.amp && !flags.precision.empty())
    setup.remarks.emplace_back("--precision is given, so --amp changes nothing");
  if (setup.schedule.kind == ScheduleKind::Step && flags.drop_every < 1)
    throw bad_input("--schedule step needs --lr-drop-every N");
  if (setup.images && !flags.steps) setup.epochs = flags.epochs.value_or(kImageEpochs);
  if (flags.steps && flags.epochs)
    throw bad_input("--epochs and --steps: only one says when to end");
  setup.schedule.total_steps = flags.steps.value_or(kTokenSteps);
  if (resnet != nullptr) {
    const TransformPair pair = resolve_transforms(flags.data, *resnet, device);
    setup.train_transform = pair.train;
    setup.test_transform = pair.test;
    setup.loader = {.batch_size = static_cast<std::size_t>(resnet->batch_size),
                    .workers = flags.data.workers,
                    .prefetch = flags.data.prefetch,
                    .shuffle = flags.data.shuffle,
                    .drop_last = flags.data.drop_last,
                    .persistent_workers = flags.data.persistent_workers,
                    .seed = flags.common.seed};
    setup.augment_on_device = flags.data.augment == "gpu";
    if (setup.augment_on_device && device.kind != DeviceKind::Cuda)
      throw bad_input("--augment gpu: a CPU makes its batches in the loader");
    if (setup.augment_on_device && !flags.data.drop_last)
      throw bad_input("--augment gpu needs batches of one size: leave --drop-last on");
    if (setup.run.mode == Mode::Graph && !flags.data.drop_last)
      throw bad_input("--mode graph needs batches of one size: leave --drop-last on");
  }
  validate(Schedule{.kind = setup.schedule.kind,
                    .peak = setup.schedule.peak,
                    .total_steps = setup.schedule.total_steps,
                    .warmup_steps = setup.schedule.warmup_steps,
                    .drop_every = std::max<std::int64_t>(1, setup.drop_every)});
  return setup;
}

}  // namespace ridgeline
