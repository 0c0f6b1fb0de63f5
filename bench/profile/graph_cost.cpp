// What CUPTI costs a step that is one replay of a CUDA graph: before it came, while it is there and
// is asked for nothing, and while it records every node. A graph does not survive its going, so one
// process tells one way of asking. graph_cost [resnet18|small [kernels|serial|work [STEPS]]]; needs
// a GPU, and CUPTI's folder on the library path.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include <cupti.h>
#include <fmt/format.h>

#include "core/error.h"
#include "cost_models.h"
#include "cuda/cuda_runtime.h"
#include "cuda/cupti_library.h"
#include "engine/engine.h"
#include "models/workloads.h"

namespace {

using namespace ridgeline;

constexpr int kBlocks = 5;

std::uint64_t nodes_seen = 0;

void CUPTIAPI lend_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  *bytes = std::size_t{4} << 20;
  *buffer = new std::uint8_t[*bytes];
  *most_records = 0;
}
void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t bytes) {
  CUpti_Activity* activity = nullptr;
  while (cupti().next_record(buffer, bytes, &activity) == CUPTI_SUCCESS) ++nodes_seen;
  delete[] buffer;
}
void CUPTIAPI on_call(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

double median_ms(Workload& workload, int steps) {
  std::vector<double> times;
  for (int i = 0; i < steps; ++i) times.push_back(1e3 * workload.step().total.count());
  std::ranges::sort(times);
  return times[times.size() / 2];
}

struct Spread {
  double least{};
  double median{};
  double most{};
};

// Medians of blocks of steps.
Spread measure(Workload& workload, int steps) {
  std::vector<double> blocks;
  for (int i = 0; i < kBlocks; ++i) blocks.push_back(median_ms(workload, steps));
  std::ranges::sort(blocks);
  return {.least = blocks.front(), .median = blocks[kBlocks / 2], .most = blocks.back()};
}

void say(const char* what, const Spread& spread, const Spread& before) {
  fmt::print("  {:<22} {:.4f} ms (blocks {:.4f} to {:.4f})  {:.4f}x\n", what, spread.median,
             spread.least, spread.most, spread.median / before.median);
  std::fflush(stdout);
}

std::vector<CUpti_ActivityKind> kinds_of(std::string_view part) {
  if (part == "kernels") return {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL};
  if (part == "serial") return {CUPTI_ACTIVITY_KIND_KERNEL};
  if (part == "work")
    return {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
            CUPTI_ACTIVITY_KIND_MEMSET};
  throw Error(Fault::BadInput, fmt::format("graph_cost: no part '{}'", part));
}

void run(std::string_view model, std::string_view part, int steps) {
  const std::vector<CUpti_ActivityKind> kinds = kinds_of(part);
  const Engine engine = Engine::load(true);
  const auto workload = make_cost_workload(engine, model, Mode::Graph);
  for (int i = 0; i < 50; ++i) (void)workload->step();
  fmt::print("{} bf16 graph, {}, {} steps a block\n", model, part, steps);
  const Spread before = measure(*workload, steps);
  say("before CUPTI came", before, before);
  CUpti_SubscriberHandle subscriber{};
  cupti().check(cupti().subscribe(&subscriber, on_call, nullptr), "subscribing");
  cupti().check(cupti().register_buffers(lend_buffer, take_buffer), "giving it buffers");
  say("there", measure(*workload, steps), before);
  for (const auto kind : kinds) cupti().check(cupti().enable_activity(kind), "records");
  say("recording nodes", measure(*workload, steps), before);
  wait_for_device();
  for (const auto kind : kinds) cupti().check(cupti().disable_activity(kind), "records");
  cupti().flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  fmt::print("  {:.0f} records a step\n",
             static_cast<double>(nodes_seen) / static_cast<double>(kBlocks * steps));
  say("there again", measure(*workload, steps), before);
  cupti().unsubscribe(subscriber);
  say("unsubscribed", measure(*workload, steps), before);
}

}  // namespace

int main(int count, char** words) {
  try {
    run(count > 1 ? words[1] : "resnet18", count > 2 ? words[2] : "work",
        count > 3 ? std::atoi(words[3]) : 200);
  } catch (const ridgeline::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  std::fflush(stdout);
  std::_Exit(0);  // CUPTI is still in the process
}
