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
#include "core/malformed.h"
#include "train/arrays.h"
#include "train/optimizer_state.h"
#include "train/restore_plan.h"

namespace ridgeline {
namespace {

std::string_view owner(std::string_view name) { return name.substr(0, name.rfind('.')); }

Key key(const char* name) { return std::string(name); }

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

// A tensor that the model has no place for tells as much as one that is missing. Python's files
// hold a tied weight twice; its bytes are there once.
void refuse_leftovers(const NamedTensors& tensors, const Value& dict) {
  const auto* const entries = std::get_if<Dict>(&dict.held);
  if (entries == nullptr) return;
  std::set<const std::byte*> taken;
  for (const auto& [name, tensor] : tensors)
    taken.insert(std::get<Array>(find(dict, name)->held).bytes.data());
  for (const auto& [key, value] : *entries) {
    const auto* const name = std::get_if<std::string>(&key);
    const auto* const array = std::get_if<Array>(&value.held);
    if (name != nullptr && array != nullptr && !taken.contains(array->bytes.data()))
      throw bad_input(fmt::format("the checkpoint is of another model: this one has no '{}'",
                                  on_one_line(*name)));
  }
}

void plan_dict(RestorePlan& plan, const NamedTensors& tensors, const Value* dict,
               const char* what) {
  if (dict == nullptr) throw bad_input(fmt::format("the checkpoint has no '{}'", what));
  for (const auto& [name, tensor] : tensors) plan_one(plan, name, tensor, find(*dict, name));
  refuse_leftovers(tensors, *dict);
}

bool is_head_of_other_size(const std::string& name, const std::set<std::string>& head,
                           const at::Tensor& tensor, const Array& array) {
  return head.contains(name) && static_cast<std::size_t>(tensor.dim()) == array.shape.size() &&
         std::ranges::equal(tensor.sizes().slice(1), std::span(array.shape).subspan(1)) &&
         tensor.size(0) != array.shape[0];
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
  RestorePlan plan;
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
  const ModelEnds ends = model.ends();
  const std::set<std::string> head(ends.head.begin(), ends.head.end());
  const NamedTensors tensors = state_tensors(model);
  // One part of a head that is of another number of classes makes the whole of it another's.
  const bool other_head = std::ranges::any_of(tensors, [&](const auto& named) {
    const auto found = by_name.find(named.first);
    return found != by_name.end() &&
           is_head_of_other_size(named.first, head, named.second, found->second);
  });
  LoadedWeights report;
  RestorePlan plan;
  for (const auto& [name, tensor] : tensors) {
    const auto found = by_name.find(name);
    if (found == by_name.end()) {
      // Files written before 2018, and other tools, leave the counter out.
      if (name.ends_with("num_batches_tracked")) continue;
      throw bad_input(fmt::format("the weights have no '{}'; they are of another model", name));
    }
    if (!is_head_of_other_size(name, head, tensor, found->second)) {
      const std::string problem = mismatch(name, tensor, found->second);
      if (!problem.empty()) throw bad_input("the weights are of another model: " + problem);
    }
    if (other_head && head.contains(name))
      report.reinitialised.push_back(name);
    else
      plan.emplace_back(tensor, found->second);
    by_name.erase(found);
  }
  for (const auto& [name, array] : by_name) report.ignored.push_back(name);
  for (const auto& [tensor, array] : plan) assign(tensor, array);
  report.loaded = plan.size();
  return report;
}

}  // namespace ridgeline
