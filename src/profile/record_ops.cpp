#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>
#include <c10/core/Allocator.h>
#include <c10/core/ScalarType.h>
#include <c10/util/Logging.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/csrc/autograd/function.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/error.h"
#include "engine/translate.h"
#include "profile/block_recorder.h"
#include "profile/observer.h"
#include "profile/range_name.h"
#include "profile/record_clock.h"
#include "profile/recorder.h"
#include "profile/shape_text.h"

namespace ridgeline {
namespace {

// Torch's callbacks are plain functions, so what they work on is found here. The number tells a
// thread that what it remembers belongs to an earlier recording.
struct ActiveRecording {
  std::atomic<Recorder*> recorder{nullptr};
  std::atomic<std::uint64_t> number{0};
};
ActiveRecording active;

ThreadRecorder* thread_recorder() noexcept {
  // In the room that the loader keeps for late libraries: elsewhere each look would be a call.
  [[gnu::tls_model("initial-exec")]] thread_local struct {
    ThreadRecorder* recorder = nullptr;
    std::uint64_t number = 0;
  } mine;
  const std::uint64_t now = active.number.load(std::memory_order_acquire);
  if (mine.number == now) [[likely]]
    return mine.recorder;
  Recorder* const recorder = active.recorder.load(std::memory_order_acquire);
  if (recorder == nullptr) return nullptr;
  try {
    mine.recorder = &recorder->join({.system_id = static_cast<std::uint64_t>(::syscall(SYS_gettid)),
                                     .torch_id = at::RecordFunction::currentThreadId()});
  } catch (const std::bad_alloc&) {
    mine.recorder = nullptr;
  }
  mine.number = now;
  return mine.recorder;
}

std::uint32_t current_frame() noexcept {
  const ThreadRecorder* const thread = thread_recorder();
  return thread == nullptr ? 0 : thread->current();
}

std::uint32_t captured_frame() noexcept {
  const ThreadRecorder* const thread = thread_recorder();
  return thread == nullptr ? 0 : thread->capture();
}

// Our own backward tells of its nodes (backward.h). Torch's engine, in other people's programs,
// does it twice: as an op of this name and, inside it, as a function of the backward. Only who
// wants shapes listens to the second: torch builds the list of who listens anew for each scope that
// has a listener, twice a node, which took about as many instructions as all that is done here.
constexpr std::string_view kEvaluation = "autograd::engine::evaluate_function: ";

FrameKind kind_of(at::RecordScope scope) {
  return scope == at::RecordScope::USER_SCOPE ? FrameKind::Range : FrameKind::Op;
}

void describe(const at::Tensor& tensor, ShapeText& text) {
  if (!tensor.defined()) return text.other("");
  if (tensor.is_nested() || tensor.is_sparse()) return text.other("Tensor");
  text.tensor(tensor.sizes(), c10::toString(tensor.scalar_type()),
              static_cast<std::int64_t>(tensor.nbytes()));
}

// Strides, masks, flags: whole numbers and truth values. Lists that are longer have no value.
void describe_value(const c10::IValue& input, ShapeText& text) {
  const char* const type = input.isScalar() ? "Scalar" : "";
  if (input.isInt()) return text.value(type, input.toInt());
  if (input.isBool()) return text.value(type, input.toBool() ? 1 : 0);
  if (!input.isIntList() && !input.isBoolList()) return text.other(type);
  std::array<std::int64_t, 8> numbers{};
  const auto items = input.toListRef();
  if (items.size() > numbers.size()) return text.other(type);
  for (std::size_t i = 0; i < items.size(); ++i)
    numbers[i] = items[i].isBool() ? (items[i].toBool() ? 1 : 0) : items[i].toInt();
  text.values(type, {numbers.data(), items.size()});
}

void describe(c10::ArrayRef<const c10::IValue> inputs, ShapeText& text, ValueDetail detail) {
  for (const c10::IValue& input : inputs) {
    if (input.isTensor()) {
      describe(input.toTensor(), text);
    } else if (input.isTensorList()) {
      text.open_list();
      for (const c10::IValue& item : input.toListRef()) describe(item.toTensor(), text);
      text.close_list();
    } else if (detail == ValueDetail::Values) {
      describe_value(input, text);
    } else {
      text.other(input.isScalar() ? "Scalar" : "");
    }
  }
}

// A node that accumulates a gradient has the greatest number there is, which means none.
std::int64_t sequence_of(std::uint64_t number) {
  return std::max(static_cast<std::int64_t>(number), kNoSequence);
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
  describe(function.inputs(), text, kDetail);
  // The node whose evaluation is open: only here are its inputs known.
  if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) {
    thread->describe(text.finish());
    return nullptr;
  }
  FrameStart start = frame_of(function);
  if (!function.inputs().empty()) start.shape = text.finish();
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

class ModuleListener final : public ScopeListener {
 public:
  void enter_module(const char* name) noexcept override {
    enter({.kind = FrameKind::Module, .name = name});
  }
  void enter_phase(StepPhase phase) noexcept override {
    enter({.kind = FrameKind::Phase, .name = range_name(phase), .phase = phase});
  }
  void enter_node(const BackwardNode& node) noexcept override {
    enter({.kind = FrameKind::Backward,
           .name = node.name,
           .sequence = sequence_of(node.sequence),
           .forward_thread = node.forward_thread});
  }
  void leave_scope() noexcept override {
    // Scopes nest, so the innermost open one is meant: each has the depth it was opened at as key.
    if (ThreadRecorder* const thread = thread_recorder(); thread != nullptr && open() > 0)
      thread->leave(key(--open()), record_time());
  }

 private:
  static std::size_t& open() {
    thread_local std::size_t count = 0;
    return count;
  }
  static const void* key(std::size_t depth) {
    static const char keys[ThreadRecorder::kDeepest + 1] = {};
    return &keys[std::min(depth, ThreadRecorder::kDeepest)];
  }
  static void enter(FrameStart start) noexcept {
    ThreadRecorder* const thread = thread_recorder();
    if (thread == nullptr) return;
    start.key = key(open()++);
    start.time = record_time();
    thread->enter(start);
  }
};

// Outlives every observer: a scope calls back who listened when it opened.
ModuleListener module_listener;

class MemoryListener final : public c10::MemoryReportingInfoBase {
 public:
  // Torch warns when a block is freed that it did not see allocated; between recorded steps it sees
  // none, so that says nothing.
  MemoryListener() { FLAGS_caffe2_log_level = std::max(FLAGS_caffe2_log_level, c10::GLOG_ERROR); }
  ~MemoryListener() override { FLAGS_caffe2_log_level = log_level_; }
  MemoryListener(const MemoryListener&) = delete;
  MemoryListener& operator=(const MemoryListener&) = delete;

  void reportMemoryUsage(void* address, std::int64_t bytes, std::size_t allocated,
                         std::size_t /*reserved*/, c10::Device device) override {
    if (!enabled.load(std::memory_order_relaxed)) return;
    ThreadRecorder* const thread = thread_recorder();
    if (thread == nullptr) return;
    thread->memory({.time = record_time(),
                    .address = reinterpret_cast<std::uint64_t>(address),
                    .bytes = bytes,
                    .allocated = static_cast<std::int64_t>(allocated),
                    .on_device = !device.is_cpu()});
  }
  [[nodiscard]] bool memoryProfilingEnabled() const override {
    return enabled.load(std::memory_order_relaxed);
  }
  std::atomic<bool> enabled{false};

 private:
  int log_level_ = FLAGS_caffe2_log_level;
};

class TorchObserver final : public OpObserver {
 public:
  explicit TorchObserver(const ObserverOptions& options)
      : recorder_(limits_for(options.trace_bytes, options.memory),
                  options.shapes ? OpDetail::All : OpDetail::WholeOps) {
    calibrate_record_clock();
    Recorder* nobody = nullptr;
    if (!active.recorder.compare_exchange_strong(nobody, &recorder_))
      throw Error(Fault::Internal, "two recordings at once in one process");
    active.number.fetch_add(1, std::memory_order_release);
    at::RecordFunctionCallback callback(beginning_for(options), end_op);
    callback.needsInputs(options.shapes).scopes(scopes_for(options));
    callback_ = at::addGlobalCallback(callback);
    at::disableCallback(callback_);
    if (options.memory) {
      memory_ = std::make_shared<MemoryListener>();
      memory_scope_.emplace(c10::DebugInfoKind::PROFILER_STATE, memory_);
    }
    (void)thread_recorder();  // this thread's room is taken now, not in the first step
  }

  ~TorchObserver() override {
    stop();
    at::removeCallback(callback_);
    active.recorder.store(nullptr);
    active.number.fetch_add(1, std::memory_order_release);
  }
  TorchObserver(const TorchObserver&) = delete;
  TorchObserver& operator=(const TorchObserver&) = delete;

  void resume(Keep keep) override {
    recorder_.keep(keep);
    const bool naming = memory_ != nullptr && keep == Keep::Everything;
    block_listener.store(naming ? &blocks_ : nullptr, std::memory_order_release);
    if (running_) return;
    running_ = true;
    at::reenableCallback(callback_);
    if (memory_) memory_->enabled.store(true, std::memory_order_relaxed);
    scope_listener.store(&module_listener, std::memory_order_release);
  }
  void pause() override { stop(); }

  void begin_step(std::int64_t number) override {
    ThreadRecorder* const thread = thread_recorder();
    if (thread == nullptr) return;
    step_ = {.number = number, .start = record_time(), .end = 0};
    const std::string name = fmt::format("ProfilerStep#{}", number);
    thread->enter({.kind = FrameKind::Step, .name = name, .key = &step_, .time = step_.start});
  }
  void end_step() override {
    ThreadRecorder* const thread = thread_recorder();
    if (thread == nullptr) return;
    step_.end = record_time();
    thread->leave(&step_, step_.end);
    if (recorder_.keeps() == Keep::Everything) recorder_.step_done(step_);
  }

  void reset() override {
    recorder_.reset();
    blocks_.reset();
  }
  [[nodiscard]] FrameHooks hooks() const override {
    return {.now = record_time, .current = current_frame, .captured = captured_frame};
  }
  [[nodiscard]] Recording finish() override {
    stop();
    Recording recording = recorder_.finish(record_time(), thread_recorder());
    blocks_.collect(recording);
    recording.device_unseen = at::globalContext().hasCUDA();
    return recording;
  }

 private:
  void stop() {
    if (!running_) return;
    running_ = false;
    block_listener.store(nullptr, std::memory_order_release);
    scope_listener.store(nullptr, std::memory_order_release);
    if (memory_) memory_->enabled.store(false, std::memory_order_relaxed);
    at::disableCallback(callback_);
  }

  Recorder recorder_;
  BlockRecorder blocks_;
  std::shared_ptr<MemoryListener> memory_;
  std::optional<c10::DebugInfoGuard> memory_scope_;
  at::CallbackHandle callback_{};
  RecordedStep step_{};
  bool running_ = false;
};

}  // namespace
}  // namespace ridgeline

extern "C" ridgeline::OpObserver* ridgeline_make_op_observer(
    const ridgeline::ObserverOptions& options) {
  std::unique_ptr<ridgeline::OpObserver> observer;
  ridgeline::translating_errors(
      [&] { observer = std::make_unique<ridgeline::TorchObserver>(options); });
  return observer.release();
}
