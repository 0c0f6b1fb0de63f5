#include "train/optimizer_state.h"

#include <ATen/core/Tensor.h>

#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "engine/muon_plan.h"
#include "train/arrays.h"

namespace ridgeline {
namespace {

Key key(const char* name) { return std::string(name); }

// torch.optim's names for what our optimizers remember.
struct SlotNames {
  const char* first;
  const char* second;
};
SlotNames slot_names(OptimizerKind kind) {
  if (kind == OptimizerKind::Adam || kind == OptimizerKind::AdamW)
    return {.first = "exp_avg", .second = "exp_avg_sq"};
  return {.first = "momentum_buffer", .second = nullptr};
}

void add_settings(Dict& group, OptimizerKind kind, const OptimizerOptions& options) {
  const auto add = [&](const char* name, Value value) {
    group.emplace_back(key(name), std::move(value));
  };
  switch (kind) {
    case OptimizerKind::Sgd:
      add("momentum", {options.momentum});
      add("dampening", {0.0});
      add("nesterov", {options.nesterov});
      return;
    case OptimizerKind::Muon:
      add("momentum", {options.muon_momentum});
      add("nesterov", {true});
      add("ns_coefficients", {List{{NewtonSchulz::kA}, {NewtonSchulz::kB}, {NewtonSchulz::kC}}});
      add("eps", {NewtonSchulz::kEps});
      add("ns_steps", {std::int64_t{NewtonSchulz::kSteps}});
      add("adjust_lr_fn", {std::string("original")});
      return;
    case OptimizerKind::Adam:
    case OptimizerKind::AdamW:
      break;
  }
  add("betas", {List{{options.beta1}, {options.beta2}}});
  add("eps", {options.eps});
  add("amsgrad", {false});
  add("capturable", {false});
  add("decoupled_weight_decay", {kind == OptimizerKind::AdamW});
}

// Torch numbers parameters as they come in its groups, one after the other.
Value parameter_group(const OptimizerOptions& options, double rate, const DecayGroup& of,
                      std::size_t first) {
  List indices;
  for (std::size_t i = 0; i < of.parameters.size(); ++i)
    indices.push_back({static_cast<std::int64_t>(first + i)});
  Dict group{{key("lr"), {rate * of.rate_factor}}, {key("weight_decay"), {of.weight_decay}}};
  add_settings(group, of.kind, options);
  if (of.kind != OptimizerKind::Muon)  // torch's has none of these
    group.insert(group.end(), {{key("maximize"), {false}},
                               {key("foreach"), {}},
                               {key("differentiable"), {false}},
                               {key("fused"), {true}}});
  group.emplace_back(key("params"), Value{std::move(indices)});
  return {std::move(group)};
}

// A parameter in torch's numbering: our place of it and what updates it.
struct Numbered {
  std::size_t place;
  OptimizerKind kind;
};
std::vector<Numbered> numbered(const std::vector<DecayGroup>& groups) {
  std::vector<Numbered> all;
  for (const DecayGroup& group : groups)
    for (const std::size_t place : group.parameters) all.push_back({place, group.kind});
  return all;
}

// By what torch keeps in its groups; absent where that does not tell. Files that do not say how
// their decay enters go for either Adam.
std::optional<OptimizerKind> kind_of(const Value& group, bool adam_is_adamw) {
  if (find(group, "ns_steps") != nullptr) return OptimizerKind::Muon;
  if (find(group, "dampening") != nullptr) return OptimizerKind::Sgd;
  if (find(group, "betas") == nullptr) return std::nullopt;
  const Value* const decoupled = find(group, "decoupled_weight_decay");
  const auto* const says = decoupled == nullptr ? nullptr : std::get_if<bool>(&decoupled->held);
  const bool adamw = says == nullptr ? adam_is_adamw : *says;
  return adamw ? OptimizerKind::AdamW : OptimizerKind::Adam;
}

std::vector<std::string_view> words(const std::set<OptimizerKind>& kinds) {
  std::vector<std::string_view> all;
  for (const OptimizerKind kind : kinds) all.push_back(name_of(kind));
  return all;
}

void refuse_another_optimizer(const std::vector<DecayGroup>& groups, const Value* saved) {
  const auto* const list = saved == nullptr ? nullptr : std::get_if<List>(&saved->held);
  if (list == nullptr) return;
  std::set<OptimizerKind> ours;
  for (const DecayGroup& group : groups) ours.insert(group.kind);
  std::set<OptimizerKind> theirs;
  for (const Value& group : *list) {
    const auto kind = kind_of(group, ours.contains(OptimizerKind::AdamW));
    if (!kind) return;
    theirs.insert(*kind);
  }
  if (theirs != ours)
    throw bad_input(
        fmt::format("the checkpoint is of a run with the optimizer {}, this one's is {}: "
                    "--optimizer must be the same",
                    fmt::join(words(theirs), " and "), fmt::join(words(ours), " and ")));
}

std::size_t total(const std::vector<std::size_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
}

std::vector<std::size_t> sizes_of(const std::vector<DecayGroup>& groups) {
  std::vector<std::size_t> sizes;
  for (const DecayGroup& group : groups) sizes.push_back(group.parameters.size());
  return sizes;
}

// Asked once something did not fit: a norm decay of its own makes another group, and with it other
// numbers for the parameters.
void refuse_other_groups(const std::vector<DecayGroup>& groups, const Value* saved) {
  const auto* const list = saved == nullptr ? nullptr : std::get_if<List>(&saved->held);
  if (list == nullptr) return;
  std::vector<std::size_t> theirs;
  for (const Value& group : *list) {
    const Value* const parameters = find(group, "params");
    const auto* const indices =
        parameters == nullptr ? nullptr : std::get_if<List>(&parameters->held);
    if (indices == nullptr) return;
    theirs.push_back(indices->size());
  }
  const std::vector<std::size_t> ours = sizes_of(groups);
  if (theirs != ours && total(theirs) == total(ours))
    throw bad_input(
        fmt::format("the checkpoint's optimizer has groups of {} parameters, this run's has {}: "
                    "--norm-weight-decay must be given as it was",
                    fmt::join(theirs, " + "), fmt::join(ours, " + ")));
}

const Array* buffer_of(const Value& states, std::size_t parameter) {
  const Value* const entry = find(states, static_cast<std::int64_t>(parameter));
  const Value* const buffer =
      entry == nullptr ? nullptr : find(*entry, slot_names(OptimizerKind::Sgd).first);
  return buffer == nullptr ? nullptr : std::get_if<Array>(&buffer->held);
}

// SGD without momentum leaves nothing, or None by older torch; with momentum it then starts at
// zero, which is what torch's first step makes of none.
bool remembers_momentum(const Value& states, const std::vector<Numbered>& parameters) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].kind == OptimizerKind::Sgd && buffer_of(states, i) != nullptr) return true;
  }
  return false;
}

void refuse_leftovers(const Value& states, std::size_t known) {
  const auto* const entries = std::get_if<Dict>(&states.held);
  if (entries == nullptr) return;
  for (const auto& [key, value] : *entries) {
    const auto* const number = std::get_if<std::int64_t>(&key);
    if (number != nullptr && (*number < 0 || static_cast<std::size_t>(*number) >= known))
      throw bad_input(
          fmt::format("the checkpoint is of another model: its optimizer knows a "
                      "parameter {}, this one's knows {} in all",
                      *number, known));
  }
}

void plan_entries(RestorePlan& plan, const OptimizerState& state, const Value& states) {
  const std::vector<Numbered> parameters = numbered(state.groups);
  const bool momentum = remembers_momentum(states, parameters);
  bool step_planned = false;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto [place, kind] = parameters[i];
    if (kind == OptimizerKind::Sgd && (!momentum || !state.first[place].defined())) continue;
    const Value* const entry = find(states, static_cast<std::int64_t>(i));
    if (entry == nullptr)
      throw bad_input(fmt::format("the checkpoint's optimizer knows nothing of parameter {}", i));
    const SlotNames names = slot_names(kind);
    const auto name = [i = i](const char* slot) { return fmt::format("optimizer.{}.{}", i, slot); };
    plan_one(plan, name(names.first), state.first[place], find(*entry, names.first));
    if (names.second == nullptr) continue;
    plan_one(plan, name(names.second), state.second[place], find(*entry, names.second));
    if (!step_planned) plan_one(plan, name("step"), state.steps[0], find(*entry, "step"));
    step_planned = true;
  }
}

}  // namespace

Value save_optimizer(Optimizer& optimizer, const OptimizerOptions& options) {
  const OptimizerState state = optimizer.state();
  Dict by_parameter;
  std::int64_t number = 0;
  for (const auto& [place, kind] : numbered(state.groups)) {
    const std::int64_t at = number++;
    if (!state.first[place].defined()) continue;  // torch keeps no entry of it either
    const SlotNames names = slot_names(kind);
    Dict entry;
    if (names.second != nullptr) entry.emplace_back(key("step"), Value{to_array(state.steps[0])});
    entry.emplace_back(key(names.first), Value{to_array(state.first[place])});
    if (names.second != nullptr)
      entry.emplace_back(key(names.second), Value{to_array(state.second[place])});
    by_parameter.emplace_back(at, Value{std::move(entry)});
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

void plan_optimizer(RestorePlan& plan, Optimizer& optimizer, const Value* saved) {
  const Value* const states = saved == nullptr ? nullptr : find(*saved, "state");
  if (states == nullptr) throw bad_input("the checkpoint has no 'optimizer' state");
  const OptimizerState state = optimizer.state();
  refuse_another_optimizer(state.groups, find(*saved, "param_groups"));
  refuse_leftovers(*states, numbered(state.groups).size());
  try {
    plan_entries(plan, state, *states);
  } catch (const Error&) {
    refuse_other_groups(state.groups, find(*saved, "param_groups"));
    throw;
  }
}

}  // namespace ridgeline
