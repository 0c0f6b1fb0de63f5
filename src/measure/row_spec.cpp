#include "measure/row_spec.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/text.h"

namespace ridgeline {
namespace {

using nlohmann::json;

constexpr std::array kPhases{
    std::pair{Phase::Forward, std::string_view("forward")},
    std::pair{Phase::Backward, std::string_view("backward")},
    std::pair{Phase::Optimizer, std::string_view("optimizer")},
    std::pair{Phase::ForwardBackward, std::string_view("forward+backward")},
    std::pair{Phase::Step, std::string_view("step")}};

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

json model_json(const TransformerSpec& m) {
  return {{"kind", "transformer"},
          {"label", m.label},
          {"vocab_size", m.vocab_size},
          {"d_model", m.d_model},
          {"d_ff", m.d_ff},
          {"num_layers", m.num_layers},
          {"num_heads", m.num_heads},
          {"num_kv_heads", m.num_kv_heads},
          {"context_length", m.context_length},
          {"batch_size", m.batch_size},
          {"tied", m.tied},
          {"rope_half", m.rope == RopeLayout::Half},
          {"rope_theta", m.rope_theta},
          {"eps", m.eps},
          {"llama_names", m.naming == TransformerSpec::Naming::Llama}};
}

json model_json(const ResNetSpec& m) {
  return {{"kind", "resnet"},
          {"label", m.label},
          {"option_a", m.family == ResNetSpec::Family::CifarOptionA},
          {"depth", m.depth},
          {"cifar_stem", m.stem == ResNetSpec::Stem::Cifar},
          {"num_classes", m.num_classes},
          {"image_size", m.image_size},
          {"batch_size", m.batch_size}};
}

json model_json(const AttentionSpec& m) {
  return {{"kind", "attention"},        {"label", m.label},
          {"batch_size", m.batch_size}, {"num_heads", m.num_heads},
          {"head_dim", m.head_dim},     {"context_length", m.context_length},
          {"causal", m.causal}};
}

json model_json(const FileSpec& m) {
  json inputs = json::array();
  for (const InputShape& input : m.inputs)
    inputs.push_back({{"sizes", input.sizes}, {"dtype", input.dtype}});
  return {{"kind", "file"}, {"label", m.label}, {"path", m.path}, {"inputs", inputs}};
}

ModelSpec transformer_from(const json& o) {
  TransformerSpec m;
  m.label = o.at("label");
  m.vocab_size = o.at("vocab_size");
  m.d_model = o.at("d_model");
  m.d_ff = o.at("d_ff");
  m.num_layers = o.at("num_layers");
  m.num_heads = o.at("num_heads");
  m.num_kv_heads = o.at("num_kv_heads");
  m.context_length = o.at("context_length");
  m.batch_size = o.at("batch_size");
  m.tied = o.at("tied");
  m.rope = o.at("rope_half").get<bool>() ? RopeLayout::Half : RopeLayout::Interleaved;
  m.rope_theta = o.at("rope_theta");
  m.eps = o.at("eps");
  m.naming = o.at("llama_names").get<bool>() ? TransformerSpec::Naming::Llama
                                             : TransformerSpec::Naming::Cs336;
  return m;
}

ModelSpec resnet_from(const json& o) {
  ResNetSpec m;
  m.label = o.at("label");
  m.family = o.at("option_a").get<bool>() ? ResNetSpec::Family::CifarOptionA
                                          : ResNetSpec::Family::Torchvision;
  m.depth = o.at("depth");
  m.stem = o.at("cifar_stem").get<bool>() ? ResNetSpec::Stem::Cifar : ResNetSpec::Stem::ImageNet;
  m.num_classes = o.at("num_classes");
  m.image_size = o.at("image_size");
  m.batch_size = o.at("batch_size");
  return m;
}

ModelSpec model_from(const json& o) {
  const std::string kind = o.at("kind");
  if (kind == "transformer") return transformer_from(o);
  if (kind == "resnet") return resnet_from(o);
  if (kind == "attention") {
    return AttentionSpec{.label = o.at("label"),
                         .batch_size = o.at("batch_size"),
                         .num_heads = o.at("num_heads"),
                         .head_dim = o.at("head_dim"),
                         .context_length = o.at("context_length"),
                         .causal = o.at("causal")};
  }
  if (kind != "file") throw bad_input(fmt::format("row: unknown kind of model '{}'", kind));
  FileSpec file{.label = o.at("label"), .path = o.at("path"), .inputs = {}};
  for (const json& input : o.at("inputs"))
    file.inputs.push_back({.sizes = input.at("sizes"), .dtype = input.at("dtype")});
  return file;
}

json settings_json(const RunSettings& s) {
  return {{"device", name_of(s.device)},
          {"precision", name_of(s.precision)},
          {"mode", name_of(s.mode)},
          {"kernels", name_of(s.kernels)},
          {"optimizer", name_of(s.optimizer)},
          {"extent", name_of(s.extent)},
          {"channels_last", s.channels_last},
          {"activation_checkpointing", s.activation_checkpointing},
          {"deterministic", s.deterministic},
          {"cudnn", s.cudnn},
          {"cudnn_benchmark", s.cudnn_benchmark},
          {"cold_cache", s.cold_cache},
          {"accumulation", s.accumulation},
          {"threads", s.threads},
          {"seed", s.seed}};
}

RunSettings settings_from(const json& o) {
  return {.device = parse_device(o.at("device").get<std::string>()),
          .precision = parse_precision(o.at("precision").get<std::string>()),
          .mode = parse_mode(o.at("mode").get<std::string>()),
          .kernels = parse_kernels(o.at("kernels").get<std::string>()),
          .optimizer = parse_optimizer(o.at("optimizer").get<std::string>()),
          .extent = parse_extent(o.at("extent").get<std::string>()),
          .channels_last = o.at("channels_last"),
          .activation_checkpointing = o.at("activation_checkpointing"),
          .deterministic = o.at("deterministic"),
          .cudnn = o.at("cudnn"),
          .cudnn_benchmark = o.at("cudnn_benchmark"),
          .cold_cache = o.at("cold_cache"),
          .accumulation = o.at("accumulation"),
          .threads = o.at("threads"),
          .seed = o.at("seed")};
}

}  // namespace

std::string_view name_of(Phase phase) {
  return std::ranges::find(kPhases, phase, [](const auto& entry) { return entry.first; })->second;
}

Phase parse_phase(std::string_view word) {
  std::vector<std::string_view> words;
  for (const auto& [phase, name] : kPhases) {
    if (name == word) return phase;
    words.push_back(name);
  }
  throw bad_input(unknown_word("phase", word, words));
}

Extent extent_for(const std::vector<Phase>& phases) {
  Extent extent = Extent::Forward;
  for (const Phase phase : phases) {
    const Extent needed = phase == Phase::Forward                             ? Extent::Forward
                          : phase == Phase::Optimizer || phase == Phase::Step ? Extent::Step
                                                                              : Extent::Backward;
    extent = std::max(extent, needed);
  }
  return extent;
}

json to_json(const RowSpec& spec) {
  json phases = json::array();
  for (const Phase phase : spec.phases) phases.push_back(name_of(phase));
  json plan{{"warmup_steps", spec.plan.warmup_steps},
            {"min_samples", spec.plan.min_samples},
            {"budget_s", spec.plan.budget.count()},
            {"target", spec.plan.target}};
  if (spec.plan.measure_steps) plan["measure_steps"] = *spec.plan.measure_steps;
  if (spec.plan.max_samples) plan["max_samples"] = *spec.plan.max_samples;
  return {{"model", std::visit([](const auto& model) { return model_json(model); }, spec.model)},
          {"settings", settings_json(spec.settings)},
          {"phases", phases},
          {"plan", plan},
          {"grow_memory_first", spec.grow_memory_first}};
}

RowSpec row_spec_from_json(const json& object) try {
  RowSpec spec{.model = model_from(object.at("model")),
               .settings = settings_from(object.at("settings")),
               .phases = {},
               .plan = {},
               .grow_memory_first = object.at("grow_memory_first")};
  for (const json& phase : object.at("phases"))
    spec.phases.push_back(parse_phase(phase.get<std::string>()));
  const json& plan = object.at("plan");
  spec.plan = {.warmup_steps = plan.at("warmup_steps"),
               .measure_steps = {},
               .min_samples = plan.at("min_samples"),
               .budget = Seconds{plan.at("budget_s").get<double>()},
               .target = plan.at("target")};
  if (plan.contains("max_samples")) spec.plan.max_samples = plan.at("max_samples").get<int>();
  if (plan.contains("measure_steps")) spec.plan.measure_steps = plan.at("measure_steps").get<int>();
  return spec;
} catch (const json::exception& error) {
  throw bad_input(fmt::format("row: {}", error.what()));
}

std::string_view model_kind(const ModelSpec& model) {
  return std::visit(
      Overloaded{[](const TransformerSpec&) { return std::string_view("transformer"); },
                 [](const ResNetSpec&) { return std::string_view("resnet"); },
                 [](const AttentionSpec&) { return std::string_view("attention"); },
                 [](const FileSpec&) { return std::string_view("file"); }},
      model);
}

std::optional<long> batch_size_of(const ModelSpec& model) {
  return std::visit(
      [](const auto& m) -> std::optional<long> {
        if constexpr (requires { m.batch_size; }) return m.batch_size;
        return std::nullopt;
      },
      model);
}

const std::string& label_of(const ModelSpec& model) {
  return std::visit([](const auto& m) -> const std::string& { return m.label; }, model);
}

double samples_per_step(const ModelSpec& model, const RunSettings& settings) {
  const double batch = std::visit(
      Overloaded{[](const FileSpec& m) {
                   const bool batched = !m.inputs.empty() && !m.inputs.front().sizes.empty();
                   return batched ? static_cast<double>(m.inputs.front().sizes.front()) : 1.0;
                 },
                 [](const auto& m) { return static_cast<double>(m.batch_size); }},
      model);
  return batch * settings.accumulation;
}

std::optional<double> tokens_per_step(const ModelSpec& model, const RunSettings& settings) {
  const auto* transformer = std::get_if<TransformerSpec>(&model);
  if (transformer == nullptr) return std::nullopt;
  return samples_per_step(model, settings) * static_cast<double>(transformer->context_length);
}

std::string describe(const RowSpec& spec) {
  const std::string shape = std::visit(
      Overloaded{[](const TransformerSpec& m) {
                   return fmt::format("context {}, batch {}", m.context_length, m.batch_size);
                 },
                 [](const ResNetSpec& m) {
                   return fmt::format("{}², batch {}", m.image_size, m.batch_size);
                 },
                 [](const AttentionSpec& m) {
                   return fmt::format("head dim {}, context {}, batch {}", m.head_dim,
                                      m.context_length, m.batch_size);
                 },
                 [](const FileSpec& m) { return fmt::format("{} input(s)", m.inputs.size()); }},
      spec.model);
  const std::string_view kernels = spec.settings.kernels == Kernels::Fused ? " fused" : "";
  const std::string_view library = spec.settings.cudnn ? "" : " without cuDNN";
  return fmt::format("{} {} {} {}{}{}, {}", label_of(spec.model), name_of(spec.settings.device),
                     name_of(spec.settings.precision), name_of(spec.settings.mode), kernels,
                     library, shape);
}

}  // namespace ridgeline
