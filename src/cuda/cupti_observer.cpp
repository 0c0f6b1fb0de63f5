#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include <cupti.h>

#include "core/error.h"
#include "cuda/activity_log.h"
#include "cuda/call_log.h"
#include "cuda/call_ticket.h"
#include "cuda/cuda_runtime.h"
#include "cuda/cupti_library.h"
#include "cuda/graph_nodes.h"
#include "cuda/kernel_name.h"
#include "cuda/launch_calls.h"
#include "cuda/launched_function.h"
#include "cuda/wait_calls.h"
#include "profile/device_observer.h"

namespace ridgeline {
namespace {

constexpr std::array kGraphEvents{CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
                                  CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED};

constexpr std::array kKinds{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                            CUPTI_ACTIVITY_KIND_MEMSET};

// A few a step.
constexpr std::uint32_t kMostWaits = 1 << 14;

struct Launch {
  LaunchCall call{};
  Nanoseconds end{};
};

// CUPTI's buffer callbacks know no owner.
std::atomic<ActivityLog*> active_log{nullptr};

void CUPTIAPI lend_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  ActivityLog* const log = active_log.load();
  *buffer = log == nullptr ? nullptr : log->lend_buffer();
  *bytes = *buffer == nullptr ? 0 : ActivityLog::kBufferBytes;
  *most_records = 0;
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid) {
  if (ActivityLog* const log = active_log.load()) return log->take_back(buffer, valid);
  delete[] buffer;
}

// Nor does its clock, which is the host's records' own.
std::atomic<FrameHooks::Clock> active_clock{nullptr};
std::uint64_t CUPTIAPI record_clock() { return static_cast<std::uint64_t>(active_clock.load()()); }

class CuptiObserver final : public DeviceObserver {
 public:
  explicit CuptiObserver(const DeviceObserverOptions& options)
      : cupti_(cupti()),
        options_(options),
        launches_(static_cast<std::uint32_t>(options.most_records)),
        waits_(kMostWaits),
        activities_(options.most_records) {
    attach();
  }
  ~CuptiObserver() override {
    pause();
    detach();
  }
  CuptiObserver(const CuptiObserver&) = delete;
  CuptiObserver& operator=(const CuptiObserver&) = delete;

  void resume(DeviceDetail detail) override {
    if (running_ == detail) return;
    pause();
    attach();
    running_ = detail;
    tickets_.renew();
    if (detail == DeviceDetail::Work) {
      for (const CUpti_ActivityKind kind : kKinds)
        cupti_.check(cupti_.enable_activity(kind), "recording kernels");
    }
    listen_to_calls(true);
  }
  void pause() override {
    if (!running_) return;
    const bool records = std::exchange(running_, std::nullopt) == DeviceDetail::Work;
    if (records) {
      // What still runs would not be reported.
      wait_for_device();
      for (const CUpti_ActivityKind kind : kKinds) cupti_.disable_activity(kind);
    }
    listen_to_calls(false);
  }
  // CUPTI goes on costing a few per cent of an eager step when it is asked for nothing any more,
  // and even without a subscriber. A graph that it has made its own does not survive its going.
  void withdraw() override {
    pause();
    if (!nodes_.empty()) return;
    detach();
    static_cast<void>(cupti_.finalize());
  }
  [[nodiscard]] bool is_away() const override { return !attached_; }
  void reset() override {
    if (attached_) cupti_.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    tickets_.renew();
    launches_.reset();
    waits_.reset();
    activities_.reset();
  }
  [[nodiscard]] ObservedWork finish() override {
    pause();
    if (attached_) cupti_.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    const std::span<const SyncRecord> waits = waits_.all();
    ObservedWork work{.records = records(),
                      .syncs = {waits.begin(), waits.end()},
                      .launches = launch_calls(),
                      .beyond_limit = activities_.beyond_limit() + waits_.beyond_limit()};
    std::size_t dropped = 0;
    if (attached_ && cupti_.dropped_records(nullptr, 0, &dropped) == CUPTI_SUCCESS)
      work.dropped = dropped;
    return work;
  }

 private:
  void attach() {
    if (attached_) return;
    cupti_.check(cupti_.subscribe(&subscriber_, &on_callback, this), "subscribing");
    attached_ = true;
    try {
      begin();
    } catch (...) {
      detach();
      throw;
    }
  }
  void begin() {
    active_log.store(&activities_);
    active_clock.store(options_.hooks.now);
    cupti_.check(cupti_.register_clock(&record_clock), "setting the clock");
    cupti_.check(cupti_.register_buffers(&lend_buffer, &take_buffer), "giving it buffers");
    for (const auto event : kGraphEvents)
      listen({CUPTI_CB_DOMAIN_RESOURCE, static_cast<CUpti_CallbackId>(event)}, true);
  }
  void detach() noexcept {
    if (!attached_) return;
    attached_ = false;
    cupti_.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    active_log.store(nullptr);
    cupti_.unsubscribe(subscriber_);
  }

  void listen_to_calls(bool on) {
    // Not the runtime's, which would double the cost of a launch.
    for (const ApiCall& call : kDriverKernelCalls) listen(call, on);
    for (const ApiCall& call : kOtherWorkCalls) listen(call, on);
    for (const WaitCall& wait : kWaitCalls) listen(wait.call, on);
  }

  void listen(const ApiCall& call, bool on) {
    cupti_.check(cupti_.enable_callback(on ? 1 : 0, subscriber_, call.domain, call.id),
                 "listening to calls");
  }

  static void CUPTIAPI on_callback(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                   const void* data) {
    auto& observer = *static_cast<CuptiObserver*>(self);
    if (domain == CUPTI_CB_DOMAIN_RESOURCE)
      return observer.on_graph(id, *static_cast<const CUpti_ResourceData*>(data));
    observer.on_call({domain, id}, *static_cast<const CUpti_CallbackData*>(data));
  }

  // A copy or wait of the runtime may make a call of the driver: the outer one counts. Callbacks
  // may be switched on or off while another thread is inside a call: what it remembers of calls
  // seen by half belongs to an earlier round of tickets.
  void on_call(const ApiCall& which, const CUpti_CallbackData& call) noexcept {
    thread_local std::uint32_t inside_runtime = 0;
    const std::uint32_t round = tickets_.round();
    if (which.domain == CUPTI_CB_DOMAIN_DRIVER_API && inside_runtime == round) return;
    const bool enters = call.callbackSite == CUPTI_API_ENTER;
    if (which.domain == CUPTI_CB_DOMAIN_RUNTIME_API) inside_runtime = enters ? round : 0;
    if (enters) {
      *call.correlationData = begin_call(which, call);
    } else {
      end_call(*call.correlationData);
    }
  }

  std::uint64_t begin_call(const ApiCall& which, const CUpti_CallbackData& call) noexcept {
    const Nanoseconds now = options_.hooks.now();
    const std::uint32_t frame = options_.hooks.current();
    if (const auto kind = wait_of(which)) {
      SyncRecord wait{.kind = *kind,
                      .start = now,
                      .end = now,
                      .external_id = frame,
                      .correlation = call.correlationId,
                      .context = call.contextUid};
      static_cast<void>(cupti_.device_id(call.context, &wait.device));
      if (const auto stream = stream_of_wait(which, call.functionParams)) {
        std::uint32_t id = 0;
        if (cupti_.stream_id(nullptr, *stream, 0, &id) == CUPTI_SUCCESS) wait.stream = id;
      }
      return tickets_.ticket(CallKind::Wait, waits_.add(wait));
    }
    return tickets_.ticket(CallKind::Launch,
                           launches_.add({.call = {.start = now,
                                                   .what = launched_by(which, call.functionParams),
                                                   .correlation = call.correlationId,
                                                   .frame = frame},
                                          .end = now}));
  }

  void end_call(std::uint64_t ticket) noexcept {
    const auto call = tickets_.call_of(ticket);
    if (!call) return;
    Nanoseconds& end =
        call->kind == CallKind::Wait ? waits_.at(call->place).end : launches_.at(call->place).end;
    end = options_.hooks.now();
  }

  void on_graph(CUpti_CallbackId id, const CUpti_ResourceData& resource) noexcept {
    const auto& graph = *static_cast<const CUpti_GraphData*>(resource.resourceDescriptor);
    std::uint64_t node = 0;
    std::uint64_t original = 0;
    if (cupti_.graph_node_id(graph.node, &node) != CUPTI_SUCCESS) return;
    if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED) {
      nodes_.made(node, options_.hooks.captured());
    } else if (cupti_.graph_node_id(graph.originalNode, &original) == CUPTI_SUCCESS) {
      nodes_.cloned(original, node);
    }
  }

  [[nodiscard]] std::vector<LaunchCall> launch_calls() const {
    std::vector<LaunchCall> calls;
    for (const Launch& launch : launches_.all()) calls.push_back(launch.call);
    return calls;
  }

  [[nodiscard]] std::vector<DeviceRecord> records() {
    std::unordered_map<std::uint32_t, const Launch*> launches;
    for (const Launch& launch : launches_.all()) launches.emplace(launch.call.correlation, &launch);
    std::unordered_map<const char*, std::string> names;
    std::vector<DeviceRecord> records;
    for (ActivityLog::Entry& entry : activities_.take()) {
      DeviceRecord& record = records.emplace_back(std::move(entry.record));
      if (record.name.empty()) {
        const auto [name, is_new] = names.try_emplace(entry.kernel);
        if (is_new) name->second = demangled_kernel(entry.kernel);
        record.name = name->second;
      }
      if (record.graph_node != 0) record.captured = nodes_.frame_of(record.graph_node);
      const auto launch = launches.find(record.correlation);
      if (launch == launches.end()) continue;
      record.external_id = launch->second->call.frame;
      record.launch = launch->second->call.start;
      record.launch_end = launch->second->end;
    }
    return records;
  }

  const Cupti& cupti_;
  DeviceObserverOptions options_;
  CUpti_SubscriberHandle subscriber_{};
  CallTickets tickets_;
  CallLog<Launch> launches_;
  CallLog<SyncRecord> waits_;
  ActivityLog activities_;
  GraphNodes nodes_;
  bool attached_ = false;
  std::optional<DeviceDetail> running_;
};

}  // namespace
}  // namespace ridgeline

extern "C" ridgeline::DeviceObserver* ridgeline_make_device_observer(
    const ridgeline::DeviceObserverOptions& options) {
  RIDGELINE_CHECK(options.hooks.current != nullptr && options.hooks.captured != nullptr);
  return std::make_unique<ridgeline::CuptiObserver>(options).release();
}
