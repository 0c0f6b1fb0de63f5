#include "train/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "core/error.h"
#include "core/malformed.h"

namespace ridgeline {
namespace {

Key key(const char* name) { return std::string(name); }

template <class Element>
double element_of(const Array& array) {
  Element element{};
  std::memcpy(&element, array.bytes.data(), sizeof element);
  return static_cast<double>(element);
}

// Python's scripts keep a number as a tensor where they forgot .item().
std::optional<double> only_element(const Array& array) {
  if (element_count(array) != 1) return std::nullopt;
  switch (array.dtype) {
    case DType::F32:
      return element_of<float>(array);
    case DType::F64:
      return element_of<double>(array);
    case DType::I32:
      return element_of<std::int32_t>(array);
    case DType::I64:
      return element_of<std::int64_t>(array);
    default:
      return std::nullopt;
  }
}

std::optional<double> number(const Value* value) {
  if (value == nullptr) return std::nullopt;
  if (const auto* const array = std::get_if<Array>(&value->held)) return only_element(*array);
  if (const auto* const whole = std::get_if<std::int64_t>(&value->held))
    return static_cast<double>(*whole);
  if (const auto* const real = std::get_if<double>(&value->held)) return *real;
  return std::nullopt;
}

std::optional<double> number(const Value& dict, const char* name) {
  return number(find(dict, name));
}

bool is_true(const Value* value) {
  const auto* const flag = value == nullptr ? nullptr : std::get_if<bool>(&value->held);
  return flag != nullptr && *flag;
}

// Counts in a file are hostile: a double beyond this has no exact neighbours.
constexpr double kLargestCount = 1e15;

std::int64_t count(const Value& dict, const char* name) {
  const auto value = number(dict, name);
  if (!value || !(*value >= 0) || *value > kLargestCount || std::floor(*value) != *value)
    throw bad_input(fmt::format("the checkpoint's '{}' is no count", name));
  return static_cast<std::int64_t>(*value);
}

// Files from before the model was described do not say, nor do they of what was added later.
void require_same_architecture(const Value* described, const CheckpointFacts& facts) {
  if (described == nullptr) return;
  std::string changes;
  for (const auto& [name, now] : facts.architecture) {
    const Value* const value = find(*described, name);
    const auto* const before = value == nullptr ? nullptr : std::get_if<std::string>(&value->held);
    if (before == nullptr || *before == now) continue;
    changes += fmt::format("{}{} was {}, is {}", changes.empty() ? "" : "; ", name,
                           on_one_line(*before), now);
  }
  if (!changes.empty())
    throw bad_input(fmt::format("the checkpoint is of another {}: {}", facts.model, changes));
}

void require_same_model(const Value& ours, const CheckpointFacts& facts) {
  const Value* const held = find(ours, "model");
  const auto* const name = held == nullptr ? nullptr : std::get_if<std::string>(&held->held);
  if (name == nullptr) throw bad_input("the checkpoint does not say of which model it is");
  // Earlier versions left the family out of a resized model's name: "32x1".
  if (*name != facts.model && !facts.model.ends_with("-" + *name))
    throw bad_input(
        fmt::format("the checkpoint is of {}, not of {}", on_one_line(*name), facts.model));
  require_same_architecture(find(ours, "architecture"), facts);
}

// What was trained on must not be judged by, nor accuracies of two sets be compared. Files from
// before images could be held out do not say.
void require_same_hold_out(const Value& ours, const CheckpointFacts& facts) {
  const bool says = find(ours, "hold_out") != nullptr;
  const std::int64_t held_out = says ? count(ours, "hold_out") : 0;
  if (held_out != facts.hold_out)
    throw bad_input(
        fmt::format("the checkpoint's run held out {} training images or tokens, this one {}: "
                    "--hold-out must be the same",
                    held_out, facts.hold_out));
}

void add_note(ResumePoint& point, const std::string& note) {
  point.note += point.note.empty() ? note : "; " + note;
}

// "optimizer.learning_rate was 0.1, is 0.05". Older files do not say.
void note_changes(ResumePoint& point, const Value* recipe, const CheckpointFacts& facts) {
  if (recipe == nullptr) return;
  const auto* const held = std::get_if<Dict>(&recipe->held);
  if (held == nullptr) throw bad_input("the checkpoint's 'recipe' is no dictionary");
  for (const auto& [name, now] : facts.recipe) {
    const Value* const value = find(*recipe, name);
    const auto* const before = value == nullptr ? nullptr : std::get_if<std::string>(&value->held);
    if (before == nullptr)
      add_note(point, fmt::format("{} was not set, is {}", name, now));
    else if (*before != now)
      add_note(point, fmt::format("{} was {}, is {}", name, on_one_line(*before), now));
  }
  for (const auto& [key, value] : *held) {
    const auto* const name = std::get_if<std::string>(&key);
    const auto known = [&](const auto& line) { return name != nullptr && line.first == *name; };
    if (name != nullptr && std::ranges::none_of(facts.recipe, known))
      add_note(point, fmt::format("{} is no longer set", on_one_line(*name)));
  }
}

// Half an epoch of one set and half of another is an epoch of neither. Files from before the
// content was kept do not say.
void compare_data(ResumePoint& point, const Value& ours, const CheckpointFacts& facts) {
  const Value* const value = find(ours, "data");
  const auto* const before = value == nullptr ? nullptr : std::get_if<std::string>(&value->held);
  if (before == nullptr || *before == facts.data) return;
  const std::string change =
      fmt::format("the data was {}; is {}", on_one_line(*before), facts.data);
  if (point.state.step % facts.steps_per_epoch != 0)
    throw bad_input(fmt::format("the checkpoint lies inside an epoch of other data: {}", change));
  add_note(point, change);
}

Value lines_value(const std::vector<std::pair<std::string, std::string>>& lines) {
  Dict dict;
  for (const auto& [name, value] : lines) dict.emplace_back(name, Value{value});
  return {std::move(dict)};
}

ResumePoint read_ours(const Value& ours, const CheckpointFacts& facts) {
  require_same_model(ours, facts);
  require_same_hold_out(ours, facts);
  ResumePoint point;
  point.state.step = count(ours, "step");
  point.state.epoch_samples = count(ours, "epoch_samples");
  point.state.epoch_correct = count(ours, "epoch_correct");
  point.state.epoch_loss_sum = number(ours, "epoch_loss_sum").value_or(0);
  point.state.test_is_due = point.state.step > 0 && is_true(find(ours, "test_is_due"));
  const std::int64_t steps_per_epoch = count(ours, "steps_per_epoch");
  if (steps_per_epoch != facts.steps_per_epoch) {
    if (steps_per_epoch < 1 || point.state.step % steps_per_epoch != 0)
      throw bad_input(
          fmt::format("the checkpoint lies inside an epoch of {} steps, this run's "
                      "epochs have {}; use the same batch size and data",
                      steps_per_epoch, facts.steps_per_epoch));
    point.state.step = point.state.step / steps_per_epoch * facts.steps_per_epoch;
    add_note(point,
             fmt::format("epochs had {} steps, now {}", steps_per_epoch, facts.steps_per_epoch));
  }
  compare_data(point, ours, facts);
  const Value* const seed = find(ours, "seed");
  const auto* const number_of_seed =
      seed == nullptr ? nullptr : std::get_if<std::int64_t>(&seed->held);
  if (number_of_seed == nullptr || *number_of_seed != static_cast<std::int64_t>(facts.seed))
    add_note(point, "the seed is another: the order of the data differs from the first run's");
  if (count(ours, "total_steps") != facts.total_steps)
    add_note(point, "the run has another length: so has the schedule of the rate");
  note_changes(point, find(ours, "recipe"), facts);
  return point;
}

}  // namespace

Value make_checkpoint(Value trainer_state, const LoopState& state, const CheckpointFacts& facts) {
  auto& dict = std::get<Dict>(trainer_state.held);
  dict.emplace_back(key("scheduler"), Value{Dict{{key("last_epoch"), {state.step}}}});
  dict.emplace_back(key("epoch"), Value{state.step / facts.steps_per_epoch});
  if (state.best_loss) dict.emplace_back(key("best_loss"), Value{*state.best_loss});
  if (state.best_accuracy >= 0) dict.emplace_back(key("best_acc"), Value{state.best_accuracy});
  dict.emplace_back(key("ridgeline"),
                    Value{Dict{{key("model"), {facts.model}},
                               {key("seed"), {static_cast<std::int64_t>(facts.seed)}},
                               {key("step"), {state.step}},
                               {key("steps_per_epoch"), {facts.steps_per_epoch}},
                               {key("total_steps"), {facts.total_steps}},
                               {key("hold_out"), {facts.hold_out}},
                               {key("data"), {facts.data}},
                               {key("architecture"), lines_value(facts.architecture)},
                               {key("recipe"), lines_value(facts.recipe)},
                               {key("epoch_loss_sum"), {state.epoch_loss_sum}},
                               {key("epoch_correct"), {state.epoch_correct}},
                               {key("epoch_samples"), {state.epoch_samples}},
                               {key("test_is_due"), {state.test_is_due}}}});
  return trainer_state;
}

ResumePoint read_checkpoint(const Value& checkpoint, const CheckpointFacts& facts) {
  if (find(checkpoint, "model") == nullptr)
    throw bad_input(
        "this is no checkpoint of a training run: it has no 'model' (weights alone are "
        "taken by --weights)");
  ResumePoint point;
  if (const Value* const ours = find(checkpoint, "ridgeline")) {
    point = read_ours(*ours, facts);
  } else {
    const std::int64_t epoch = count(checkpoint, "epoch");
    if (epoch > static_cast<std::int64_t>(kLargestCount) / facts.steps_per_epoch)
      throw bad_input("the checkpoint's 'epoch' is beyond any run");
    point.state.step = epoch * facts.steps_per_epoch;
    point.note = "not written by Ridgeline: it goes on at the start of an epoch";
  }
  const char* const best = find(checkpoint, "best_acc") != nullptr ? "best_acc" : "best_accuracy";
  point.state.best_accuracy = number(checkpoint, best).value_or(-1);
  if (find(checkpoint, best) != nullptr && !number(checkpoint, best))
    add_note(point, fmt::format("its {} is no number and is left out", best));
  point.state.best_loss = number(checkpoint, "best_loss");
  return point;
}

}  // namespace ridgeline
