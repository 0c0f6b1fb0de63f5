#include "train/state_dict.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "train/arrays.h"

namespace ridgeline {
namespace {

std::string_view owner(std::string_view name) { return name.substr(0, name.rfind('.')); }

Key key(const char* name) { return std::string(name); }

// torch.optim's names for what our optimizers remember.
struct SlotNames {
  const char* first;
  const char* second;
};
SlotNames slot_names(const OptimizerState& state) {
  if (state.second.empty()) return {.first = "momentum_buffer", .second = nullptr};
  return {.first = "exp_avg", .second = "exp_avg_sq"};
}

// Torch numbers parameters as they come in its groups, one after the other.
Value parameter_group(const OptimizerOptions& options, double rate, const DecayGroup& of,
                      std::size_t first) {
  List indices;
  for (std::size_t i = 0; i < of.parameters.size(); ++i)
    indices.push_back({static_cast<std::int64_t>(first + i)});
  Dict group{{key("lr"), {rate}}, {key("weight_decay"), {of.weight_decay}}};
  if (options.kind == OptimizerKind::Sgd) {
    group.insert(group.end(), {{key("momentum"), {options.momentum}},
                               {key("dampening"), {0.0}},
                               {key("nesterov"), {options.nesterov}}});
  } else {
    group.insert(group.end(), {{key("betas"), {List{{options.beta1}, {options.beta2}}}},
                               {key("eps"), {options.eps}},
                               {key("amsgrad"), {false}},
                               {key("capturable"), {false}}});
    if (options.kind == OptimizerKind::AdamW)
      group.emplace_back(key("decoupled_weight_decay"), Value{true});
  }
  group.insert(group.end(), {{key("maximize"), {false}},
                             {key("foreach"), {}},
                             {key("differentiable"), {false}},
                             {key("fused"), {true}},
                             {key("params"), {std::move(indices)}}});
  return {std::move(group)};
}

// Our places of the parameters by torch's numbers.
std::vector<std::size_t> numbered(const std::vector<DecayGroup>& groups) {
  std::vector<std::size_t> places;
  for (const DecayGroup& group : groups)
    places.insert(places.end(), group.parameters.begin(), group.parameters.end());
  return places;
}

Value save_optimizer(Optimizer& optimizer, const OptimizerOptions& options) {
  const OptimizerState state = optimizer.state();
  const SlotNames names = slot_names(state);
  Dict by_parameter;
  for (const std::size_t place : numbered(state.groups)) {
    Dict entry;
    if (!state.steps.empty()) entry.emplace_back(key("step"), Value{to_array(state.steps[0])});
    entry.emplace_back(key(names.first), Value{to_array(state.first[place])});
    if (names.second != nullptr)
      entry.emplace_back(key(names.second), Value{to_array(state.second[place])});
    by_parameter.emplace_back(static_cast<std::int64_t>(by_parameter.size()),
                              Value{std::move(entry)});
  }
  const double rate = optimizer.learning_rate().item<double>();
  List groups;
  std::size_t first = 0;
  for (const DecayGroup& group : state.groups) {
    groups.push_back(parameter_group(options, rate, group, first));
    first += group.parameters.size();
  }
  return {
      Dict{{key("state"), {std::move(by_parameter)}}, {key("param_groups"), {std::move(groups)}}}};
}

// As torch.amp.GradScaler keeps its state.
Value save_scaler(const GradScaler& scaler) {
  return {Dict{{key("scale"), {scaler.current_scale().item<double>()}},
               {key("growth_factor"), {GradScaler::kGrowth}},
               {key("backoff_factor"), {GradScaler::kBackoff}},
               {key("growth_interval"), {std::int64_t{GradScaler::kGrowthInterval}}},
               {key("_growth_tracker"), {scaler.growth_tracker().item<std::int64_t>()}}}};
}

struct SavedScaler {
  double scale = 0;
  std::int64_t growth_tracker = 0;
};

std::optional<SavedScaler> read_scaler(const Value* saved) {
  const Value* const scale = saved == nullptr ? nullptr : find(*saved, "scale");
  const Value* const tracker = saved == nullptr ? nullptr : find(*saved, "_growth_tracker");
  const auto* const number = scale == nullptr ? nullptr : std::get_if<double>(&scale->held);
  const auto* const steps =
      tracker == nullptr ? nullptr : std::get_if<std::int64_t>(&tracker->held);
  if (number == nullptr || steps == nullptr) return std::nullopt;
  const bool sane =
      *number > 0 && *number < 1e30 && *steps >= 0 && *steps <= GradScaler::kGrowthInterval;
  if (!sane) throw bad_input("the checkpoint's 'scaler' makes no sense");
  return SavedScaler{.scale = *number, .growth_tracker = *steps};
}

// Assignments that have been checked and wait until everything has.
using Plan = std::vector<std::pair<at::Tensor, Array>>;

void plan_one(Plan& plan, const std::string& name, const at::Tensor& tensor, const Value* value) {
  const auto* const array = value == nullptr ? nullptr : std::get_if<Array>(&value->held);
  if (array == nullptr) throw bad_input(fmt::format("the checkpoint has no tensor '{}'", name));
  const std::string problem = mismatch(name, tensor, *array);
  if (!problem.empty()) throw bad_input("the checkpoint is of another model: " + problem);
  plan.emplace_back(tensor, *array);
}

void plan_dict(Plan& plan, const NamedTensors& tensors, const Value* dict, const char* what) {
  if (dict == nullptr) throw bad_input(fmt::format("the checkpoint has no '{}'", what));
  for (const auto& [name, tensor] : tensors) plan_one(plan, name, tensor, find(*dict, name));
}

void plan_optimizer(Plan& plan, Optimizer& optimizer, const Value* saved) {
  const Value* const states = saved == nullptr ? nullptr : find(*saved, "state");
  if (states == nullptr) throw bad_input("the checkpoint has no 'optimizer' state");
  const OptimizerState state = optimizer.state();
  const SlotNames names = slot_names(state);
  const std::vector<std::size_t> places = numbered(state.groups);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Value* const entry = find(*states, static_cast<std::int64_t>(i));
    if (entry == nullptr)
      throw bad_input(fmt::format("the checkpoint's optimizer knows nothing of parameter {}", i));
    const auto name = [&](const char* slot) { return fmt::format("optimizer.{}.{}", i, slot); };
    plan_one(plan, name(names.first), state.first[places[i]], find(*entry, names.first));
    if (names.second != nullptr)
      plan_one(plan, name(names.second), state.second[places[i]], find(*entry, names.second));
    if (!state.steps.empty() && i == 0)
      plan_one(plan, name("step"), state.steps[0], find(*entry, "step"));
  }
}

bool is_head_of_other_size(const std::string& name, const std::set<std::string>& head,
                           const at::Tensor& tensor, const Array& array) {
  return head.contains(name) && static_cast<std::size_t>(tensor.dim()) == array.shape.size() &&
         std::ranges::equal(tensor.sizes().slice(1), std::span(array.shape).subspan(1)) &&
         tensor.size(0) != array.shape[0];
}

// The last layer: what a classifier's number of classes decides.
std::set<std::string> head_names(const Model& model) {
  const NamedTensors parameters = model.parameters();
  if (parameters.empty()) return {};
  const std::string last(owner(parameters.back().first));
  std::set<std::string> names;
  for (const auto& [name, tensor] : parameters) {
    if (owner(name) == last) names.insert(name);
  }
  return names;
}

}  // namespace

NamedTensors state_tensors(const Model& model) {
  std::map<std::string, NamedTensors, std::less<>> buffers;
  for (const auto& named : model.buffers())
    buffers[std::string(owner(named.first))].push_back(named);
  const NamedTensors parameters = model.parameters();
  NamedTensors all;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    all.push_back(parameters[i]);
    const std::string_view module = owner(parameters[i].first);
    if (i + 1 < parameters.size() && owner(parameters[i + 1].first) == module) continue;
    const auto found = buffers.find(module);
    if (found == buffers.end()) continue;
    all.insert(all.end(), found->second.begin(), found->second.end());
    buffers.erase(found);
  }
  RIDGELINE_CHECK(buffers.empty());
  return all;
}

Value save_state(Learner& learner, const OptimizerOptions& options, const WeightAverage* average) {
  Dict state{{key("model"), to_dict(state_tensors(learner.model()))},
             {key("optimizer"), save_optimizer(learner.optimizer(), options)}};
  if (GradScaler* const scaler = learner.scaler())
    state.emplace_back(key("scaler"), save_scaler(*scaler));
  if (average != nullptr) state.emplace_back(key("ema"), to_dict(average->tensors()));
  return {std::move(state)};
}

void restore_state(Learner& learner, WeightAverage* average, const Value& state) {
  Plan plan;
  plan_dict(plan, state_tensors(learner.model()), find(state, "model"), "model");
  plan_optimizer(plan, learner.optimizer(), find(state, "optimizer"));
  // A checkpoint of a run without them has neither: the scaler then starts fresh, the average at
  // the weights.
  const std::optional<SavedScaler> scaling =
      learner.scaler() != nullptr ? read_scaler(find(state, "scaler")) : std::nullopt;
  if (average != nullptr) {
    const Value* const saved = find(state, "ema");
    plan_dict(plan, average->tensors(), saved != nullptr ? saved : find(state, "model"), "ema");
  }
  if (scaling) {
    learner.scaler()->current_scale().fill_(scaling->scale);
    learner.scaler()->growth_tracker().fill_(scaling->growth_tracker);
  }
  for (const auto& [tensor, array] : plan) assign(tensor, array);
}

LoadedWeights load_state(const Model& model, const NamedArrays& arrays) {
  std::map<std::string, Array> by_name(arrays.begin(), arrays.end());
  const std::set<std::string> head = head_names(model);
  LoadedWeights report;
  Plan plan;
  for (const auto& [name, tensor] : state_tensors(model)) {
    const auto found = by_name.find(name);
    if (found == by_name.end()) {
      // Files written before 2018, and other tools, leave the counter out.
      if (name.ends_with("num_batches_tracked")) continue;
      throw bad_input(fmt::format("the weights have no '{}'; they are of another model", name));
    }
    if (is_head_of_other_size(name, head, tensor, found->second)) {
      report.reinitialised.push_back(name);
    } else {
      const std::string problem = mismatch(name, tensor, found->second);
      if (!problem.empty()) throw bad_input("the weights are of another model: " + problem);
      plan.emplace_back(tensor, found->second);
    }
    by_name.erase(found);
  }
  for (const auto& [name, array] : by_name) report.ignored.push_back(name);
  for (const auto& [tensor, array] : plan) assign(tensor, array);
  report.loaded = plan.size();
  return report;
}

}  // namespace ridgeline
