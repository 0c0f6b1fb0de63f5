#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>

#include <cupti.h>

#include "core/error.h"
#include "cuda/activity_log.h"
#include "cuda/cuda_runtime.h"
#include "cuda/cupti_library.h"
#include "cuda/graph_nodes.h"
#include "cuda/kernel_name.h"
#include "cuda/launch_calls.h"
#include "cuda/launch_log.h"
#include "profile/device_observer.h"

namespace ridgeline {
namespace {

constexpr std::array kGraphEvents{CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
                                  CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED};

constexpr std::array kKinds{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                            CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION};

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
        launches_(options.most_records),
        activities_(options.most_records) {
    cupti_.check(cupti_.subscribe(&subscriber_, &on_callback, this), "subscribing");
    try {
      begin();
    } catch (...) {
      end();
      throw;
    }
  }
  ~CuptiObserver() override {
    pause();
    end();
  }
  CuptiObserver(const CuptiObserver&) = delete;
  CuptiObserver& operator=(const CuptiObserver&) = delete;

  void resume() override {
    if (running_) return;
    running_ = true;
    for (const CUpti_ActivityKind kind : kKinds)
      cupti_.check(cupti_.enable_activity(kind), "recording kernels");
    listen_to_launches(true);
  }
  void pause() override {
    if (!running_) return;
    running_ = false;
    // What still runs would not be reported.
    wait_for_device();
    for (const CUpti_ActivityKind kind : kKinds) cupti_.disable_activity(kind);
    listen_to_launches(false);
  }
  void reset() override {
    cupti_.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    launches_.reset();
    activities_.reset();
  }
  [[nodiscard]] ObservedWork finish() override {
    pause();
    cupti_.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    ObservedWork work{.records = records(), .beyond_limit = activities_.beyond_limit()};
    work.syncs = syncs(work.records);
    std::size_t dropped = 0;
    if (cupti_.dropped_records(nullptr, 0, &dropped) == CUPTI_SUCCESS) work.dropped = dropped;
    return work;
  }

 private:
  void begin() {
    active_log.store(&activities_);
    active_clock.store(options_.hooks.now);
    cupti_.check(cupti_.register_clock(&record_clock), "setting the clock");
    cupti_.check(cupti_.register_buffers(&lend_buffer, &take_buffer), "giving it buffers");
    for (const auto event : kGraphEvents)
      listen({CUPTI_CB_DOMAIN_RESOURCE, static_cast<CUpti_CallbackId>(event)}, true);
    // Torch's allocators ask again and again whether an event has come: no waits, thousands of
    // them.
    if (cupti_.all_sync_records != nullptr) static_cast<void>(cupti_.all_sync_records(0));
    // All the time: CUPTI crashes on the replay of a graph that was made while this was off.
    if (options_.graphs == GraphDetail::Whole)
      cupti_.check(cupti_.enable_activity(CUPTI_ACTIVITY_KIND_GRAPH_TRACE), "recording graphs");
  }
  void end() noexcept {
    if (options_.graphs == GraphDetail::Whole)
      cupti_.disable_activity(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
    cupti_.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    active_log.store(nullptr);
    cupti_.unsubscribe(subscriber_);
  }

  void listen_to_launches(bool on) {
    // Not the runtime's, which would double the cost of a launch.
    for (const ApiCall& call : kDriverKernelCalls) listen(call, on);
    for (const ApiCall& call : kOtherWorkCalls) listen(call, on);
    for (const ApiCall& call : kWaitCalls) listen(call, on);
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
    observer.on_launch(domain, *static_cast<const CUpti_CallbackData*>(data));
  }

  // A copy or set of the runtime may make a call of the driver: the outer one counts.
  void on_launch(CUpti_CallbackDomain domain, const CUpti_CallbackData& call) noexcept {
    thread_local bool inside_runtime = false;
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API && inside_runtime) return;
    const bool enters = call.callbackSite == CUPTI_API_ENTER;
    if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) inside_runtime = enters;
    if (enters) {
      const Nanoseconds now = options_.hooks.now();
      Launch* const launch = launches_.add({.start = now,
                                            .end = now,
                                            .correlation = call.correlationId,
                                            .frame = options_.hooks.current()});
      *call.correlationData = reinterpret_cast<std::uint64_t>(launch);
    } else if (auto* const launch = reinterpret_cast<Launch*>(*call.correlationData)) {
      launch->end = options_.hooks.now();
    }
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

  [[nodiscard]] std::vector<DeviceRecord> records() {
    std::unordered_map<std::uint32_t, const Launch*> launches;
    for (const Launch& launch : launches_.all()) launches.emplace(launch.correlation, &launch);
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
      record.external_id = launch->second->frame;
      record.launch = launch->second->start;
      record.launch_end = launch->second->end;
    }
    return records;
  }

  // CUPTI tells neither the device of a wait nor the frame it was made in: other records of its
  // context know the one, the call the other.
  [[nodiscard]] std::vector<SyncRecord> syncs(const std::vector<DeviceRecord>& records) {
    std::vector<SyncRecord> syncs = activities_.take_syncs();
    if (syncs.empty()) return syncs;
    std::unordered_map<std::uint32_t, std::uint32_t> devices;
    for (const DeviceRecord& record : records) devices.emplace(record.context, record.device);
    std::unordered_map<std::uint32_t, SyncRecord*> by_call;
    for (SyncRecord& sync : syncs) {
      if (const auto device = devices.find(sync.context); device != devices.end())
        sync.device = device->second;
      by_call.emplace(sync.correlation, &sync);
    }
    for (const Launch& call : launches_.all()) {
      if (const auto sync = by_call.find(call.correlation); sync != by_call.end())
        sync->second->external_id = call.frame;
    }
    return syncs;
  }

  const Cupti& cupti_;
  DeviceObserverOptions options_;
  CUpti_SubscriberHandle subscriber_{};
  LaunchLog launches_;
  ActivityLog activities_;
  GraphNodes nodes_;
  bool running_ = false;
};

}  // namespace
}  // namespace ridgeline

extern "C" ridgeline::DeviceObserver* ridgeline_make_device_observer(
    const ridgeline::DeviceObserverOptions& options) {
  RIDGELINE_CHECK(options.hooks.current != nullptr && options.hooks.captured != nullptr);
  return std::make_unique<ridgeline::CuptiObserver>(options).release();
}
