#include "cli/train_refusals.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "engine/settings.h"
#include "profile/op_table.h"
#include "train/trainer.h"

namespace ridgeline {

void refuse_foreign_flags(const TrainFlags& flags, bool images) {
  const auto check = [&](const char* flag, bool given, bool understood) {
    if (given && !understood)
      throw bad_input(fmt::format("{} means nothing to {}", flag, flags.workload.model));
  };
  check("--epochs", flags.epochs.has_value(), images);
  check("--transform", flags.data.transform.has_value(), images);
  check("--alternate-flip", flags.data.alternate_flip, images);
  check("--cutout", flags.data.cutout > 0, images);
  check("--padding", flags.data.padding.has_value(), images);
  check("--padding-mode", flags.data.padding_mode.has_value(), images);
  check("--mirror-test", flags.mirror_test, images);
  check("--hold-out", flags.data.hold_out > 0, images || flags.data.text || flags.data.tokens);
  check("--mean", !flags.data.mean.empty(), images);
  check("--std", !flags.data.std.empty(), images);
  check("--synthetic-images", flags.data.synthetic_images > 0, images);
  // Flags of the loader; where their default is given they change nothing.
  const DataFlags usual;
  check("--workers", flags.data.workers != usual.workers, images);
  check("--prefetch", flags.data.prefetch != usual.prefetch, images);
  check("--no-shuffle", !flags.data.shuffle, images);
  check("--no-drop-last", !flags.data.drop_last, images);
  check("--no-pin-memory", !flags.data.pin_memory, images);
  check("--no-persistent-workers", !flags.data.persistent_workers, images);
  check("--augment", flags.data.augment != DataFlags{}.augment, images);
  check("--until-accuracy", flags.until_accuracy.has_value(), images);
  check("--label-smoothing", flags.label_smoothing > 0, images);
  check("--data", flags.data.data != DataFlags{}.data, images);
  check("--text", flags.data.text.has_value(), !images);
  check("--tokens", flags.data.tokens.has_value(), !images);
  if (flags.data.augment != "cpu" && flags.data.augment != "gpu")
    throw bad_input(unknown_word("--augment", flags.data.augment, {"cpu", "gpu"}));
  if (flags.data.text && flags.data.tokens)
    throw bad_input("--text and --tokens: only one can be trained on");
  if (flags.data.tokens && flags.data.tokens->extension() != ".bin")
    throw bad_input("--tokens wants a .bin file of 16-bit little-endian tokens");
}

void refuse_profiling_conflicts(const TrainFlags& flags) {
  if (!flags.sort_by.empty()) (void)parse_op_order(flags.sort_by);
  if (!flags.profile_one_step) return;
  const bool records = flags.pytorch_profiler || flags.memory_profiling || flags.all_profiling;
  if (records)
    throw bad_input(
        "--profile-one-step is for a profiler from outside, the --enable-...-profiling flags "
        "record "
        "by themselves: only one can be");
  if (parse_mode(flags.mode) == Mode::Graph && flags.warmup_iters <= kStepsBeforeCapture)
    throw bad_input(
        fmt::format("--warmup-iters {}: --mode graph captures the step after {}, which is not to "
                    "be profiled; {} or more",
                    flags.warmup_iters, kStepsBeforeCapture, kStepsBeforeCapture + 1));
}

void refuse_idle_flags(const TrainFlags& flags, const TrainSetup& setup) {
  const TrainFlags usual;
  const OptimizerOptions& o = setup.optimizer;
  const bool muon = o.kind == OptimizerKind::Muon;
  const bool has_momentum = (muon ? o.rest : o.kind) == OptimizerKind::Sgd;
  if (!has_momentum && (flags.momentum != usual.momentum || flags.nesterov != usual.nesterov))
    throw bad_input(fmt::format("--momentum and --no-nesterov are of sgd, this is {}{}",
                                muon ? "muon beside " : "", name_of(muon ? o.rest : o.kind)));
  const bool drops = flags.drop_every != usual.drop_every || flags.drop_factor != usual.drop_factor;
  if (drops && setup.schedule.kind != ScheduleKind::Step)
    throw bad_input("--lr-drop-every and --lr-drop-factor are for --schedule step");
  const bool counts =
      flags.warmup_iters != usual.warmup_iters || flags.profile_iters != usual.profile_iters;
  if (counts && !flags.profile_one_step)
    throw bad_input("--warmup-iters and --profile-iter are for --profile-one-step");
}

void refuse_endless_runs(std::int64_t epochs, std::int64_t steps_per_epoch) {
  const auto most = static_cast<std::int64_t>(kMostTrainingSteps);
  if (epochs > most / steps_per_epoch)
    throw bad_input(fmt::format("--epochs {}: of {} steps each, a run has {} steps at most", epochs,
                                steps_per_epoch, most));
}

}  // namespace ridgeline
