#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/stack_sampler.h"
#include "profile/records.h"
#include "profile/stacks.h"

namespace ridgeline {

// Sampled native stacks, tagged with ids of frames (FrameHooks::current), each under the module and
// the op that were open then, where that is known.
[[nodiscard]] std::vector<FoldedStack> host_stacks(const StackSamples& samples,
                                                   const Recording& recording);

// host_stacks.txt and host_flamegraph.svg. Returns what is to be said of them: that there are no
// samples, or how many found no room; empty in the normal case.
[[nodiscard]] std::string write_host_stacks(const std::filesystem::path& folder,
                                            const StackSamples& samples, const Recording& recording,
                                            const std::string& title);

}  // namespace ridgeline
