#include "trace/step_threads.h"

#include "trace/aten_kind.h"

namespace ridgeline {
namespace {

bool is_op(EventKind kind) { return kind == EventKind::CpuOp || kind == EventKind::Foreign; }

}  // namespace

std::vector<bool> step_threads(const EventTable& events, const std::vector<TraceStep>& steps) {
  std::vector<bool> marked(events.tracks().size());
  std::vector<bool> autograd(marked.size());
  std::vector<bool> works(marked.size());
  for (std::uint32_t i = 0; i < events.size() && !steps.empty(); ++i) {
    const EventKind kind = events.kind(i);
    if (!is_op(kind) && kind != EventKind::UserAnnotation) continue;
    const std::string_view name = events.name_text(i);
    const std::uint32_t track = events.track_number(i);
    if (is_step_mark(name)) {
      marked[track] = true;
    } else if (is_op(kind)) {
      works[track] = true;
      if (is_autograd_node(name)) autograd[track] = true;
    }
  }
  bool told = false;
  for (std::size_t track = 0; track < marked.size(); ++track) {
    told = told || (marked[track] && works[track]);
    marked[track] = marked[track] || autograd[track];
  }
  return told ? marked : std::vector<bool>(marked.size(), true);
}

}  // namespace ridgeline
