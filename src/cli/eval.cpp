#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/session.h"
#include "cli/train_data.h"
#include "cli/train_setup.h"
#include "cli/train_weights.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "core/format.h"
#include "core/interrupt.h"
#include "report/csv.h"

namespace ridgeline {
namespace {

using nlohmann::json;

constexpr const char* kExamples = R"(Examples:
  ridgeline eval resnet18 --weights artifacts/resnet18_best.pt --data cifar10
  ridgeline eval resnet20 --weights resnet20.safetensors --data cifar10 --logits logits.csv)";

struct EvalFlags {
  CommonFlags common;
  WorkloadFlags workload;
  DataFlags data;
  std::filesystem::path weights;
  std::string precision = "fp32";
  std::optional<std::filesystem::path> logits;
  bool mirror_test = false;
  std::size_t first = 0;  // images whose logits are written; 0: all
  bool dry_run = false;
};

constexpr long kBatch = 256;

bool to_standard_output(const EvalFlags& flags) { return flags.logits && *flags.logits == "-"; }
bool says(const EvalFlags& flags) { return talks(flags.common) && !to_standard_output(flags); }

struct Judged {
  std::string model{};
  std::string data{};
  Score score{};
};

TrainFlags as_training(const EvalFlags& flags) {
  TrainFlags train;
  train.common = flags.common;
  train.workload = flags.workload;
  train.data = flags.data;
  train.precision = flags.precision;
  if (train.workload.batch_sizes.empty()) train.workload.batch_sizes = {fmt::format("{}", kBatch)};
  return train;
}

// The numbers that the weights were trained with, where the file has them and nobody gave others.
void take_over_normalisation(const EvalFlags& flags, DataFlags& data) {
  if (!data.mean.empty() && !data.std.empty()) return;
  const auto kept = kept_normalisation(flags.weights);
  if (!kept) return;
  if (data.mean.empty()) data.mean.assign(kept->mean.begin(), kept->mean.end());
  if (data.std.empty()) data.std.assign(kept->std.begin(), kept->std.end());
  if (says(flags)) fmt::print("normalised as in training: {}\n", text_of(*kept));
}

ImageData data_to_judge(const EvalFlags& flags) {
  ImageData data = open_data(flags.data, says(flags), {.to_judge = true});
  if (!says(flags)) return data;
  fmt::print("data       {}: {} test images, {} classes\n", data.description, data.test->size(),
             data.test->classes().size());
  if (!data.note.empty()) fmt::print("note       {}\n", data.note);
  return data;
}

CsvTable logits_table(Trainer& trainer, Loader& loader, const Transform& transform,
                      const ImageSet& images, std::size_t wanted) {
  CsvTable table{.header = {"index", "label"}, .rows = {}};
  for (std::size_t c = 0; c < images.classes().size(); ++c)
    table.header.push_back(fmt::format("logit_{}", c));
  loader.start_epoch(0);
  std::size_t index = 0;
  while (const auto batch = loader.next()) {
    const std::vector<float> logits = trainer.predict(host_batch(*batch, transform.options()));
    const std::size_t width = logits.size() / batch->count;
    for (std::size_t i = 0; i < batch->count && index < wanted; ++i, ++index) {
      std::vector<std::string> row{fmt::format("{}", index), fmt::format("{}", batch->labels[i])};
      for (std::size_t c = 0; c < width; ++c)
        row.push_back(fmt::format("{:.6f}", logits[i * width + c]));
      table.rows.push_back(std::move(row));
    }
    loader.release(*batch);
    if (index >= wanted) break;
  }
  return table;
}

// Error before anything is measured.
void require_usable(const EvalFlags& flags) {
  if (!std::filesystem::exists(flags.weights))
    throw bad_input(fmt::format("{}: no such file", flags.weights.string()));
  if (flags.first > 0 && !flags.logits) throw bad_input("--first is for --logits");
  if (!flags.logits) return;
  if (!to_standard_output(flags)) return require_writable_file(*flags.logits);
  if (flags.common.json)
    throw bad_input("--json and --logits - both want standard output: name a file for one");
}

std::string text_of(const Judged& judged) {
  const Score& score = judged.score;
  const double accuracy = score.accuracy.value_or(0);
  return fmt::format(
      "{}: accuracy {:.2f} % ({} of {} images), loss {}, {:.1f} images/s\n", judged.model, accuracy,
      static_cast<std::int64_t>(std::lround(accuracy / 100 * static_cast<double>(score.samples))),
      score.samples, score.loss ? fmt::format("{:.4f}", *score.loss) : "not finite",
      static_cast<double>(score.samples) / score.time.count());
}

json json_of(const Judged& judged, const EvalFlags& flags) {
  const Score& score = judged.score;
  return {{"model", judged.model},
          {"weights", flags.weights.string()},
          {"data", judged.data},
          {"samples", score.samples},
          {"accuracy_percent", score.accuracy.value_or(0)},
          {"loss", score.loss ? json(*score.loss) : json(nullptr)},
          {"samples_per_s", static_cast<double>(score.samples) / score.time.count()},
          {"time_s", score.time.count()}};
}

// Before the logits, whose file may still fail.
void show(const Judged& judged, const EvalFlags& flags) {
  if (flags.common.json)
    fmt::print("{}\n", json_of(judged, flags).dump(2));
  else
    fmt::print(to_standard_output(flags) ? stderr : stdout, "{}", text_of(judged));
  std::fflush(stdout);
}

void write_logits(const std::filesystem::path& file, const CsvTable& table) {
  if (file == "-")
    fmt::print("{}", to_csv(table));
  else
    write_file_atomically(file, to_csv(table));
}

std::unique_ptr<Trainer> trainer_with_weights(const Session& session, const TrainSetup& setup,
                                              const EvalFlags& flags) {
  const TrainSettings settings{.run = setup.run,
                               .optimizer = setup.optimizer,
                               .mirror_test = flags.mirror_test,
                               .normalisation = setup.test_transform.normalisation,
                               .learning_rates = {0.F}};
  auto trainer = make_trainer(session.engine, setup.model, settings);
  const LoadedWeights loaded = load_weights(*trainer, flags.weights, [&](const std::string& line) {
    if (says(flags)) fmt::print("{}\n", line);
  });
  if (!loaded.reinitialised.empty())
    throw bad_input(fmt::format("{}: its head is for another number of classes than the data's {}",
                                flags.weights.string(),
                                std::get<ResNetSpec>(setup.model).num_classes));
  return trainer;
}

int run_eval(const EvalFlags& flags) {
  TrainFlags train = as_training(flags);
  const TrainSetup planned = resolve(train, wanted_device(flags.common.device));
  if (!planned.images) throw bad_input("eval measures the accuracy of image classifiers");
  if (flags.dry_run) {
    fmt::print("{} with {} on {}\n", flags.workload.model, flags.weights.string(), flags.data.data);
    return kExitOk;
  }
  require_usable(flags);
  const Session session = open_session(flags.common);
  const ImageData data = data_to_judge(flags);
  take_over_normalisation(flags, train.data);
  TrainSetup setup = resolve(train, session.device);
  auto& model = std::get<ResNetSpec>(setup.model);
  model.num_classes = static_cast<long>(data.test->classes().size());
  setup.loader.shuffle = false;
  setup.loader.drop_last = false;
  require_fitting_images(*data.test, setup.test_transform);
  const Transform transform(setup.test_transform);
  Loader loader(*data.test, transform, setup.loader);
  const auto trainer = trainer_with_weights(session, setup, flags);
  const auto score = evaluate(*trainer, loader, transform, [] { return interrupted(); });
  if (!score) throw Error(Fault::Io, "interrupted before all images were judged");
  show({.model = model.label, .data = data.description, .score = *score}, flags);
  if (!flags.logits) return kExitOk;
  trainer->begin_evaluation();
  const std::size_t wanted = flags.first > 0 ? flags.first : data.test->size();
  write_logits(*flags.logits, logits_table(*trainer, loader, transform, *data.test, wanted));
  trainer->end_evaluation();
  return kExitOk;
}

}  // namespace

void add_eval(CLI::App& app, CommandLine& line) {
  CLI::App* const command = app.add_subcommand("eval", "accuracy of trained weights on a test set");
  command->footer(kExamples);
  const auto flags = std::make_shared<EvalFlags>();
  flags->common.arguments = line.arguments;
  add_model_flags(*command, flags->workload);
  add_data_flags(*command, flags->data);
  command->add_option("--weights", flags->weights, "a checkpoint, .pt, .pth or .safetensors")
      ->required()
      ->group("Model");
  command->add_option("--precision", flags->precision, "fp32, tf32, bf16, fp16, bf16-pure")
      ->capture_default_str()
      ->group("Run");
  command
      ->add_flag("--mirror-test", flags->mirror_test,
                 "the mean of what the model says of an image and of its mirror image")
      ->group("Run");
  command
      ->add_option("--logits", flags->logits,
                   "write index, label and logits as CSV; - is standard output")
      ->type_name("FILE")
      ->group("Output");
  command->add_option("--first", flags->first, "of so many images only (0: all)")
      ->capture_default_str()
      ->group("Output");
  command->add_flag("--dry-run", flags->dry_run, "check the flags, and stop")->group("Run");
  add_common_flags(*command, flags->common);
  // It leaves no run, so there is nothing that the first could name; classes are the data's, and no
  // test augments, copies ahead to a GPU or has a second epoch.
  for (const char* flag :
       {"--csv", "--markdown", "--out", "--strict", "--num-classes", "--cutout", "--padding",
        "--padding-mode", "--alternate-flip", "--pin-memory", "--persistent-workers"})
    command->remove_option(command->get_option(flag));
  command->get_option("--json")->description("print the result as JSON");
  command->get_option("--quiet")->description("print the result alone");
  command->get_option("--mean")->description("of the three channels, 0 to 1 (the checkpoint's)");
  command->get_option("--std")->description("of the three channels (the checkpoint's)");
  command->get_option("--synthetic-images")
      ->description("tested are a fifth of so many synthetic images, as training has them");
  command->callback([flags, &line] { line.chosen = [flags] { return run_eval(*flags); }; });
}

}  // namespace ridgeline
