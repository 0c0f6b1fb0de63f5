#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "measure/row_spec.h"

namespace ridgeline {

// Which models, in which shapes, run how. Every list is swept over.
struct WorkloadFlags {
  std::string model;
  std::vector<std::string> sizes;
  std::vector<std::string> phases;
  std::vector<std::string> precisions;
  std::vector<std::string> modes;
  std::vector<std::string> kernels;
  std::vector<std::string> batch_sizes;
  std::vector<std::string> context_lengths;
  std::vector<std::string> image_sizes;
  std::vector<std::string> head_dims;
  std::optional<long> d_model, d_ff, num_layers, num_heads, num_kv_heads, vocab_size, num_classes;
  bool tied = false;
  bool amp = false;
  std::string rope;
  std::string stem;
  std::vector<std::string> inputs;
  std::string optimizer = "adamw";
  std::string memory_format = "auto";
  bool inference = false;
  bool checkpointing = false;
  bool deterministic = false;
  bool no_cudnn = false;
  bool cudnn_benchmark = false;
  bool cold_cache = false;
  int accumulation = 1;
  int warmup_steps = 5;
  std::optional<int> measure_steps;
  std::string budget = "20s";
  double target_percent = 1;
};

void add_workload_flags(CLI::App& app, WorkloadFlags& flags);
// One number of warm-up steps; a study takes a list instead.
void add_warmup_steps(CLI::App& app, WorkloadFlags& flags);
// Only those that say which model, in which shape.
void add_model_flags(CLI::App& app, WorkloadFlags& flags);

// The models that the flags ask for, in every shape asked for, checked.
[[nodiscard]] std::vector<ModelSpec> models_of(const WorkloadFlags& flags);

[[nodiscard]] bool wants_channels_last(const WorkloadFlags& flags, const ModelSpec& model);
// "auto" becomes what is fastest for the device and mode.
[[nodiscard]] Kernels kernels_for(const std::string& word, const Device& device, Mode mode);

// The rows that the flags ask for, in the order sizes, shapes, precisions, modes, kernels. Throws
// Error(BadInput) with one clear line.
[[nodiscard]] std::vector<RowSpec> expand(const WorkloadFlags& flags, const Device& device,
                                          int threads, std::uint64_t seed);

// Who records whole steps cannot leave out what a phase needs before it. Throws Error(BadInput)
// that says what to ask for. `what` is "a profile".
void refuse_lone_phases(const RowSpec& spec, std::string_view what);

}  // namespace ridgeline
