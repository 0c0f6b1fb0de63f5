#include "cli/train_flags.h"

#include <fmt/format.h>

#include "cli/numbers.h"

namespace ridgeline {
namespace {

constexpr const char* kData = "Data";
constexpr const char* kTraining = "Training";
constexpr const char* kRun = "Run";
constexpr const char* kSaving = "Saving";
constexpr const char* kProfiling = "Profiling";
constexpr std::uint64_t kMostProfiledSteps = 1'000'000;  // and steps before them
constexpr std::uint64_t kMostMicroBatches = 10'000'000;
constexpr double kMostDecay = 1e9;
constexpr double kMostMomentum = 0.9999;  // at 1 nothing new would ever enter it

void add_optimizer_flags(CLI::App& app, TrainFlags& flags) {
  app.add_option("--epochs", flags.epochs, "passes over the data (images: 80)")
      ->check(whole_number(1, kMostEpochs))
      ->group(kTraining);
  app.add_option("--steps,--num-steps", flags.steps, "steps in all (language models: 50)")
      ->check(whole_number(1, kMostTrainingSteps))
      ->group(kTraining);
  app.add_option("--lr,--learning-rate", flags.learning_rate,
                 "the highest rate (images: 0.1, language models: 3e-4)")
      ->group(kTraining);
  app.add_option(
         "--optimizer", flags.optimizer,
         "sgd (images), adam, adamw (language models), muon (hidden matrices; the rest by sgd "
         "or adamw)")
      ->group(kTraining);
  app.add_option("--schedule", flags.schedule,
                 "cosine (images), constant (language models), linear, step, one-cycle")
      ->group(kTraining);
  app.add_option("--warmup", flags.warmup, "steps of linear warm-up of the rate (images: 500)")
      ->check(whole_number(0, kMostTrainingSteps))
      ->group(kTraining);
  app.add_option("--lr-drop-every", flags.drop_every,
                 "for --schedule step: epochs (language models: steps) between drops")
      ->check(whole_number(1, kMostTrainingSteps))
      ->group(kTraining);
  app.add_option("--lr-drop-factor", flags.drop_factor, "for --schedule step")
      ->capture_default_str()
      ->group(kTraining);
  app.add_option("--weight-decay", flags.weight_decay, "(images: 5e-4, language models: 0.01)")
      ->check(number_between(0, kMostDecay))
      ->group(kTraining);
  app.add_option("--norm-weight-decay", flags.norm_weight_decay,
                 "of norms and biases (as of the weights)")
      ->check(number_between(0, kMostDecay))
      ->group(kTraining);
  app.add_option("--momentum", flags.momentum, "of sgd")
      ->check(number_between(0, kMostMomentum))
      ->capture_default_str()
      ->group(kTraining);
  app.add_flag("--nesterov,!--no-nesterov", flags.nesterov, "of sgd; on")->group(kTraining);
}

void add_muon_flags(CLI::App& app, TrainFlags& flags) {
  app.add_option("--muon-lr", flags.muon_learning_rate,
                 "the highest rate of muon's matrices, on the schedule of --lr (0.02)")
      ->group(kTraining);
  app.add_option("--muon-decay", flags.muon_weight_decay, "weight decay of muon's matrices (0.1)")
      ->check(number_between(0, kMostDecay))
      ->group(kTraining);
  app.add_option("--muon-momentum", flags.muon_momentum, "of muon (0.95)")
      ->check(number_between(0, kMostMomentum))
      ->group(kTraining);
}

void add_recipe_flags(CLI::App& app, TrainFlags& flags) {
  app.add_option("--label-smoothing", flags.label_smoothing, "of classifiers")
      ->check(number_between(0, 0.999))
      ->capture_default_str()
      ->group(kTraining);
  app.add_option("--clip-norm", flags.clip_norm, "most that the gradients' norm may be; 0: any")
      ->check(number_between(0, kMostDecay))
      ->capture_default_str()
      ->group(kTraining);
  app.add_flag("--mirror-test", flags.mirror_test,
               "test the mean of what the model says of an image and of its mirror image")
      ->group(kTraining);
  app.add_option("--ema", flags.ema,
                 "decay of a moving average of the weights, used for testing; 0: none")
      ->check(number_between(0, 0.999999))
      ->capture_default_str()
      ->group(kTraining);
  app.add_option("--accumulate", flags.workload.accumulation, "micro-batches a step")
      ->check(whole_number(1, kMostMicroBatches))
      ->capture_default_str()
      ->group(kTraining);
  app.add_option("--until-accuracy", flags.until_accuracy,
                 "stop once the test accuracy is this many percent")
      ->check(number_between(0, 100))
      ->group(kTraining);
  app.add_option("--stop-after", flags.stop_after,
                 "stop after this many epochs (language models: steps) of this session, with a "
                 "checkpoint to resume from")
      ->check(whole_number(1, kMostTrainingSteps))
      ->group(kTraining);
  app.add_flag("--skip-nan", flags.skip_nan,
               "leave out steps whose loss is not finite instead of stopping")
      ->group(kTraining);
}

void add_run_flags(CLI::App& app, TrainFlags& flags) {
  app.add_option("--precision", flags.precision, "fp32, tf32, bf16, fp16, bf16-pure")->group(kRun);
  app.add_flag("--amp,--use-amp", flags.workload.amp,
               "the same as --precision fp16 on a GPU; on a CPU it is ignored")
      ->group(kRun);
  app.add_option("--mode", flags.mode, "eager, graph (the whole step as one CUDA graph)")
      ->capture_default_str()
      ->group(kRun);
  app.add_option("--kernels", flags.kernels, "auto, plain, fused")
      ->capture_default_str()
      ->group(kRun);
  app.add_option("--memory-format", flags.workload.memory_format,
                 "channels-last, contiguous, auto (channels-last for ResNets)")
      ->capture_default_str()
      ->group(kRun);
  app.add_flag("--activation-checkpointing", flags.workload.checkpointing,
               "recompute each block in the backward")
      ->group(kRun);
  app.add_flag("--deterministic", flags.workload.deterministic, "deterministic kernels only")
      ->group(kRun);
  app.add_flag("--cudnn-benchmark", flags.workload.cudnn_benchmark, "let cuDNN try its algorithms")
      ->group(kRun);
}

void add_saving_flags(CLI::App& app, TrainFlags& flags) {
  app.add_option("--out-dir", flags.out_dir,
                 "folder of the checkpoints (default: the resumed one's, else the run folder)")
      ->group(kSaving);
  app.add_option(
         "--weights", flags.weights,
         "start from these: .pt, .pth or .safetensors; imagenet: torchvision's, fetched once")
      ->group(kSaving);
  app.add_option("--resume", flags.resume, "go on from this checkpoint, exactly")->group(kSaving);
  app.add_option("--save-every", flags.save_every,
                 "keep a checkpoint every so many epochs; 0: only best and last")
      ->check(whole_number(0, kMostEpochs))
      ->capture_default_str()
      ->group(kSaving);
  app.add_option("--save-seconds", flags.save_seconds,
                 "save the last state also inside an epoch, after so many seconds; 0: never")
      ->check(number_between(0, 1e9))
      ->capture_default_str()
      ->group(kSaving);
  app.add_option("--report-every", flags.report_every, "steps between two lines")
      ->check(whole_number(1, kMostTrainingSteps))
      ->group(kSaving);
  app.add_flag("--tensorboard,!--no-tensorboard", flags.tensorboard,
               "write TensorBoard events into the run folder; on")
      ->group(kSaving);
}

void add_profiling_flags(CLI::App& app, TrainFlags& flags) {
  app.add_flag("--profile-one-step", flags.profile_one_step,
               "one step between cudaProfilerStart and Stop, for ncu, then end")
      ->group(kProfiling);
  app.add_option("--warmup-iters", flags.warmup_iters, "steps before the profiled one")
      ->check(whole_number(0, kMostProfiledSteps))
      ->capture_default_str()
      ->group(kProfiling);
  app.add_option("--profile-iter", flags.profile_iters, "how many steps are profiled")
      ->check(whole_number(1, kMostProfiledSteps))
      ->capture_default_str()
      ->group(kProfiling);
  app.add_option(
         "--profile-dir", flags.profile_dir,
         "folder of performance_summary.json, TensorBoard's events and traces (default: the "
         "run folder)")
      ->type_name("DIR")
      ->group(kProfiling);
  app.add_flag("--enable-pytorch-profiler", flags.pytorch_profiler,
               "record the ops of some steps: traces, tables, findings")
      ->group(kProfiling);
  app.add_flag("--enable-memory-profiling", flags.memory_profiling, "the same, with allocations")
      ->group(kProfiling);
  app.add_flag("--enable-all-profiling", flags.all_profiling,
               "the same, with allocations and shapes")
      ->group(kProfiling);
  app.add_option("--warmup-steps", flags.profiler_warmup, "steps before profiling")
      ->check(whole_number(0, kMostProfiledSteps))
      ->capture_default_str()
      ->group(kProfiling);
  app.add_option("--profile-steps", flags.profiler_steps, "steps that are profiled")
      ->check(whole_number(1, kMostProfiledSteps))
      ->capture_default_str()
      ->group(kProfiling);
  app.add_option("--sort-by", flags.sort_by,
                 "order of the profile's table: self, total, calls, device")
      ->group(kProfiling);
}

}  // namespace

void add_data_flags(CLI::App& app, DataFlags& flags) {
  app.add_option("--data", flags.data,
                 "a folder or archive of CIFAR-10, an image folder, or synthetic")
      ->capture_default_str()
      ->group(kData);
  app.add_option("--synthetic-images", flags.synthetic_images,
                 "how many training images --data synthetic makes, and a fifth for testing")
      ->check(CLI::Range(1, 1000000))
      ->group(kData);
  app.add_option("--transform", flags.transform, "crop32, rrc224, resize224, center224, none")
      ->group(kData);
  app.add_option("--cutout", flags.cutout, "side of a square that is greyed out at random; 0: none")
      ->check(whole_number(0, 4096))
      ->capture_default_str()
      ->group(kData);
  app.add_option("--padding", flags.padding, "pixels around an image before a crop (4)")
      ->check(whole_number(0, 4096))
      ->group(kData);
  app.add_option("--padding-mode", flags.padding_mode, "what they are: zeros, reflect")
      ->group(kData);
  app.add_flag("--alternate-flip", flags.alternate_flip,
               "flip every image in every other epoch, not at random")
      ->group(kData);
  app.add_option("--mean", flags.mean, "of the three channels, 0 to 1")->expected(3)->group(kData);
  app.add_option("--std", flags.std, "of the three channels")->expected(3)->group(kData);
  app.add_option("--workers", flags.workers, "threads that make batches; 0: the training thread")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str()
      ->group(kData);
  app.add_option("--prefetch", flags.prefetch, "batches ahead, for each worker")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str()
      ->group(kData);
  app.add_flag("--pin-memory,!--no-pin-memory", flags.pin_memory,
               "page-locked buffers, for a GPU; on")
      ->group(kData);
  app.add_flag("--persistent-workers,!--no-persistent-workers", flags.persistent_workers,
               "keep the threads between epochs; on")
      ->group(kData);
  app.add_flag("--offline", flags.offline, "never download what is missing")->group(kData);
  app.add_option("--mirror", flags.mirror, "fetch what is missing from here: a folder, ends in /")
      ->type_name("URL")
      ->group(kData);
}

void add_train_flags(CLI::App& app, TrainFlags& flags) {
  add_model_flags(app, flags.workload);
  app.get_option("model")->required(false);
  app.add_option_function<std::string>(
         "--model",
         [&flags](const std::string& word) {
           if (!flags.workload.model.empty() && flags.workload.model != word)
             throw CLI::ValidationError(
                 "--model",
                 fmt::format("{}, but the model named first is {}", word, flags.workload.model));
           flags.workload.model = word;
         })
      ->group("");
  add_data_flags(app, flags.data);
  app.add_flag("--drop-last,!--no-drop-last", flags.data.drop_last,
               "leave out a last, smaller batch; on")
      ->group(kData);
  app.add_flag("--shuffle,!--no-shuffle", flags.data.shuffle, "a new order every epoch; on")
      ->group(kData);
  app.add_option(
         "--hold-out", flags.data.hold_out,
         "keep the last so many training images (tokens of --text or --tokens) out of training and "
         "judge by them instead of the test set")
      ->check(whole_number(1, 1'000'000'000))
      ->type_name("N")
      ->group(kData);
  app.add_option("--augment", flags.data.augment,
                 "cpu (the loader), gpu (from images kept there, one kernel a batch)")
      ->capture_default_str()
      ->group(kData);
  app.add_option("--text", flags.data.text, "train a language model on this file's bytes")
      ->group(kData);
  app.add_option("--tokens", flags.data.tokens, "or on this file of 16-bit tokens")->group(kData);
  add_optimizer_flags(app, flags);
  add_muon_flags(app, flags);
  add_recipe_flags(app, flags);
  add_run_flags(app, flags);
  add_saving_flags(app, flags);
  add_profiling_flags(app, flags);
  app.add_flag("--dry-run", flags.dry_run, "say what would be trained, and stop")->group(kRun);
  add_common_flags(app, flags.common);
}

}  // namespace ridgeline
