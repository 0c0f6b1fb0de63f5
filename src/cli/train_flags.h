#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/common_flags.h"
#include "cli/workload_flags.h"

namespace ridgeline {

// The rates of all steps are made before the first.
inline constexpr std::uint64_t kMostEpochs = 100'000;
inline constexpr std::uint64_t kMostTrainingSteps = 100'000'000;

// What `train` and `eval` understand beside the model's own flags. Absent: the model's default.
struct DataFlags {
  std::string data = "synthetic";
  std::size_t synthetic_images = 0;  // for training; 0: as many as there are by default
  std::optional<std::string> transform{};
  int cutout = 0;
  std::optional<int> padding{};
  std::optional<std::string> padding_mode{};
  bool alternate_flip = false;
  std::vector<float> mean{};
  std::vector<float> std{};
  int workers = 1;
  int prefetch = 2;
  bool pin_memory = true;
  bool persistent_workers = true;
  bool drop_last = true;
  bool shuffle = true;
  std::size_t hold_out = 0;  // images of the training set that are judged by instead of the test's
  std::string augment = "cpu";
  bool offline = false;
  std::string mirror{};  // what is missing is fetched from here
  std::optional<std::filesystem::path> text{};
  std::optional<std::filesystem::path> tokens{};
};

struct TrainFlags {
  CommonFlags common{};
  WorkloadFlags workload{};
  DataFlags data{};
  std::optional<std::int64_t> epochs{};
  std::optional<std::int64_t> steps{};
  std::optional<double> learning_rate{};
  std::optional<std::string> optimizer{};
  std::optional<std::string> schedule{};
  std::optional<std::int64_t> warmup{};
  std::optional<double> weight_decay{};
  std::optional<double> norm_weight_decay{};
  double momentum = 0.9;
  bool nesterov = true;
  std::optional<double> muon_learning_rate{};
  std::optional<double> muon_weight_decay{};
  std::optional<double> muon_momentum{};
  std::int64_t drop_every = 0;  // epochs, or steps of a language model
  double drop_factor = 0.1;
  double label_smoothing = 0;
  double clip_norm = 0;
  double ema = 0;
  bool mirror_test = false;
  std::string precision{};
  std::string mode = "eager";
  std::string kernels = "auto";
  std::optional<std::filesystem::path> out_dir{};
  std::optional<std::string> weights{};  // a file, or "imagenet"
  std::optional<std::filesystem::path> resume{};
  std::int64_t save_every = 0;
  double save_seconds = 60;
  std::optional<double> until_accuracy{};
  std::optional<std::int64_t> stop_after{};
  std::optional<std::int64_t> report_every{};
  bool skip_nan = false;
  bool tensorboard = true;
  // As the tiny-llama workshop's script names them.
  bool pytorch_profiler = false;
  bool memory_profiling = false;
  bool all_profiling = false;
  std::optional<std::filesystem::path> profile_dir{};
  int profiler_warmup = 3;
  int profiler_steps = 5;
  std::string sort_by{};
  bool profile_one_step = false;
  std::int64_t warmup_iters = 20;
  std::int64_t profile_iters = 1;
  bool dry_run = false;
};

void add_data_flags(CLI::App& app, DataFlags& flags);
void add_train_flags(CLI::App& app, TrainFlags& flags);

}  // namespace ridgeline
