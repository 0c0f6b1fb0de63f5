#include "measure/fit.h"

#include <fmt/format.h>

#include "core/format.h"

namespace ridgeline {
namespace {

constexpr long kShortContext = 128;  // below this a language model's context says little
constexpr long kLeastContext = 16;
constexpr const char* kNothingKnown = "nothing is known about a smaller version";
// Of what was not enough: what libraries and fragments of the heap take is in no prediction.
constexpr double kSafety = 0.7;

long* batch_of(ModelSpec& model) {
  return std::visit(
      [](auto& m) -> long* {
        if constexpr (requires { m.batch_size; }) return &m.batch_size;
        return nullptr;
      },
      model);
}

long* context_of(ModelSpec& model) {
  return std::visit(
      [](auto& m) -> long* {
        if constexpr (requires { m.context_length; }) return &m.context_length;
        return nullptr;
      },
      model);
}

// The largest value up to the model's own of one dimension with which it fits; 0 when none does.
long largest_fitting(ModelSpec model, long* (*dimension)(ModelSpec&), const RunSettings& settings,
                     Bytes available) {
  long* const value = dimension(model);
  long low = 0;
  long high = *value;
  while (low < high) {
    *value = low + (high - low + 1) / 2;
    if (fits(model, settings, available)) {
      low = *value;
    } else {
      high = *value - 1;
    }
  }
  return low;
}

std::string fitting_text(long batch, const long* context, std::string_view verb) {
  return context != nullptr ? fmt::format("batch {} at context {} {} fit", batch, *context, verb)
                            : fmt::format("batch {} {} fit", batch, verb);
}

}  // namespace

bool fits(const ModelSpec& model, const RunSettings& settings, Bytes available) {
  const auto need = memory_need(model, settings);
  return !need || need->peak + kProcessOverhead <= available;
}

std::string largest_that_fits(const ModelSpec& model, const RunSettings& settings,
                              Bytes available) {
  ModelSpec smaller = model;
  long* const batch = batch_of(smaller);
  long* const context = context_of(smaller);
  if (batch == nullptr) return kNothingKnown;
  if (const long found = largest_fitting(smaller, batch_of, settings, available); found > 0)
    return fitting_text(found, context, "would");
  *batch = 1;
  if (context != nullptr) {
    if (const long found = largest_fitting(smaller, context_of, settings, available);
        found >= kLeastContext) {
      return fmt::format("batch 1 at context {} would fit", found);
    }
  }
  return "no batch would fit: parameters, gradients and optimizer state alone are too large";
}

std::string smaller_that_fits(const ModelSpec& model, const RunSettings& settings,
                              const Shortage& shortage) {
  ModelSpec smaller = model;
  long* const batch = batch_of(smaller);
  long* const context = context_of(smaller);
  if (batch == nullptr) return kNothingKnown;
  Bytes room = shortage.available;
  if (shortage.used.count > 0) room = std::min(room, shortage.used);
  // Where the prediction says that this would have had room, it says too little of others as well.
  if (const auto need = memory_need(model, settings))
    room = std::min(room, need->peak + kProcessOverhead);
  if (*batch == 1) {
    if (context == nullptr || *context <= kLeastContext) return "nothing smaller is left to try";
    return fmt::format("try context {}", std::max(*context / 2, kLeastContext));
  }
  --*batch;
  if (const long found = largest_fitting(smaller, batch_of, settings, kSafety * room); found > 0)
    return fitting_text(found, context, "should");
  // What could be used when it failed may be far below what could be had.
  return fmt::format("try batch {}", (*batch + 1) / 2);
}

std::string shortage_message(const ModelSpec& model, const RunSettings& settings, Bytes available) {
  const auto need = memory_need(model, settings);
  if (!need) return fmt::format("out of memory: {} available", format_bytes(available));
  return fmt::format(
      "out of memory: needs {} (parameters {}, gradients {}, optimizer {}, activations {}, batch "
      "{}), {} "
      "available; {}",
      format_bytes(need->peak + kProcessOverhead), format_bytes(need->parameters),
      format_bytes(need->gradients), format_bytes(need->optimizer_state),
      format_bytes(need->activations), format_bytes(need->batch), format_bytes(available),
      largest_that_fits(model, settings, available));
}

std::optional<ModelSpec> next_smaller(const ModelSpec& model) {
  ModelSpec smaller = model;
  long* const batch = batch_of(smaller);
  long* const context = context_of(smaller);
  if (context != nullptr && *context > kShortContext) {
    *context = std::max(*context / 2, kShortContext);
  } else if (batch != nullptr && *batch > 1) {
    *batch /= 2;
  } else if (context != nullptr && *context > kLeastContext) {
    *context = std::max(*context / 2, kLeastContext);
  } else {
    return std::nullopt;
  }
  return smaller;
}

std::optional<ModelSpec> fit(const ModelSpec& model, const RunSettings& settings, Bytes available) {
  ModelSpec candidate = model;
  while (!fits(candidate, settings, available)) {
    const auto smaller = next_smaller(candidate);
    if (!smaller) return std::nullopt;
    candidate = *smaller;
  }
  return candidate;
}

std::string describe_change(const ModelSpec& before, const ModelSpec& after, Bytes available) {
  ModelSpec from_spec = before;
  ModelSpec to_spec = after;
  std::string change;
  const auto note = [&](std::string_view name, const long* from, const long* to) {
    if (from == nullptr || *from == *to) return;
    change += fmt::format("{}{} {} -> {}", change.empty() ? "" : ", ", name, *from, *to);
  };
  note("context", context_of(from_spec), context_of(to_spec));
  note("batch", batch_of(from_spec), batch_of(to_spec));
  return change.empty() ? change : fmt::format("{} to fit {}", change, format_bytes(available));
}

}  // namespace ridgeline
