#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/session.h"
#include "cli/train_data.h"
#include "cli/train_setup.h"
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

TrainFlags as_training(const EvalFlags& flags) {
  TrainFlags train;
  train.common = flags.common;
  train.workload = flags.workload;
  train.data = flags.data;
  train.precision = flags.precision;
  if (train.workload.batch_sizes.empty()) train.workload.batch_sizes = {fmt::format("{}", kBatch)};
  return train;
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

int run_eval(const EvalFlags& flags) {
  const TrainFlags train = as_training(flags);
  const TrainSetup planned = resolve(train, wanted_device(flags.common.device));
  if (!planned.images) throw bad_input("eval measures the accuracy of image classifiers");
  if (flags.dry_run) {
    fmt::print("{} with {} on {}\n", flags.workload.model, flags.weights.string(), flags.data.data);
    return kExitOk;
  }
  if (!std::filesystem::exists(flags.weights))
    throw bad_input(fmt::format("{}: no such file", flags.weights.string()));
  const Session session = open_session(flags.common);
  TrainSetup setup = resolve(train, session.device);
  const bool says = talks(flags.common);
  const ImageData data = open_data(flags.data, says);
  auto& model = std::get<ResNetSpec>(setup.model);
  model.num_classes = static_cast<long>(data.test->classes().size());
  setup.loader.shuffle = false;
  setup.loader.drop_last = false;
  require_fitting_images(*data.test, setup.test_transform);
  const Transform transform(setup.test_transform);
  Loader loader(*data.test, transform, setup.loader);
  const TrainSettings settings{.run = setup.run,
                               .optimizer = setup.optimizer,
                               .mirror_test = flags.mirror_test,
                               .normalisation = setup.test_transform.normalisation,
                               .learning_rates = {0.F}};
  const auto trainer = make_trainer(session.engine, setup.model, settings);
  const LoadedWeights loaded = load_weights(*trainer, flags.weights, [&](const std::string& line) {
    if (says) fmt::print("{}\n", line);
  });
  if (!loaded.reinitialised.empty())
    throw bad_input(fmt::format("{}: its head is for another number of classes than the data's {}",
                                flags.weights.string(), model.num_classes));
  const auto score = evaluate(*trainer, loader, transform, [] { return interrupted(); });
  if (!score) throw Error(Fault::Io, "interrupted before all images were judged");
  if (flags.logits) {
    trainer->begin_evaluation();
    const std::size_t wanted = flags.first > 0 ? flags.first : data.test->size();
    write_file_atomically(*flags.logits,
                          to_csv(logits_table(*trainer, loader, transform, *data.test, wanted)));
    trainer->end_evaluation();
  }
  const double accuracy = score->accuracy.value_or(0);
  const double rate = static_cast<double>(score->samples) / score->time.count();
  if (flags.common.json) {
    fmt::print("{}\n", json{{"model", model.label},
                            {"weights", flags.weights.string()},
                            {"data", data.description},
                            {"samples", score->samples},
                            {"accuracy_percent", accuracy},
                            {"loss", score->loss ? json(*score->loss) : json(nullptr)},
                            {"samples_per_s", rate},
                            {"time_s", score->time.count()}}
                           .dump(2));
  } else {
    fmt::print("{}: accuracy {:.2f} % ({} of {} images), loss {}, {:.1f} images/s\n", model.label,
               accuracy,
               static_cast<std::int64_t>(
                   std::lround(accuracy / 100 * static_cast<double>(score->samples))),
               score->samples, score->loss ? fmt::format("{:.4f}", *score->loss) : "not finite",
               rate);
  }
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
  command->add_option("--logits", flags->logits, "write index, label and logits as CSV")
      ->type_name("FILE")
      ->group("Output");
  command->add_option("--first", flags->first, "of so many images only (0: all)")
      ->capture_default_str()
      ->group("Output");
  command->add_flag("--dry-run", flags->dry_run, "check the flags, and stop")->group("Run");
  add_common_flags(*command, flags->common);
  // It leaves no run, so there is nothing that these could name.
  for (const char* flag : {"--csv", "--markdown", "--out", "--strict"})
    command->remove_option(command->get_option(flag));
  command->get_option("--json")->description("print the result as JSON");
  command->callback([flags, &line] { line.chosen = [flags] { return run_eval(*flags); }; });
}

}  // namespace ridgeline
