#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "cli/workload_flags.h"
#include "core/error.h"
#include "core/text.h"
#include "models/catalog.h"
#include "models/input_shape.h"
#include "models/limits.h"

namespace ridgeline {
namespace {

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ","));
}

std::vector<std::string> words_or(const char* flag, const std::vector<std::string>& words,
                                  const char* fallback) {
  if (words.empty()) return {fallback};
  auto items = split_list(joined(words));
  if (items.empty()) throw bad_input(fmt::format("{}: the list is empty", flag));
  return items;
}

// Absent means: what the model's own specification says.
std::vector<std::optional<long>> numbers(const char* flag, const std::vector<std::string>& words) {
  if (words.empty()) return {std::nullopt};
  std::vector<std::optional<long>> values;
  for (const long value : parse_positive_list(flag, joined(words))) values.emplace_back(value);
  return values;
}

[[noreturn]] void unknown(std::string_view what, std::string_view word,
                          const std::vector<std::string_view>& known) {
  throw bad_input(unknown_word(what, word, known));
}

bool is_model_file(const std::string& name) {
  return name.ends_with(".pt") || name.ends_with(".pt2") || name.ends_with(".ts");
}

ModelSpec file_spec(const WorkloadFlags& flags) {
  if (!std::filesystem::exists(flags.model))
    throw bad_input(fmt::format("{}: no such file", flags.model));
  if (flags.inputs.empty())
    throw bad_input(fmt::format("{}: say what to feed it, for example --input 8x3x224x224:float32",
                                flags.model));
  FileSpec file{.label = std::filesystem::path(flags.model).filename().string(),
                .path = flags.model,
                .inputs = {}};
  for (const std::string& input : flags.inputs) file.inputs.push_back(parse_input_shape(input));
  return file;
}

// Refuses flags that describe another kind of model: silence would let a row claim what it is not.
void refuse_foreign_flags(const WorkloadFlags& flags, const ModelSpec& model) {
  const bool transformer = std::holds_alternative<TransformerSpec>(model);
  const bool resnet = std::holds_alternative<ResNetSpec>(model);
  const bool attention = std::holds_alternative<AttentionSpec>(model);
  const auto check = [&](const char* flag, bool given, bool understood) {
    if (given && !understood)
      throw bad_input(fmt::format("{} means nothing to {}", flag, flags.model));
  };
  check("--size", !flags.sizes.empty(), flags.model == "transformer");
  check("--d-model", flags.d_model.has_value(), transformer);
  check("--d-ff", flags.d_ff.has_value(), transformer);
  check("--num-layers", flags.num_layers.has_value(), transformer);
  check("--num-heads", flags.num_heads.has_value(), transformer || attention);
  check("--num-kv-heads", flags.num_kv_heads.has_value(), transformer);
  check("--vocab-size", flags.vocab_size.has_value(), transformer);
  check("--tied", flags.tied, transformer);
  check("--rope", !flags.rope.empty(), transformer);
  check("--num-classes", flags.num_classes.has_value(), resnet);
  check("--stem", !flags.stem.empty(), resnet);
  check("--input", !flags.inputs.empty(), std::holds_alternative<FileSpec>(model));
}

bool has_free_dimensions(const WorkloadFlags& flags) {
  return flags.d_model || flags.d_ff || flags.num_layers || flags.num_heads || flags.num_kv_heads ||
         flags.vocab_size;
}

// Dimensions given by hand; what follows from them (heads, feed-forward width) follows unless
// given.
TransformerSpec with_dimensions(TransformerSpec spec, const WorkloadFlags& flags) {
  if (flags.d_model) {
    spec.d_model = *flags.d_model;
    // A width that validate() will refuse must not overflow before it gets there.
    spec.d_ff = flags.d_ff.value_or(4 * std::clamp(spec.d_model, 0L, kLargestWidth));
  }
  spec.d_ff = flags.d_ff.value_or(spec.d_ff);
  spec.num_layers = flags.num_layers.value_or(spec.num_layers);
  if (flags.num_heads) {
    spec.num_heads = *flags.num_heads;
    spec.num_kv_heads = flags.num_kv_heads.value_or(spec.num_heads);
  }
  spec.num_kv_heads = flags.num_kv_heads.value_or(spec.num_kv_heads);
  spec.vocab_size = flags.vocab_size.value_or(spec.vocab_size);
  spec.tied = spec.tied || flags.tied;
  if (flags.rope == "half") spec.rope = RopeLayout::Half;
  if (flags.rope == "interleaved") spec.rope = RopeLayout::Interleaved;
  if (has_free_dimensions(flags)) spec.label = fmt::format("{}x{}", spec.d_model, spec.num_layers);
  return spec;
}

std::vector<ModelSpec> transformer_specs(const WorkloadFlags& flags) {
  std::vector<ModelSpec> specs;
  for (const std::string& size : words_or("--size", flags.sizes, "small")) {
    const auto found = find_size(size);
    if (!found) unknown("size", size, size_names());
    specs.push_back(with_dimensions(*found, flags));
  }
  return specs;
}

std::vector<ModelSpec> base_specs(const WorkloadFlags& flags) {
  if (!flags.rope.empty() && flags.rope != "half" && flags.rope != "interleaved")
    unknown("--rope", flags.rope, {"interleaved", "half"});
  if (!flags.stem.empty() && flags.stem != "cifar" && flags.stem != "imagenet")
    unknown("--stem", flags.stem, {"imagenet", "cifar"});
  if (is_model_file(flags.model)) return {file_spec(flags)};
  if (flags.model == "transformer") return transformer_specs(flags);
  auto found = find_model(flags.model);
  if (!found) unknown("model", flags.model, model_names());
  if (auto* llama = std::get_if<TransformerSpec>(&*found)) *llama = with_dimensions(*llama, flags);
  if (auto* resnet = std::get_if<ResNetSpec>(&*found)) {
    if (!flags.stem.empty())
      resnet->stem = flags.stem == "cifar" ? ResNetSpec::Stem::Cifar : ResNetSpec::Stem::ImageNet;
    resnet->num_classes = flags.num_classes.value_or(resnet->num_classes);
  }
  if (auto* attention = std::get_if<AttentionSpec>(&*found))
    attention->num_heads = flags.num_heads.value_or(attention->num_heads);
  return {*found};
}

// Refuses a shape flag that the model has no use for: silence would let a sweep measure one thing
// many times.
template <class Field>
void set_dimension(ModelSpec& model, const char* flag, std::optional<long> value, Field field) {
  if (!value) return;
  std::visit(
      [&](auto& m) {
        if constexpr (requires { field(m); }) {
          field(m) = *value;
        } else {
          throw bad_input(fmt::format("{} means nothing to {}", flag, m.label));
        }
      },
      model);
}

std::vector<Phase> phases_of(const WorkloadFlags& flags, const ModelSpec& model) {
  const bool has_step =
      !std::holds_alternative<FileSpec>(model) && !std::holds_alternative<AttentionSpec>(model);
  std::vector<Phase> phases;
  for (const std::string& word :
       words_or("--phase", flags.phases, has_step && !flags.inference ? "step" : "forward"))
    phases.push_back(parse_phase(word));
  if (flags.inference && extent_for(phases) > Extent::Forward)
    throw bad_input("--inference runs forward alone; it has no other phase");
  return phases;
}

RunSettings base_settings(const WorkloadFlags& flags, const ModelSpec& model,
                          const std::vector<Phase>& phases, const Device& device) {
  RunSettings settings;
  settings.device = device;
  settings.optimizer = parse_optimizer(flags.optimizer);
  settings.extent = flags.inference ? Extent::Inference : extent_for(phases);
  settings.channels_last = wants_channels_last(flags, model);
  settings.activation_checkpointing = flags.checkpointing;
  settings.deterministic = flags.deterministic;
  settings.cudnn = !flags.no_cudnn;
  settings.cudnn_benchmark = flags.cudnn_benchmark;
  settings.cold_cache = flags.cold_cache;
  settings.accumulation = flags.accumulation;
  return settings;
}

SamplingPlan plan_of(const WorkloadFlags& flags) {
  if (flags.warmup_steps < 0) throw bad_input("--warmup-steps: must be 0 or more");
  return {.warmup_steps = flags.warmup_steps,
          .measure_steps = flags.measure_steps,
          .budget = parse_duration("--budget", flags.budget),
          .target = flags.target_percent / 100};
}

}  // namespace

bool wants_channels_last(const WorkloadFlags& flags, const ModelSpec& model) {
  if (flags.memory_format == "channels-last") return true;
  if (flags.memory_format == "contiguous") return false;
  if (flags.memory_format == "auto") return std::holds_alternative<ResNetSpec>(model);
  unknown("--memory-format", flags.memory_format, {"auto", "channels-last", "contiguous"});
}

// The fused ops win inside a CUDA graph; launched one by one, their autograd nodes cost the host
// more than they save the device on small shapes (docs/performance.md).
Kernels kernels_for(const std::string& word, const Device& device, Mode mode) {
  if (word == "auto") {
    const bool graph = device.kind == DeviceKind::Cuda && mode == Mode::Graph;
    return graph ? Kernels::Fused : Kernels::Plain;
  }
  if (word != "plain" && word != "fused") unknown("kernels", word, {"auto", "plain", "fused"});
  return parse_kernels(word);
}

std::vector<ModelSpec> models_of(const WorkloadFlags& flags) {
  std::vector<ModelSpec> specs;
  for (const ModelSpec& base : base_specs(flags)) {
    refuse_foreign_flags(flags, base);
    for (const auto head_dim : numbers("--head-dim", flags.head_dims)) {
      for (const auto image : numbers("--image-size", flags.image_sizes)) {
        for (const auto context : numbers("--context-length", flags.context_lengths)) {
          for (const auto batch : numbers("--batch-size", flags.batch_sizes)) {
            ModelSpec spec = base;
            set_dimension(
                spec, "--head-dim", head_dim,
                [](auto& m) -> auto& requires requires { m.head_dim; } { return m.head_dim; });
            set_dimension(
                spec, "--image-size", image,
                [](auto& m) -> auto& requires requires { m.image_size; } { return m.image_size; });
            set_dimension(
                spec, "--context-length", context, [](auto& m) -> auto& requires requires {
                  m.context_length;
                } { return m.context_length; });
            set_dimension(
                spec, "--batch-size", batch,
                [](auto& m) -> auto& requires requires { m.batch_size; } { return m.batch_size; });
            validate(spec);
            specs.push_back(spec);
          }
        }
      }
    }
  }
  return specs;
}

std::vector<RowSpec> expand(const WorkloadFlags& flags, const Device& device, int threads,
                            std::uint64_t seed) {
  std::vector<RowSpec> rows;
  const char* const precision = flags.amp && device.kind == DeviceKind::Cuda ? "fp16" : "fp32";
  for (const ModelSpec& model : models_of(flags)) {
    for (const std::string& precision_word : words_or("--precision", flags.precisions, precision)) {
      for (const std::string& mode : words_or("--mode", flags.modes, "eager")) {
        for (const std::string& kernels : words_or("--kernels", flags.kernels, "auto")) {
          const auto phases = phases_of(flags, model);
          RunSettings settings = base_settings(flags, model, phases, device);
          settings.precision = parse_precision(precision_word);
          settings.mode = parse_mode(mode);
          settings.kernels = kernels_for(kernels, device, settings.mode);
          settings.threads = threads;
          settings.seed = seed;
          rows.push_back(
              {.model = model, .settings = settings, .phases = phases, .plan = plan_of(flags)});
        }
      }
    }
  }
  return rows;
}

void refuse_lone_phases(const RowSpec& spec, std::string_view what) {
  const auto alone = std::ranges::find_if(spec.phases, [](Phase phase) {
    return phase == Phase::Backward || phase == Phase::Optimizer;
  });
  if (alone == spec.phases.end()) return;
  throw bad_input(fmt::format(
      "--phase {}: {} holds all that a step must run for it, so ask for {}; its tables tell the "
      "phases apart",
      name_of(*alone), what, *alone == Phase::Optimizer ? "step" : "forward+backward"));
}

}  // namespace ridgeline
