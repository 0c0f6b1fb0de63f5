#include "trace/op_table.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "trace/module_kind.h"
#include "trace/step_threads.h"

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

std::vector<std::uint32_t> host_order(const EventTable& events) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (is_host_work(events, i)) order.push_back(i);
  }
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    if (events.track_number(a) != events.track_number(b))
      return events.track_number(a) < events.track_number(b);
    if (events.start_ns(a) != events.start_ns(b)) return events.start_ns(a) < events.start_ns(b);
    return events.duration_ns(a) > events.duration_ns(b);
  });
  return order;
}

// An event that begins inside another but ends after it is no child (clocks and threads are not
// perfect): it would make that one's self time negative. Nor can that other be around anything
// later, for which this one is the nearer: so each event is opened once and closed once, however
// deep they nest.
HostTree host_tree(const EventTable& events) {
  HostTree tree{.order = host_order(events),
                .parent = std::vector<std::uint32_t>(events.size(), kNone)};
  std::vector<std::uint32_t> open;  // each ends with the one below it or before
  for (const std::uint32_t i : tree.order) {
    while (!open.empty() && (events.track_number(open.back()) != events.track_number(i) ||
                             events.end_ns(open.back()) <= events.start_ns(i) ||
                             events.end_ns(open.back()) < events.end_ns(i))) {
      open.pop_back();
    }
    if (!open.empty()) tree.parent[i] = open.back();
    open.push_back(i);
  }
  return tree;
}

// As PyTorch's optimizers mark their step, and our trainings theirs.
bool is_optimizer_step(std::string_view name) {
  return name.starts_with("Optimizer.step#") || name == "optimizer_step";
}

enum class InSteps { No, Yes };

// Sums are carried from each event to the one around it, so that the time does not grow with the
// depth of nesting, which files of others choose.
class OpSums {
 public:
  // `of_step` by track.
  OpSums(const EventTable& events, const HostTree& tree, const std::vector<TraceStep>& steps,
         std::vector<bool> of_step)
      : events_(events),
        tree_(tree),
        steps_(steps),
        of_step_(std::move(of_step)),
        asked_(events.size()) {
    std::vector<std::uint32_t> open;  // from the outermost to the one at hand
    for (const std::uint32_t event : tree_.order) {
      while (!open.empty() && open.back() != tree_.parent[event]) {
        --open_rows_[row_[open.back()]];
        open.pop_back();
      }
      add_host(event);
      open.push_back(event);
    }
  }

  // `cause` is the innermost host event that asked for the work.
  void add_device(std::uint32_t cause, std::int64_t duration, InSteps in_steps) {
    asked_[cause] = add_times(asked_[cause], duration);
    add_self_device(cause, duration, in_steps);
    if (!is_call(events_.kind(cause))) return;
    // The op called the runtime to launch; the time is the op's own doing as much as the call's.
    if (const std::uint32_t outer = not_call_around_[cause]; outer != kNone)
      add_self_device(outer, duration, in_steps);
  }

  // The same of `work` in the steps for the innermost op around `cause`; false where there is none.
  [[nodiscard]] bool add_to_op(std::uint32_t cause, std::uint32_t work) {
    const std::uint32_t op = is_op_[row_[cause]] ? cause : op_around_[cause];
    if (op == kNone) return false;
    const std::int64_t duration = events_.duration_ns(work);
    TraceOpRow::InSteps& sums = rows_[row_[op]].in_steps;
    sums.op_device_ns = add_times(sums.op_device_ns, duration);
    if (in_optimizer_[op]) {
      sums.optimizer_device_ns = add_times(sums.optimizer_device_ns, duration);
      return true;
    }
    if (kind_of(op) != OpKind::Other) return true;
    std::int64_t& of_kind = sums.by_kind[kind_of(work)];
    of_kind = add_times(of_kind, duration);
    return true;
  }

  [[nodiscard]] bool is_in_op(std::uint32_t event) const { return op_around_[event] != kNone; }

  [[nodiscard]] std::vector<TraceOpRow> take() {
    for (auto event = tree_.order.rbegin(); event != tree_.order.rend(); ++event) {
      if (asked_[*event] == 0) continue;
      // What lies around one of the same name is counted there.
      if (outermost_[*event]) {
        TraceOpRow& row = rows_[row_[*event]];
        row.device_ns = add_times(row.device_ns, asked_[*event]);
      }
      if (const std::uint32_t outer = tree_.parent[*event]; outer != kNone)
        asked_[outer] = add_times(asked_[outer], asked_[*event]);
    }
    return std::move(rows_);
  }

 private:
  void add_host(std::uint32_t event) {
    const std::int64_t duration = events_.duration_ns(event);
    const std::uint32_t place = place_of(event);
    const std::uint32_t outer = tree_.parent[event];
    row_[event] = place;
    outermost_[event] = open_rows_[place]++ == 0;
    if (outer != kNone) {
      not_call_around_[event] = is_call(events_.kind(outer)) ? not_call_around_[outer] : outer;
      op_around_[event] = is_op_[row_[outer]] ? outer : op_around_[outer];
    }
    in_optimizer_[event] =
        (outer != kNone && in_optimizer_[outer]) || is_optimizer_step(events_.name_text(event));
    TraceOpRow& row = rows_[place];
    const bool inside = is_in(steps_, events_.start_ns(event));
    ++row.calls;
    row.in_steps.calls += inside ? 1U : 0U;
    row.in_steps.beside_calls += inside && !of_step_[events_.track_number(event)] ? 1U : 0U;
    add_self_host(row, event, duration);
    if (outermost_[event]) {
      row.host_ns = add_times(row.host_ns, duration);
      if (inside) row.in_steps.host_ns = add_times(row.in_steps.host_ns, duration);
    }
    if (outer != kNone) add_self_host(rows_[row_[outer]], outer, -duration);
  }
  void add_self_host(TraceOpRow& row, std::uint32_t event, std::int64_t duration) {
    row.self_host_ns = add_times(row.self_host_ns, duration);
    if (!is_in(steps_, events_.start_ns(event))) return;
    row.in_steps.self_host_ns = add_times(row.in_steps.self_host_ns, duration);
    if (!of_step_[events_.track_number(event)]) {
      row.in_steps.beside_host_ns = add_times(row.in_steps.beside_host_ns, duration);
    } else if (in_optimizer_[event]) {
      row.in_steps.optimizer_host_ns = add_times(row.in_steps.optimizer_host_ns, duration);
    }
  }
  void add_self_device(std::uint32_t event, std::int64_t duration, InSteps in_steps) {
    TraceOpRow& row = rows_[row_[event]];
    row.self_device_ns = add_times(row.self_device_ns, duration);
    if (in_steps == InSteps::Yes)
      row.in_steps.self_device_ns = add_times(row.in_steps.self_device_ns, duration);
  }
  // Names are few, and a look at one is long.
  OpKind kind_of(std::uint32_t event) {
    const auto [found, fresh] = kinds_.try_emplace(events_.name(event), OpKind::Other);
    if (fresh) found->second = kind_of_op(events_.name_text(event));
    return found->second;
  }
  std::uint32_t place_of(std::uint32_t event) {
    const std::uint64_t key = (std::uint64_t{events_.name(event)} << 8U) |
                              static_cast<std::uint64_t>(events_.kind(event));
    const auto [found, fresh] = places_.emplace(key, static_cast<std::uint32_t>(rows_.size()));
    if (fresh) {
      rows_.push_back({.name = events_.name_text(event), .kind = events_.kind(event)});
      open_rows_.push_back(0);
      is_op_.push_back(is_op_row(events_.kind(event), events_.name_text(event)));
    }
    return found->second;
  }

  const EventTable& events_;
  const HostTree& tree_;
  const std::vector<TraceStep>& steps_;
  std::vector<bool> of_step_;
  std::vector<TraceOpRow> rows_;
  std::unordered_map<std::uint64_t, std::uint32_t> places_;
  std::unordered_map<std::uint32_t, OpKind> kinds_;  // by name
  std::vector<std::uint32_t> open_rows_;             // by row: how many of its calls are open
  std::vector<bool> is_op_;                          // by row
  // By event.
  std::vector<std::uint32_t> row_ = std::vector<std::uint32_t>(events_.size());
  std::vector<bool> outermost_ = std::vector<bool>(events_.size());  // of its name
  std::vector<std::uint32_t> not_call_around_ = std::vector<std::uint32_t>(events_.size(), kNone);
  std::vector<std::uint32_t> op_around_ = std::vector<std::uint32_t>(events_.size(), kNone);
  std::vector<bool> in_optimizer_ = std::vector<bool>(events_.size());
  std::vector<std::int64_t> asked_;  // device time
};

// The host event that asked for it: a launch call outside of every op (of a trace without their
// threads, or that has ops and launches in different steps) leaves the id.
std::uint32_t cause_of(const DeviceWork::Item& item, const OpSums& sums, std::uint32_t op_of_id) {
  if (item.launch && (sums.is_in_op(*item.launch) || op_of_id == kNone)) return *item.launch;
  return op_of_id;
}

// Ops alone: a runtime call bears its op's external id. An id that several ops bear names none,
// unless they are of several processes and it is known which one launched the work.
class OpsByExternalId {
 public:
  explicit OpsByExternalId(const EventTable& events) : events_(events) {
    std::optional<std::int64_t> process;
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      if (!is_named(i)) continue;
      if (const auto [op, fresh] = ops_.emplace(events.external(i), i); !fresh) op->second = kNone;
      if (!process) process = events.track(i).process;
      several_ = several_ || events.track(i).process != *process;
    }
    for (std::uint32_t i = 0; several_ && i < events.size(); ++i) {
      if (!is_named(i) || ops_.at(events.external(i)) != kNone) continue;
      const auto key = std::pair(events.track(i).process, events.external(i));
      if (const auto [op, fresh] = of_process_.emplace(key, i); !fresh) op->second = kNone;
    }
  }
  [[nodiscard]] std::uint32_t of(const DeviceWork::Item& item) const {
    const std::uint32_t id = events_.external(item.event);
    const auto op = ops_.find(id);
    if (op == ops_.end()) return kNone;
    if (!several_ || !item.launch) return op->second;
    const std::int64_t process = events_.track(*item.launch).process;
    if (op->second != kNone)
      return events_.track(op->second).process == process ? op->second : kNone;
    const auto own = of_process_.find({process, id});
    return own == of_process_.end() ? kNone : own->second;
  }

 private:
  [[nodiscard]] bool is_named(std::uint32_t i) const {
    return events_.kind(i) == EventKind::CpuOp && events_.external(i) != 0;
  }

  const EventTable& events_;
  bool several_ = false;                                                        // processes
  std::unordered_map<std::uint32_t, std::uint32_t> ops_;                        // by id
  std::map<std::pair<std::int64_t, std::uint32_t>, std::uint32_t> of_process_;  // of ids shared
};

}  // namespace

bool is_op_row(EventKind kind, std::string_view name) {
  if (kind == EventKind::CpuOp || kind == EventKind::Foreign) return !is_step_mark(name);
  return kind == EventKind::UserAnnotation && communicates_on_host(name);
}

TraceOps op_table(const EventTable& events, const DeviceWork& work,
                  const std::vector<TraceStep>& steps) {
  const HostTree tree = host_tree(events);
  const OpsByExternalId by_external(events);
  std::vector<bool> all_threads(events.tracks().size(), true);
  OpSums sums(events, tree, steps,
              work.items().empty() ? step_threads(events, steps) : std::move(all_threads));
  std::vector<std::size_t> without_op;
  for (std::size_t place = 0; place < work.items().size(); ++place) {
    const DeviceWork::Item& item = work.items()[place];
    const std::int64_t duration = events.duration_ns(item.event);
    const std::uint32_t cause = cause_of(item, sums, by_external.of(item));
    const bool inside = is_in(steps, events.start_ns(item.launch.value_or(item.event)));
    if (cause != kNone) sums.add_device(cause, duration, inside ? InSteps::Yes : InSteps::No);
    if (!inside) continue;
    if (cause == kNone || !sums.add_to_op(cause, item.event)) without_op.push_back(place);
  }
  TraceOps out{.rows = sums.take(), .without_op = kernel_table(events, work.part(without_op))};
  std::ranges::stable_sort(out.rows, std::greater{}, &TraceOpRow::self_host_ns);
  return out;
}

}  // namespace ridgeline
