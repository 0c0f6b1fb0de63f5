#include "profile/op_callback.h"

#include <ATen/record_function.h>
#include <torch/csrc/autograd/function.h>

#include <memory>
#include <string_view>
#include <unordered_set>

#include "profile/active_recording.h"
#include "profile/describe_inputs.h"
#include "profile/record_clock.h"
#include "profile/shape_text.h"

namespace ridgeline {
namespace {

// Our own backward tells of its nodes (backward.h). Torch's engine, in other people's programs,
// does it twice: as an op of this name and, inside it, as a function of the backward. Only who
// wants shapes listens to the second: torch builds the list of who listens anew for each scope that
// has a listener, twice a node, which took about as many instructions as all that is done here.
constexpr std::string_view kEvaluation = "autograd::engine::evaluate_function: ";

FrameKind kind_of(at::RecordScope scope) {
  return scope == at::RecordScope::USER_SCOPE ? FrameKind::Range : FrameKind::Op;
}

FrameStart evaluation(const at::RecordFunction& function, std::string_view node) {
  FrameStart start{.kind = FrameKind::Backward, .name = node, .key = &function};
  if (const auto current = torch::autograd::get_current_node()) {
    start.sequence = sequence_of(current->sequence_nr());
    start.forward_thread = current->thread_id();
  }
  start.time = record_time();
  return start;
}

FrameStart frame_of(const at::RecordFunction& function) {
  const std::string_view name = function.name();
  if (name.starts_with(kEvaluation)) return evaluation(function, name.substr(kEvaluation.size()));
  const std::int64_t sequence = function.seqNr();
  return {.kind = kind_of(function.scope()),
          .name = name,
          .sequence = sequence < 0 ? kNoSequence : sequence,
          .forward_thread = function.forwardThreadId(),
          .key = &function,
          .time = record_time()};
}

std::unique_ptr<at::ObserverContext> begin_op(const at::RecordFunction& function) {
  ThreadRecorder* const thread = thread_recorder();
  if (thread == nullptr) return nullptr;
  if (function.scope() == at::RecordScope::FUNCTION &&
      thread->enter_part(function.seqNr(), function.forwardThreadId()))
    return nullptr;
  thread->enter(frame_of(function));
  return nullptr;
}

template <ValueDetail kDetail>
std::unique_ptr<at::ObserverContext> begin_op_with_shapes(const at::RecordFunction& function) {
  ThreadRecorder* const thread = thread_recorder();
  if (thread == nullptr) return nullptr;
  ShapeText text(kDetail);
  const auto inputs = function.inputs();
  describe({inputs.data(), inputs.size()}, text, kDetail);
  // The node whose evaluation is open: only here are its inputs known.
  if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) {
    thread->describe(text.finish());
    return nullptr;
  }
  FrameStart start = frame_of(function);
  if (!inputs.empty()) start.shape = text.finish();
  thread->enter(start);
  return nullptr;
}

at::RecordFunctionCallback::StartCallback beginning_for(const ObserverOptions& options) {
  if (!options.shapes) return begin_op;
  return options.values ? begin_op_with_shapes<ValueDetail::Values>
                        : begin_op_with_shapes<ValueDetail::None>;
}

std::unordered_set<at::RecordScope> scopes_for(const ObserverOptions& options) {
  std::unordered_set<at::RecordScope> scopes{at::RecordScope::FUNCTION};
  if (options.shapes) scopes.insert(at::RecordScope::BACKWARD_FUNCTION);
  if (options.program_ranges)
    scopes.insert({at::RecordScope::USER_SCOPE, at::RecordScope::TORCHSCRIPT_FUNCTION});
  return scopes;
}

void end_op(const at::RecordFunction& function, at::ObserverContext*) {
  if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) return;  // it opened no frame
  ThreadRecorder* const thread = thread_recorder();
  if (thread == nullptr || thread->leave_part(&function)) return;
  thread->leave(&function, record_time());
}

}  // namespace

at::RecordFunctionCallback op_callback(const ObserverOptions& options) {
  at::RecordFunctionCallback callback(beginning_for(options), end_op);
  callback.needsInputs(options.shapes).scopes(scopes_for(options));
  return callback;
}

}  // namespace ridgeline
