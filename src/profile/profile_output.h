#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/stack_sampler.h"
#include "profile/profile_json.h"
#include "profile/profile_steps.h"
#include "profile/profile_tables.h"
#include "profile/trace_writer.h"

namespace ridgeline {

// Every file of a profile, into its run folder: trace.json.gz, ops.csv, modules.csv, stacks.txt,
// flamegraph.svg, speedscope.json, profile.json, findings.txt, report.html; of a device copies.csv
// and gaps.csv; of memory memory.json, memory.png, memory.svg. A line for each picture that could
// not be drawn.
[[nodiscard]] std::vector<std::string> write_profile(
    const std::filesystem::path& folder, const ProfileResult& result, const ProfileTables& tables,
    const TraceFacts& facts, const ProfileView& view, const std::string& title,
    const std::string& findings);

// host_stacks.txt and host_flamegraph.svg, from sampled native stacks.
void write_host_stacks(const std::filesystem::path& folder, const StackSamples& samples,
                       const std::string& title);

// What is printed: tables, memory, cost, what is lacking.
[[nodiscard]] std::string profile_text(const ProfileResult& result, const ProfileTables& tables,
                                       const ProfileView& view);

}  // namespace ridgeline
