#include <array>
#include <string>

#include <fmt/format.h>

#include "core/format.h"
#include "trace/finding_rules.h"
#include "trace/module_kind.h"

namespace ridgeline::rules {
namespace {

constexpr double kManyAllocations = 100;  // a step
constexpr double kMostlySmall = 0.5;
constexpr double kUnusedPart = 0.2;
constexpr double kSpikePart = 0.2;
constexpr double kGrowth = 1.1;

double percent(Bytes part, Bytes whole) { return 100 * part.count / whole.count; }

}  // namespace

std::optional<std::string> memory_peak(const ProfileFacts& facts) {
  if (!facts.memory || facts.memory->peak.count <= 0) return std::nullopt;
  const MemoryFacts& memory = *facts.memory;
  const std::string device = memory.device.empty() ? "" : " on " + told(memory.device);
  std::string text =
      memory.since_start
          ? fmt::format("Memory allocated{} grew by up to {} since the recording began", device,
                        format_bytes(memory.peak))
          : fmt::format("Peak memory {}{} is {}",
                        memory.of_process ? "of the process" : "allocated", device,
                        format_bytes(memory.peak));
  if (memory.capacity.count > 0)
    text += fmt::format(" ({:.1f} % of {})", percent(memory.peak, memory.capacity),
                        format_bytes(memory.capacity));
  if (!memory.phase.empty()) text += fmt::format(", in the {}", memory.phase);
  if (!memory.phase.empty() && !memory.module.empty())
    text += fmt::format(" of {}", told(memory.module));
  if (!memory.op.empty()) text += fmt::format(", at {}", told(memory.op));
  std::string parts;
  const std::array named{std::pair{"parameters", memory.parameters},
                         std::pair{"gradients", memory.gradients},
                         std::pair{"activations", memory.activations},
                         std::pair{"optimizer state", memory.optimizer_state},
                         std::pair{"temporaries", memory.temporaries},
                         std::pair{"inputs", memory.inputs},
                         std::pair{"buffers", memory.buffers},
                         std::pair{"not known", memory.other}};
  for (const auto& [name, bytes] : named) {
    if (percent(bytes, memory.peak) < 0.5) continue;
    parts +=
        fmt::format("{}{} {:.0f} %", parts.empty() ? "" : ", ", name, percent(bytes, memory.peak));
  }
  text += parts.empty() ? "." : fmt::format(": {}.", parts);
  // On a host the two differ by hundreds of megabytes.
  if (!memory.of_process && !facts.on_gpu) text += " What the process holds besides is not in it.";
  return text;
}

std::optional<std::string> peak_in_attention(const ProfileFacts& facts) {
  if (!facts.memory) return std::nullopt;
  const MemoryFacts& memory = *facts.memory;
  if (kind_of_op(memory.op) == OpKind::Attention)
    return fmt::format("The peak falls into attention ({}).", told(memory.op));
  // The op that allocates is often a plain aten::empty inside of it; the module tells.
  if (!within_attention(memory.module)) return std::nullopt;
  return fmt::format("The peak falls into attention ({}).", told(memory.module));
}

std::optional<std::string> growth_in_forward(const ProfileFacts& facts) {
  if (!facts.runs_backward || !facts.memory || facts.memory->before_forward.count <= 0)
    return std::nullopt;
  const MemoryFacts& memory = *facts.memory;
  if (memory.after_forward.count < kGrowth * memory.before_forward.count) return std::nullopt;
  return fmt::format(
      "Memory grows in the forward, from {} to {}: activations kept for the backward.",
      format_bytes(memory.before_forward), format_bytes(memory.after_forward));
}

std::optional<std::string> small_allocations(const ProfileFacts& facts) {
  if (!facts.memory || facts.memory->allocations < kManyAllocations) return std::nullopt;
  const MemoryFacts& memory = *facts.memory;
  if (memory.small_allocations < kMostlySmall * memory.allocations) return std::nullopt;
  return fmt::format("Frequent small allocations: {:.0f} of {:.0f} a step are below {}.",
                     memory.small_allocations, memory.allocations, format_bytes(kSmallAllocation));
}

std::optional<std::string> fragmentation(const ProfileFacts& facts) {
  // How much of it serves something is not known without what was in use at the beginning.
  if (!facts.memory || facts.memory->reserved.count <= 0 || facts.memory->since_start)
    return std::nullopt;
  const MemoryFacts& memory = *facts.memory;
  const Bytes unused{memory.reserved.count - memory.peak.count};
  if (unused.count < kUnusedPart * memory.reserved.count) return std::nullopt;
  return fmt::format(
      "Fragmentation: the allocator holds {}, of which {} ({:.0f} %) serve nothing at the peak.",
      format_bytes(memory.reserved), format_bytes(unused), percent(unused, memory.reserved));
}

std::optional<std::string> memory_spikes(const ProfileFacts& facts) {
  if (!facts.memory || facts.memory->peak.count <= 0) return std::nullopt;
  const MemoryFacts& memory = *facts.memory;
  if (memory.temporaries.count < kSpikePart * memory.peak.count) return std::nullopt;
  return fmt::format(
      "Memory spikes: {} of the peak ({:.0f} %) are temporaries that live for one op or phase.",
      format_bytes(memory.temporaries), percent(memory.temporaries, memory.peak));
}

}  // namespace ridgeline::rules
