// What each part of CUPTI costs a step: while it is on, when it is off again, when nobody
// subscribes any more, and once CUPTI has left the process. A part may go on costing after it was
// switched off, so steps that are only paused are no measure of steps without it. cupti_cost
// [resnet18|small [eager|graph [STEPS]]]; needs a GPU, and CUPTI's folder on the library path.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include <cupti.h>
#include <fmt/format.h>

#include "core/error.h"
#include "cuda/cupti_library.h"
#include "cuda/launch_calls.h"
#include "cuda/wait_calls.h"
#include "engine/engine.h"
#include "models/workloads.h"

namespace {

using namespace ridgeline;

void CUPTIAPI lend_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  *bytes = std::size_t{4} << 20;
  *buffer = new std::uint8_t[*bytes];
  *most_records = 0;
}
void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t) {
  delete[] buffer;
}
void CUPTIAPI on_call(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

struct Part {
  const char* name;
  std::vector<CUpti_ActivityKind> kinds{};
  std::vector<ApiCall> calls{};
};

std::vector<Part> parts() {
  const std::vector<CUpti_ActivityKind> work{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                             CUPTI_ACTIVITY_KIND_MEMCPY,
                                             CUPTI_ACTIVITY_KIND_MEMSET};
  const std::vector<ApiCall> launches(kDriverKernelCalls.begin(), kDriverKernelCalls.end());
  std::vector<ApiCall> all(launches);
  all.insert(all.end(), kOtherWorkCalls.begin(), kOtherWorkCalls.end());
  for (const WaitCall& wait : kWaitCalls) all.push_back(wait.call);
  return {{"subscribing alone"},
          {"records of work", work},
          {"calls that launch", {}, launches},
          {"calls that launch, copy and wait", {}, all},
          {"records and calls, as profiles do", work, all},
          {"records of waits", {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION}}};
}

void listen(CUpti_SubscriberHandle subscriber, const Part& part, bool on) {
  for (const CUpti_ActivityKind kind : part.kinds)
    cupti().check(on ? cupti().enable_activity(kind) : cupti().disable_activity(kind), part.name);
  for (const ApiCall& call : part.calls)
    cupti().check(cupti().enable_callback(on ? 1 : 0, subscriber, call.domain, call.id), part.name);
}

double median_ms(Workload& workload, int steps) {
  for (int i = 0; i < 4; ++i) (void)workload.step();
  std::vector<double> times;
  for (int i = 0; i < steps; ++i) times.push_back(1e3 * workload.step().total.count());
  std::ranges::sort(times);
  return times[times.size() / 2];
}

void measure(const Part& part, Workload& workload, int steps, bool finalizes) {
  CUpti_SubscriberHandle subscriber{};
  cupti().check(cupti().subscribe(&subscriber, on_call, nullptr), "subscribing");
  cupti().check(cupti().register_buffers(lend_buffer, take_buffer), "giving it buffers");
  listen(subscriber, part, true);
  const double on = median_ms(workload, steps);
  listen(subscriber, part, false);
  cupti().flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const double off = median_ms(workload, steps);
  cupti().unsubscribe(subscriber);
  const double alone = median_ms(workload, steps);
  fmt::print("{:<36}{:>10.3f}{:>10.3f}{:>14.3f}", part.name, on, off, alone);
  // A captured graph that CUPTI has seen cannot be launched once it is gone.
  if (finalizes) {
    cupti().check(cupti().finalize(), "leaving");
    fmt::print("{:>10.3f}", median_ms(workload, steps));
  }
  fmt::print("\n");
  std::fflush(stdout);
}

int run(std::string_view model, std::string_view mode, int steps) {
  const Engine engine = Engine::load(true);
  ModelSpec spec = ResNetSpec{.label = "resnet18", .image_size = 32, .batch_size = 128};
  if (model == "small") {
    spec = TransformerSpec{.label = "small",
                           .vocab_size = 10000,
                           .d_model = 768,
                           .d_ff = 3072,
                           .num_layers = 12,
                           .num_heads = 12,
                           .num_kv_heads = 12,
                           .context_length = 256,
                           .batch_size = 4};
  }
  const bool graph = mode == "graph";
  const RunSettings settings{.device = {.kind = DeviceKind::Cuda},
                             .precision = Precision::Bf16,
                             .mode = graph ? Mode::Graph : Mode::Eager,
                             .extent = Extent::Step,
                             .channels_last = model != "small"};
  const std::unique_ptr<Workload> workload(engine.symbol<MakeWorkload>(kMakeWorkloadSymbol)(
      spec, settings, engine.backend(settings.device)));
  workload->activate();
  fmt::print("{} bf16 {}, ms a step; before CUPTI {:.3f}\n", model, mode,
             median_ms(*workload, steps));
  fmt::print("{:<36}{:>10}{:>10}{:>14}{:>10}\n", "", "on", "off", "unsubscribed",
             graph ? "" : "gone");
  for (const Part& part : parts()) measure(part, *workload, steps, !graph);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(count > 1 ? words[1] : "resnet18", count > 2 ? words[2] : "eager",
               count > 3 ? std::atoi(words[3]) : 60);
  } catch (const ridgeline::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
