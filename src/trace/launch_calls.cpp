#include "trace/launch_calls.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ridgeline {
namespace {

// Of the processes that bear one id so many are looked at, those whose calls came last before the
// work: two machines of eight GPUs, and a bound for files that claim any number.
constexpr std::ptrdiff_t kMostRivals = 16;

bool is_call(EventKind kind) { return kind == EventKind::Runtime || kind == EventKind::Driver; }

}  // namespace

// Where a runtime call wraps a driver call of the same id, the runtime call: it is what the program
// waited for. Of duplicates in one process the first in time.
LaunchCalls::LaunchCalls(const EventTable& events) : events_(events) {
  const auto is_better = [&](std::uint32_t a, std::uint32_t b) {
    if (events.kind(a) != events.kind(b)) return events.kind(a) == EventKind::Runtime;
    return events.start_ns(a) < events.start_ns(b);
  };
  std::unordered_set<std::uint32_t> shared;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (!is_call(events.kind(i)) || events.correlation(i) == 0) continue;
    const auto [found, fresh] = calls_.emplace(events.correlation(i), i);
    if (fresh) continue;
    if (process_of(i) != process_of(found->second)) {
      shared.insert(events.correlation(i));
    } else if (is_better(i, found->second)) {
      found->second = i;
    }
  }
  if (shared.empty()) return;
  gather_shared(shared);
  choose_processes();
}

// The best call of each process for each of the ids.
void LaunchCalls::gather_shared(const std::unordered_set<std::uint32_t>& ids) {
  for (std::uint32_t i = 0; i < events_.size(); ++i) {
    if (is_call(events_.kind(i)) && ids.contains(events_.correlation(i))) shared_.push_back(i);
  }
  const auto owner = [&](std::uint32_t i) {
    return std::pair(events_.correlation(i), process_of(i));
  };
  std::ranges::stable_sort(shared_, {}, [&](std::uint32_t i) {
    return std::tuple(owner(i), events_.kind(i) != EventKind::Runtime, events_.start_ns(i));
  });
  const auto worse = std::ranges::unique(shared_, {}, owner);
  shared_.erase(worse.begin(), worse.end());
  std::ranges::stable_sort(shared_, {}, [&](std::uint32_t i) {
    return std::pair(events_.correlation(i), events_.start_ns(i));
  });
}

// The last that begin before the work does, or the first of all where none does; in order of start.
std::pair<LaunchCalls::Places::const_iterator, LaunchCalls::Places::const_iterator>
LaunchCalls::rivals_of(std::uint32_t work) const {
  const auto id = [&](std::uint32_t i) { return events_.correlation(i); };
  const auto same = std::ranges::equal_range(shared_, events_.correlation(work), {}, id);
  const auto begun = std::ranges::upper_bound(same, events_.start_ns(work), {},
                                              [&](std::uint32_t i) { return events_.start_ns(i); });
  if (begun == same.begin()) return {same.begin(), same.empty() ? same.end() : same.begin() + 1};
  return {begun - std::min(kMostRivals, begun - same.begin()), begun};
}

// A call explains work that it begins before.
std::map<std::int64_t, LaunchCalls::Candidates> LaunchCalls::candidates() const {
  std::map<std::int64_t, Candidates> devices;
  for (std::uint32_t i = 0; i < events_.size(); ++i) {
    if (!is_device_work(events_.kind(i))) continue;
    Candidates& device = devices[events_.track(i).process];
    const auto add = [&](std::uint32_t call) {
      if (events_.start_ns(call) <= events_.start_ns(i)) ++device.explained[process_of(call)];
    };
    const auto [first, last] = rivals_of(i);
    std::for_each(first, last, add);
    if (first != last) {
      device.first_start = std::min(device.first_start, events_.start_ns(i));
    } else if (const auto call = calls_.find(events_.correlation(i)); call != calls_.end()) {
      add(call->second);
    }
  }
  return devices;
}

// First the devices of which one process explains more than all others. Then those of which several
// explain as much, as ranks do that work in step: a process has one device, mostly, and whose calls
// come first has the device that begins first.
void LaunchCalls::choose_processes() {
  std::map<std::int64_t, std::int64_t> first_call;  // by process
  for (const std::uint32_t call : shared_) {
    const auto [found, fresh] = first_call.try_emplace(process_of(call), events_.start_ns(call));
    if (!fresh) found->second = std::min(found->second, events_.start_ns(call));
  }
  std::map<std::int64_t, std::size_t> taken;  // devices, by process
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> undecided;
  for (const auto& [device, candidates] : candidates()) {
    const std::vector<std::int64_t> best = candidates.best();
    if (best.size() == 1) {
      process_of_device_[device] = best.front();
      ++taken[best.front()];
    } else if (!best.empty()) {
      undecided[{candidates.first_start, device}] = best;
    }
  }
  for (const auto& [key, best] : undecided) {
    const std::int64_t process = *std::ranges::min_element(
        best, {}, [&](std::int64_t one) { return std::pair(taken[one], first_call[one]); });
    process_of_device_[key.second] = process;
    ++taken[process];
  }
}

std::vector<std::int64_t> LaunchCalls::Candidates::best() const {
  std::uint64_t most = 0;
  std::vector<std::int64_t> processes;
  for (const auto& [process, count] : explained) {
    if (count > most) processes.clear();
    if (count >= most) processes.push_back(process);
    most = std::max(most, count);
  }
  return processes;
}

std::optional<std::uint32_t> LaunchCalls::of(std::uint32_t work) const {
  if (!shared_.empty()) {
    const auto [first, last] = rivals_of(work);
    const auto device = process_of_device_.find(events_.track(work).process);
    if (device != process_of_device_.end()) {
      const auto own = std::find_if(
          first, last, [&](std::uint32_t call) { return process_of(call) == device->second; });
      if (own != last) return *own;
    }
    if (first != last) return *(last - 1);
  }
  const auto call = calls_.find(events_.correlation(work));
  return call == calls_.end() ? std::nullopt : std::optional(call->second);
}

}  // namespace ridgeline
