#include "profile/host_stacks.h"

#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "core/atomic_file.h"

namespace ridgeline {
namespace {

// "layers.3.ffn;aten::mm;"; a frame that is no op has none.
std::string root_of(const OpRecord& frame, const Recording& recording) {
  const NameId module = frame.kind == FrameKind::Module ? frame.name : frame.module;
  std::string root;
  if (module != 0) root += folded_name(recording.name(module)) + ";";
  if (frame.kind != FrameKind::Module && frame.kind != FrameKind::Step)
    root += folded_name(recording.name(frame.name)) + ";";
  return root;
}

}  // namespace

std::vector<FoldedStack> host_stacks(const StackSamples& samples, const Recording& recording) {
  std::unordered_map<std::uint32_t, const OpRecord*> frames;
  for (const OpRecord& op : recording.ops) frames.emplace(op.id, &op);
  std::map<std::string, std::uint64_t> counts;
  for (const SampledStack& stack : samples.stacks) {
    const auto frame = frames.find(stack.tag);
    const std::string root =
        frame == frames.end() ? std::string() : root_of(*frame->second, recording);
    counts[root + stack.frames] += stack.samples;
  }
  std::vector<FoldedStack> stacks;
  for (const auto& [stack, count] : counts)
    stacks.push_back({.frames = stack, .value = static_cast<double>(count)});
  return stacks;
}

std::string write_host_stacks(const std::filesystem::path& folder, const StackSamples& samples,
                              const Recording& recording, const std::string& title) {
  const auto stacks = host_stacks(samples, recording);
  write_folded_stacks(folder / "host_stacks.txt", stacks);
  write_file_atomically(folder / "host_flamegraph.svg",
                        flame_graph_svg(stacks, {.title = title + ", host", .unit = "samples"}));
  if (samples.taken == 0 && !recording.steps.empty())
    return "--host-stacks: no sample was taken, the recorded steps were too short; record more "
           "with --steps";
  if (samples.lost > 0)
    return fmt::format("--host-stacks: {} of {} samples found no room and are missing",
                       samples.lost, samples.taken + samples.lost);
  return {};
}

}  // namespace ridgeline
