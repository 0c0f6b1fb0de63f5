#include "cli/train_console.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/format.h"
#include "train/record.h"

namespace ridgeline {
namespace {

constexpr double kMegabyte = 1024.0 * 1024.0;

double percent_of(Seconds part, Seconds whole) {
  return whole.count() > 0 ? 100 * part.count() / whole.count() : 0;
}

// "1:02:05" of what is left.
std::string clock_text(Seconds time) {
  const auto seconds = static_cast<long>(std::max(0.0, time.count()) + 0.5);
  if (seconds >= 3600)
    return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
}

std::string speed_text(const Stretch& stretch) {
  const double rate = samples_per_s(stretch);
  return fmt::format("{:.1f} samples/s", rate);
}

std::string where_time_went(const Stretch& stretch) {
  return fmt::format("data wait {:.1f} %, compute {:.1f} %",
                     percent_of(stretch.data_wait, stretch.wall),
                     percent_of(stretch.compute, stretch.wall));
}

// Nothing is known of steps that were all skipped.
std::string loss_text(std::optional<double> loss) {
  return loss ? fmt::format("{:.4f}", *loss) : "not finite";
}

std::string model_text(const ModelSpec& model) {
  if (const auto* const t = std::get_if<TransformerSpec>(&model)) {
    return fmt::format(
        "{}: vocabulary {}, width {}, {} layers, {} heads ({} for keys and values), feed-forward "
        "{}, context {}",
        t->label, t->vocab_size, t->d_model, t->num_layers, t->num_heads, t->num_kv_heads, t->d_ff,
        t->context_length);
  }
  const auto& r = std::get<ResNetSpec>(model);
  return fmt::format("{}: {} stem, {} classes, images of {}", r.label,
                     r.stem == ResNetSpec::Stem::Cifar ? "3x3" : "7x7", r.num_classes,
                     r.image_size);
}

std::string momentum_text(OptimizerKind kind, const OptimizerOptions& o) {
  if (kind != OptimizerKind::Sgd) return {};
  return fmt::format(", momentum {}{}", o.momentum, o.nesterov ? " (Nesterov)" : "");
}

std::string optimizer_text(const TrainSetup& setup) {
  const OptimizerOptions& o = setup.optimizer;
  const bool muon = o.kind == OptimizerKind::Muon;
  const OptimizerKind usual = muon ? o.rest : o.kind;
  const std::string schedule =
      fmt::format("{}{}", name_of(setup.schedule.kind),
                  setup.schedule.warmup_steps > 0 && setup.schedule.kind != ScheduleKind::OneCycle
                      ? fmt::format(" after {} steps of warm-up", setup.schedule.warmup_steps)
                      : "");
  std::string text;
  if (muon)
    text = fmt::format(
        "muon (hidden matrices), rate {:g} {}, weight decay {:g}, momentum {} (Nesterov)\n"
        "           the rest: ",
        o.muon_learning_rate, schedule, o.muon_weight_decay, o.muon_momentum);
  return text + fmt::format("{}, rate {:g} {}, weight decay {:g}{}{}", name_of(usual),
                            o.learning_rate, muon ? "likewise" : schedule, o.weight_decay,
                            o.norm_weight_decay
                                ? fmt::format(" (norms and biases {:g})", *o.norm_weight_decay)
                                : "",
                            momentum_text(usual, o));
}

std::string speed_lines(const LoopResult& loop, std::int64_t tokens_a_sample) {
  const double rate = samples_per_s(loop.total);
  std::string text = fmt::format("training speed      {:.1f} samples/s", rate);
  if (tokens_a_sample > 0)
    text += fmt::format(" ({:.0f} tokens/s)", rate * static_cast<double>(tokens_a_sample));
  return text + fmt::format("\nfinal loss          {}\n", loss_text(loop.last_loss));
}

std::string time_lines(const Stretch& total) {
  const TrainTimes& times = total.times;
  std::string text = fmt::format("average batch time  {:.2f} ms\n",
                                 1e3 * total.wall.count() / static_cast<double>(total.steps));
  if (times.phase_steps > 0) {
    const auto phases = static_cast<double>(times.phase_steps);
    text +=
        fmt::format("                    forward {:.2f}, backward {:.2f}, optimizer {:.2f} ms\n",
                    1e3 * times.forward.count() / phases, 1e3 * times.backward.count() / phases,
                    1e3 * times.optimizer.count() / phases);
  }
  return text + fmt::format("where time went     {}\n", where_time_went(total));
}

}  // namespace

std::string configuration_text(const TrainSetup& setup, const LoopPlan& plan,
                               const std::string& data) {
  const auto parameters = parameter_count(setup.model);
  const long batch = batch_size_of(setup.model).value_or(0);
  std::string text = fmt::format("model      {}\n", model_text(setup.model));
  text += fmt::format("           {} parameters ({} in fp32)\n", parameters.value_or(0),
                      format_bytes(Bytes{4.0 * static_cast<double>(parameters.value_or(0))}));
  text += fmt::format("data       {}\n", data);
  text += fmt::format("optimizer  {}\n", optimizer_text(setup));
  text += fmt::format("run        {}, {}, {} mode, {} kernels, seed {}\n",
                      name_of(setup.run.device), name_of(setup.run.precision),
                      name_of(setup.run.mode), name_of(setup.run.kernels), setup.run.seed);
  text += fmt::format(
      "           batch {}{}", batch,
      setup.run.accumulation > 1 ? fmt::format(" x {} accumulated", setup.run.accumulation) : "");
  if (setup.epochs > 0)
    text += fmt::format(", {} epoch{}", setup.epochs, setup.epochs == 1 ? "" : "s");
  if (plan.total_steps > 0) text += fmt::format(", {} steps", plan.total_steps);
  if (setup.images)
    text += fmt::format(", {} loader thread{}", setup.loader.workers,
                        setup.loader.workers == 1 ? "" : "s");
  text += '\n';
  for (const std::string& remark : setup.remarks) text += fmt::format("note       {}\n", remark);
  return text;
}

std::string step_line(const StepReport& report, const LoopPlan& plan, bool images) {
  const Stretch& stretch = report.stretch;
  std::string line =
      fmt::format("step {}/{}  loss {}", report.step, plan.total_steps, loss_text(stretch.loss));
  if (images && stretch.accuracy) line += fmt::format("  acc {:.2f} %", *stretch.accuracy);
  line += fmt::format(
      "  lr {:.3g}  {}  {:.1f} ms  {}  {:.0f} MB  ETA {}", report.learning_rate,
      speed_text(stretch),
      1e3 * stretch.wall.count() / static_cast<double>(std::max<std::int64_t>(1, stretch.steps)),
      where_time_went(stretch), report.memory.current.count / kMegabyte, clock_text(report.eta));
  if (stretch.bad_steps > 0)
    line += fmt::format("  ({} step{} skipped: loss not finite)", stretch.bad_steps,
                        stretch.bad_steps == 1 ? "" : "s");
  return line;
}

std::string epoch_line(const EpochReport& report, const LoopPlan& plan, std::string_view judged) {
  const std::int64_t epochs = (plan.total_steps + plan.steps_per_epoch - 1) / plan.steps_per_epoch;
  std::string line = fmt::format("epoch {}/{}  train loss {}", report.epoch + 1, epochs,
                                 loss_text(report.training.loss));
  // Of tokens nothing counts hits.
  const bool classifies = !report.test || report.test->accuracy;
  if (report.training.accuracy && classifies)
    line += fmt::format(" acc {:.2f} %", *report.training.accuracy);
  if (report.test) {
    line += fmt::format("  {} loss {}", judged, loss_text(report.test->loss));
    if (report.test->loss && report.test->accuracy)
      line += fmt::format(" acc {:.2f} %", *report.test->accuracy);
    if (report.best) line += " (best)";
  }
  const bool stepped = report.training.steps > 0;  // not where only its test was made up
  if (stepped) line += fmt::format("  {}", format_seconds(report.training.wall));
  if (report.test)
    line +=
        fmt::format("{}{} {}", stepped ? " + " : "  ", format_seconds(report.test->time), judged);
  return stepped ? line + fmt::format("  {}", where_time_went(report.training)) : line;
}

std::string closing_text(const TrainOutcome& outcome, const TrainSetup& setup,
                         std::int64_t tokens_a_sample) {
  const Stretch& total = outcome.loop.total;
  const bool stepped = total.steps > 0;  // not where only a test or the last file was missing
  std::string text = fmt::format("\nTraining {} after {} steps\n", name_of(outcome.loop.end),
                                 outcome.loop.state.step);
  if (stepped) text += speed_lines(outcome.loop, tokens_a_sample);
  if (setup.images && outcome.loop.state.best_accuracy >= 0)
    text += fmt::format("{:<20}{:.2f} %\n",
                        setup.hold_out > 0 ? "best held-out acc." : "best test accuracy",
                        outcome.loop.state.best_accuracy);
  if (outcome.loop.state.best_loss)
    text += fmt::format("best held-out loss  {:.4f}\n", *outcome.loop.state.best_loss);
  if (stepped) text += time_lines(total);
  text += fmt::format("peak memory         {}\n", format_bytes(outcome.memory.peak));
  return text;
}

}  // namespace ridgeline
