#include "trace/op_table.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "trace/module_kind.h"

namespace ridgeline {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Of Python's functions the modules: the others are a trace's ten thousands, and no reader asks for
// the time of a lambda.
bool is_host_work(const EventTable& events, std::uint32_t i) {
  const EventKind kind = events.kind(i);
  if (kind == EventKind::PythonFunction) return events.name_text(i).starts_with(kModulePrefix);
  return kind == EventKind::CpuOp || kind == EventKind::UserAnnotation ||
         kind == EventKind::Foreign || kind == EventKind::Runtime || kind == EventKind::Driver;
}

bool is_call(EventKind kind) { return kind == EventKind::Runtime || kind == EventKind::Driver; }

// Who is nested in whom, thread by thread.
struct HostTree {
  std::vector<std::uint32_t> order{};   // host events, an outer one before those in it
  std::vector<std::uint32_t> parent{};  // by event; kNone outermost, and for all that is not host
};

// An event that begins inside another but ends after it is no child (clocks and threads are not
// perfect): it would make that one's self time negative.
HostTree host_tree(const EventTable& events) {
  HostTree tree{.order = {}, .parent = std::vector<std::uint32_t>(events.size(), kNone)};
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (is_host_work(events, i)) tree.order.push_back(i);
  }
  std::ranges::stable_sort(tree.order, [&](std::uint32_t a, std::uint32_t b) {
    if (events.track_number(a) != events.track_number(b))
      return events.track_number(a) < events.track_number(b);
    if (events.start_ns(a) != events.start_ns(b)) return events.start_ns(a) < events.start_ns(b);
    return events.duration_ns(a) > events.duration_ns(b);
  });
  std::vector<std::uint32_t> open;
  for (const std::uint32_t i : tree.order) {
    while (!open.empty() && (events.track_number(open.back()) != events.track_number(i) ||
                             events.end_ns(open.back()) <= events.start_ns(i))) {
      open.pop_back();
    }
    const auto around = std::find_if(open.rbegin(), open.rend(), [&](std::uint32_t outer) {
      return events.end_ns(outer) >= events.end_ns(i);
    });
    if (around != open.rend()) tree.parent[i] = *around;
    open.push_back(i);
  }
  return tree;
}

class OpSums {
 public:
  OpSums(const EventTable& events, const HostTree& tree, const std::vector<TraceStep>& steps)
      : events_(events), tree_(tree), steps_(steps) {}

  void add_host(std::uint32_t event) {
    const std::int64_t duration = events_.duration_ns(event);
    TraceOpRow& row = row_of(event);
    ++row.calls;
    add_self_host(row, event, duration);
    bool nested_in_itself = false;
    for (std::uint32_t up = tree_.parent[event]; up != kNone; up = tree_.parent[up])
      nested_in_itself = nested_in_itself || key_of(up) == key_of(event);
    const bool inside = is_in(steps_, events_.start_ns(event));
    row.in_steps.calls += inside ? 1U : 0U;
    if (!nested_in_itself) {
      row.host_ns = add_times(row.host_ns, duration);
      if (inside) row.in_steps.host_ns = add_times(row.in_steps.host_ns, duration);
    }
    if (const std::uint32_t outer = tree_.parent[event]; outer != kNone)
      add_self_host(row_of(outer), outer, -duration);
  }

  // `cause` is the innermost host event that asked for the work.
  void add_device(std::uint32_t cause, std::int64_t duration) {
    const bool inside = is_in(steps_, events_.start_ns(cause));
    seen_.clear();
    bool self_taken = false;
    for (std::uint32_t up = cause; up != kNone; up = tree_.parent[up]) {
      TraceOpRow& row = row_of(up);
      // The op called the runtime to launch; the time is the op's own doing as much as the call's.
      if (!self_taken && (!is_call(events_.kind(up)) || up == cause)) {
        row.self_device_ns = add_times(row.self_device_ns, duration);
        if (inside) row.in_steps.self_device_ns = add_times(row.in_steps.self_device_ns, duration);
        self_taken = !is_call(events_.kind(up));
      }
      if (std::ranges::find(seen_, key_of(up)) != seen_.end()) continue;
      seen_.push_back(key_of(up));
      row.device_ns = add_times(row.device_ns, duration);
    }
  }

  [[nodiscard]] std::vector<TraceOpRow> take() { return std::move(rows_); }

 private:
  void add_self_host(TraceOpRow& row, std::uint32_t event, std::int64_t duration) {
    row.self_host_ns = add_times(row.self_host_ns, duration);
    if (is_in(steps_, events_.start_ns(event)))
      row.in_steps.self_host_ns = add_times(row.in_steps.self_host_ns, duration);
  }
  [[nodiscard]] std::uint64_t key_of(std::uint32_t event) const {
    return (std::uint64_t{events_.name(event)} << 8U) |
           static_cast<std::uint64_t>(events_.kind(event));
  }
  TraceOpRow& row_of(std::uint32_t event) {
    const auto [found, fresh] = places_.emplace(key_of(event), rows_.size());
    if (fresh) rows_.push_back({.name = events_.name_text(event), .kind = events_.kind(event)});
    return rows_[found->second];
  }

  const EventTable& events_;
  const HostTree& tree_;
  const std::vector<TraceStep>& steps_;
  std::vector<TraceOpRow> rows_;
  std::unordered_map<std::uint64_t, std::size_t> places_;
  std::vector<std::uint64_t> seen_;
};

// Ops alone: a runtime call bears its op's external id.
std::unordered_map<std::uint32_t, std::uint32_t> ops_by_external_id(const EventTable& events) {
  std::unordered_map<std::uint32_t, std::uint32_t> ops;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (events.kind(i) == EventKind::CpuOp && events.external(i) != 0)
      ops.emplace(events.external(i), i);
  }
  return ops;
}

}  // namespace

std::vector<TraceOpRow> op_table(const EventTable& events, const DeviceWork& work,
                                 const std::vector<TraceStep>& steps) {
  const HostTree tree = host_tree(events);
  const auto by_external = ops_by_external_id(events);
  OpSums sums(events, tree, steps);
  for (const std::uint32_t event : tree.order) sums.add_host(event);
  for (const DeviceWork::Item& item : work.items()) {
    const std::int64_t duration = events.duration_ns(item.event);
    const auto op = by_external.find(events.external(item.event));
    // A launch call outside of every op (a trace without their threads) leaves the id.
    const bool launched_in_op = item.launch && tree.parent[*item.launch] != kNone;
    if (launched_in_op || (item.launch && op == by_external.end())) {
      sums.add_device(*item.launch, duration);
    } else if (op != by_external.end()) {
      sums.add_device(op->second, duration);
    }
  }
  std::vector<TraceOpRow> rows = sums.take();
  std::ranges::stable_sort(rows, std::greater{}, &TraceOpRow::self_host_ns);
  return rows;
}

}  // namespace ridgeline
