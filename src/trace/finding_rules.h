#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trace/profile_facts.h"

namespace ridgeline::rules {

// A name out of a recording as a sentence may bear it: other people's files name ops as they like,
// in megabytes and with what steers a terminal.
[[nodiscard]] std::string told(std::string_view name);
// "4.24x" for a part of a whole that could be won; absent where it says nothing: no part, or all.
[[nodiscard]] std::optional<std::string> most_won(double part);

// One function a finding; findings.cpp has the table. Of time:
std::optional<std::string> incomplete_trace(const ProfileFacts& facts);
std::optional<std::string> unseen_device(const ProfileFacts& facts);
std::optional<std::string> top_operations(const ProfileFacts& facts);
std::optional<std::string> kind_shares(const ProfileFacts& facts);
std::optional<std::string> attention_dominates(const ProfileFacts& facts);
std::optional<std::string> products_dominate(const ProfileFacts& facts);
std::optional<std::string> kernel_counts(const ProfileFacts& facts);
std::optional<std::string> many_small_kernels(const ProfileFacts& facts);
std::optional<std::string> device_utilisation(const ProfileFacts& facts);
std::optional<std::string> held_clocks(const ProfileFacts& facts);
std::optional<std::string> communication(const ProfileFacts& facts);
std::optional<std::string> host_waits(const ProfileFacts& facts);
std::optional<std::string> data_loading(const ProfileFacts& facts);
std::optional<std::string> copies_to_device(const ProfileFacts& facts);
std::optional<std::string> copies_between_ops(const ProfileFacts& facts);
std::optional<std::string> flop_utilisation(const ProfileFacts& facts);
std::optional<std::string> surpassed_peak(const ProfileFacts& facts);
std::optional<std::string> absent_peaks(const ProfileFacts& facts);
std::optional<std::string> what_binds(const ProfileFacts& facts);
std::optional<std::string> fusable(const ProfileFacts& facts);
std::optional<std::string> cost_of_profiling(const ProfileFacts& facts);
// Of memory:
std::optional<std::string> memory_peak(const ProfileFacts& facts);
std::optional<std::string> peak_in_attention(const ProfileFacts& facts);
std::optional<std::string> growth_in_forward(const ProfileFacts& facts);
std::optional<std::string> small_allocations(const ProfileFacts& facts);
std::optional<std::string> fragmentation(const ProfileFacts& facts);
std::optional<std::string> memory_spikes(const ProfileFacts& facts);

}  // namespace ridgeline::rules
