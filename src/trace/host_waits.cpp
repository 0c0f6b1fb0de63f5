#include "trace/host_waits.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace ridgeline {
namespace {

struct Call {
  std::string_view name;
  std::string_view kind;  // as cuda_sync events name it
};

constexpr std::array kCalls{
    Call{"cudaEventSynchronize", "Event Sync"},    Call{"hipEventSynchronize", "Event Sync"},
    Call{"cudaStreamSynchronize", "Stream Sync"},  Call{"hipStreamSynchronize", "Stream Sync"},
    Call{"cudaDeviceSynchronize", "Context Sync"}, Call{"hipDeviceSynchronize", "Context Sync"},
};

// The kind, empty where it is no wait of the host; one stream's wait for another is none.
std::string_view kind_of_record(std::string_view name) {
  const auto found = std::ranges::find(kCalls, name, &Call::kind);
  return found == kCalls.end() ? std::string_view() : found->kind;
}

// Nsight Systems writes the version of the interface behind a call's name.
std::string_view without_version(std::string_view name) {
  const std::size_t mark = name.rfind("_v");
  const bool versioned = mark != std::string_view::npos && mark + 2 < name.size() &&
                         name.find_first_not_of("0123456789", mark + 2) == std::string_view::npos;
  return versioned ? name.substr(0, mark) : name;
}

std::string_view kind_of_call(std::string_view name) {
  name = without_version(name);
  const auto found = std::ranges::find(kCalls, name, &Call::name);
  return found == kCalls.end() ? std::string_view() : found->kind;
}

struct Wait {
  std::uint32_t event{};
  std::string_view kind{};
};

std::vector<Wait> waits_in(const EventTable& events) {
  std::vector<Wait> records;
  std::vector<Wait> calls;
  bool has_records = false;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (events.kind(i) == EventKind::Sync) {
      has_records = true;
      if (const auto kind = kind_of_record(events.name_text(i)); !kind.empty())
        records.push_back({i, kind});
    } else if (events.kind(i) == EventKind::Runtime) {
      if (const auto kind = kind_of_call(events.name_text(i)); !kind.empty())
        calls.push_back({i, kind});
    }
  }
  return has_records ? records : calls;
}

// When something was launched, in order.
std::vector<std::int64_t> launch_times(const EventTable& events, const DeviceWork& work) {
  std::vector<std::int64_t> times;
  for (const DeviceWork::Item& item : work.items()) {
    if (item.launch) times.push_back(events.start_ns(*item.launch));
  }
  std::ranges::sort(times);
  return times;
}

// The step launches something after the wait, and nobody launched anything during it.
bool holds_work_back(const TimeSpan& wait, const std::vector<TraceStep>& steps,
                     const std::vector<std::int64_t>& launches) {
  const auto step = step_at(steps, wait.start_ns);
  if (!step) return false;
  const auto next = std::ranges::upper_bound(launches, wait.start_ns);
  return next != launches.end() && *next >= wait.end_ns && *next < steps[*step].end_ns;
}

// Ops by external id, which older traces number anew: whether a wait lies in its op is for the
// clock to say.
class WaitingOps {
 public:
  WaitingOps(const EventTable& events, const std::vector<Wait>& waits) : events_(events) {
    for (const Wait& wait : waits) {
      if (events.external(wait.event) != 0) ops_.emplace(events.external(wait.event), std::nullopt);
    }
    for (std::uint32_t i = 0; i < events.size() && !ops_.empty(); ++i) {
      if (events.kind(i) != EventKind::CpuOp) continue;
      if (const auto op = ops_.find(events.external(i)); op != ops_.end()) op->second = i;
    }
  }
  // The number of its name.
  [[nodiscard]] std::optional<std::uint32_t> of(const Wait& wait) const {
    const auto op = ops_.find(events_.external(wait.event));
    if (op == ops_.end() || !op->second) return std::nullopt;
    const std::int64_t start = events_.start_ns(wait.event);
    const bool inside =
        events_.start_ns(*op->second) <= start && start <= events_.end_ns(*op->second);
    return inside ? std::optional(events_.name(*op->second)) : std::nullopt;
  }

 private:
  const EventTable& events_;
  std::unordered_map<std::uint32_t, std::optional<std::uint32_t>> ops_;
};

}  // namespace

HostWaits host_waits(const EventTable& events, const DeviceWork& work,
                     const std::vector<TraceStep>& steps) {
  const std::vector<Wait> waits = waits_in(events);
  if (waits.empty()) return {};
  const std::vector<std::int64_t> launches = launch_times(events, work);
  const WaitingOps ops(events, waits);
  std::map<std::string_view, HostWaitRow> rows;
  std::map<std::uint32_t, std::int64_t> by_op;  // before work
  std::vector<TimeSpan> all;
  std::vector<TimeSpan> holding;
  for (const Wait& wait : waits) {
    const std::int64_t took = events.duration_ns(wait.event);
    all.push_back({.start_ns = events.start_ns(wait.event), .end_ns = events.end_ns(wait.event)});
    HostWaitRow& row = rows[wait.kind];
    row.kind = wait.kind;
    ++row.count;
    row.total_ns = add_times(row.total_ns, took);
    row.longest_ns = std::max(row.longest_ns, took);
    if (steps.empty()) continue;
    if (!row.before_work) row.before_work = row.before_work_ns = 0;
    if (!holds_work_back(all.back(), steps, launches)) continue;
    holding.push_back(all.back());
    ++*row.before_work;
    row.before_work_ns = add_times(*row.before_work_ns, took);
    if (const auto op = ops.of(wait)) by_op[*op] = add_times(by_op[*op], took);
  }
  HostWaits out{.all = merged(std::move(all)), .holding = merged(std::move(holding))};
  for (auto& [kind, row] : rows) out.rows.push_back(std::move(row));
  std::ranges::stable_sort(out.rows, std::greater{}, &HostWaitRow::total_ns);
  const auto most = std::ranges::max_element(by_op, {}, [](const auto& one) { return one.second; });
  if (most != by_op.end()) out.op = events.names[most->first];
  return out;
}

}  // namespace ridgeline
