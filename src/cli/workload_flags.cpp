#include "cli/workload_flags.h"

#include "cli/numbers.h"
#include "core/error.h"
#include "models/limits.h"

namespace ridgeline {
namespace {

constexpr const char* kModelGroup = "Model";
constexpr const char* kRunGroup = "Run";
constexpr const char* kMeasureGroup = "Measuring";
constexpr std::uint64_t kMostSteps = 10'000'000;

void add_run_flags(CLI::App& app, WorkloadFlags& flags) {
  app.add_option("--precision", flags.precisions, "fp32, tf32, bf16, fp16, bf16-pure")
      ->group(kRunGroup);
  app.add_flag("--amp,--use-amp", flags.amp,
               "the same as --precision fp16 on a GPU; on a CPU it is ignored")
      ->group(kRunGroup);
  app.add_option("--mode", flags.modes, "eager, graph (the whole step as one CUDA graph)")
      ->group(kRunGroup);
  app.add_option("--kernels", flags.kernels, "auto (default: fused in graph mode), plain, fused")
      ->group(kRunGroup);
  app.add_option("--optimizer", flags.optimizer, "adamw, adam, sgd, muon")
      ->capture_default_str()
      ->group(kRunGroup);
  app.add_option("--memory-format", flags.memory_format,
                 "channels-last, contiguous, auto (channels-last for ResNets)")
      ->capture_default_str()
      ->group(kRunGroup);
  app.add_option("--accumulate", flags.accumulation, "micro-batches a step")
      ->check(whole_number(1, kMostSteps))
      ->capture_default_str()
      ->group(kRunGroup);
  app.add_flag("--activation-checkpointing", flags.checkpointing,
               "recompute each block in the backward")
      ->group(kRunGroup);
  app.add_flag("--inference", flags.inference,
               "forward alone, in evaluation mode, without gradients")
      ->group(kRunGroup);
  app.add_flag("--deterministic", flags.deterministic, "deterministic kernels only")
      ->group(kRunGroup);
  app.add_flag("--no-cudnn", flags.no_cudnn, "LibTorch's own kernels in the place of cuDNN's")
      ->group(kRunGroup);
  app.add_flag("--cudnn-benchmark", flags.cudnn_benchmark, "let cuDNN try its algorithms")
      ->group(kRunGroup);
  app.add_flag("--cold-cache", flags.cold_cache, "flush the last-level cache before every step")
      ->group(kRunGroup);
}

void add_measuring_flags(CLI::App& app, WorkloadFlags& flags) {
  app.add_option("--phase,--pass-type", flags.phases,
                 "forward, backward, optimizer, forward+backward, step (default)")
      ->group(kMeasureGroup);
  app.add_option("--measure-steps,--steps,--num-steps", flags.measure_steps,
                 "measure exactly N steps")
      ->check(whole_number(1, kMostSteps))
      ->group(kMeasureGroup);
  app.add_option("--budget", flags.budget, "most time a row: 20s, 500ms, 2m")
      ->capture_default_str()
      ->group(kMeasureGroup);
  app.add_option("--target", flags.target_percent,
                 "stop when the median is known to this many percent")
      ->check(positive_number(100))
      ->capture_default_str()
      ->group(kMeasureGroup);
}

}  // namespace

void add_model_flags(CLI::App& app, WorkloadFlags& flags) {
  app.add_option("model", flags.model,
                 "transformer, tiny-llama, resnet18|34|50, resnet20|32|44|56, attention, or a "
                 ".pt/.pt2 file")
      ->required()
      ->type_name("MODEL");
  app.add_option("--size,--model-size,--model-sizes", flags.sizes, "small, medium, large, xl, 2.7B")
      ->group(kModelGroup);
  app.add_option("--batch-size", flags.batch_sizes, "samples a step: 1,4,16 or 1-64*2")
      ->group(kModelGroup);
  app.add_option("--context-length,--seq-len", flags.context_lengths, "tokens a sequence")
      ->group(kModelGroup);
  app.add_option("--image-size", flags.image_sizes, "pixels a side")->group(kModelGroup);
  app.add_option("--head-dim", flags.head_dims, "for attention")->group(kModelGroup);
  const auto add_dimension = [&](const char* names, std::optional<long>& value, long most,
                                 const char* description) {
    app.add_option(names, value, description)
        ->check(whole_number(1, static_cast<std::uint64_t>(most)))
        ->group(kModelGroup);
  };
  add_dimension("--d-model,--hidden-dim", flags.d_model, kLargestWidth, "width");
  add_dimension("--d-ff", flags.d_ff, kLargestWidth, "width of the feed-forward layer");
  add_dimension("--num-layers", flags.num_layers, kMostLayers, "layers");
  add_dimension("--num-heads", flags.num_heads, kLargestWidth, "attention heads");
  add_dimension("--num-kv-heads", flags.num_kv_heads, kLargestWidth, "key and value heads");
  add_dimension("--vocab-size", flags.vocab_size, kMostWords, "vocabulary");
  add_dimension("--num-classes", flags.num_classes, kMostWords, "classes of a ResNet");
  app.add_flag("--tied", flags.tied, "embedding and head share their weights")->group(kModelGroup);
  app.add_option("--rope", flags.rope, "interleaved or half")->group(kModelGroup);
  app.add_option("--stem", flags.stem, "imagenet (7x7) or cifar (3x3)")->group(kModelGroup);
  app.add_option("--input", flags.inputs, "input of a model file: 8x3x224x224:float32")
      ->group(kModelGroup);
}

void add_warmup_steps(CLI::App& app, WorkloadFlags& flags) {
  app.add_option("--warmup-steps", flags.warmup_steps, "steps before measuring")
      ->check(whole_number(0, kMostSteps))
      ->capture_default_str()
      ->group(kMeasureGroup);
}

void add_workload_flags(CLI::App& app, WorkloadFlags& flags) {
  add_model_flags(app, flags);
  add_run_flags(app, flags);
  add_measuring_flags(app, flags);
}

}  // namespace ridgeline
