// What each part of CUPTI costs an eager step, and each way of asking it: blocks of steps with the
// part and blocks for which CUPTI has left the process, in random ABBA order, for the host of a GPU
// server changes its pace from second to second. The first steps after CUPTI came are told apart.
// cupti_cost [resnet18|small [BLOCKS [PART...]]]; needs a GPU, and CUPTI's folder on the library
// path.

#include <ATen/record_function.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cupti.h>
#include <fmt/format.h>

#include "core/error.h"
#include "cost_models.h"
#include "cuda/cuda_runtime.h"
#include "cuda/cupti_library.h"
#include "cuda/launch_calls.h"
#include "cuda/wait_calls.h"
#include "engine/engine.h"
#include "profile/device_observer.h"
#include "profile/profile_steps.h"
#include "stats/abba.h"
#include "stats/summary.h"

namespace {

using namespace ridgeline;

constexpr std::size_t kBlock = 8;     // steps
constexpr std::size_t kSettling = 3;  // of them, not counted in the ratio

bool zeroed_buffers = false;

void CUPTIAPI lend_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  *bytes = std::size_t{4} << 20;
  *buffer = zeroed_buffers ? new std::uint8_t[*bytes]() : new std::uint8_t[*bytes];
  *most_records = 0;
}
// Of the last part, by kind.
std::map<CUpti_ActivityKind, std::uint64_t> records_seen;

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t bytes) {
  CUpti_Activity* activity = nullptr;
  while (cupti().next_record(buffer, bytes, &activity) == CUPTI_SUCCESS)
    ++records_seen[activity->kind];
  delete[] buffer;
}
void CUPTIAPI on_call(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

// Something that is there for a block of steps, and gone for the next.
class Watch {
 public:
  virtual ~Watch() = default;
  virtual void begin() = 0;
  virtual void end() = 0;
};

struct Part {
  std::vector<CUpti_ActivityKind> kinds{};
  std::vector<ApiCall> calls{};
  std::function<void()> ask{};  // once subscribed, before anything is on
};

class CuptiPart final : public Watch {
 public:
  explicit CuptiPart(Part part) : part_(std::move(part)) {}
  void begin() override {
    cupti().check(cupti().subscribe(&subscriber_, on_call, nullptr), "subscribing");
    zeroed_buffers = false;
    try {
      if (part_.ask) part_.ask();
      cupti().check(cupti().register_buffers(lend_buffer, take_buffer), "giving it buffers");
      turn(true);
    } catch (const Error&) {
      leave();
      throw;
    }
  }
  void end() override {
    wait_for_device();
    turn(false);
    cupti().flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    leave();
  }

 private:
  void leave() {
    cupti().unsubscribe(subscriber_);
    static_cast<void>(cupti().finalize());
  }
  void turn(bool on) {
    for (const CUpti_ActivityKind kind : part_.kinds)
      cupti().check(on ? cupti().enable_activity(kind) : cupti().disable_activity(kind), "records");
    for (const ApiCall& call : part_.calls)
      cupti().check(cupti().enable_callback(on ? 1 : 0, subscriber_, call.domain, call.id),
                    "calls");
  }
  Part part_;
  CUpti_SubscriberHandle subscriber_{};
};

// An observer of ops that does nothing with them: what torch's own telling costs.
class Listener final : public Watch {
 public:
  Listener()
      : callback_(at::addGlobalCallback(
            at::RecordFunctionCallback([](const at::RecordFunction&)
                                           -> std::unique_ptr<at::ObserverContext> {
              return nullptr;
            }).scopes({at::RecordScope::FUNCTION}))) {
    at::disableCallback(callback_);
  }
  ~Listener() override { at::removeCallback(callback_); }
  void begin() override { at::reenableCallback(callback_); }
  void end() override { at::disableCallback(callback_); }

 private:
  at::CallbackHandle callback_;
};

class Together final : public Watch {
 public:
  Together(std::unique_ptr<Watch> one, std::unique_ptr<Watch> other)
      : one_(std::move(one)), other_(std::move(other)) {}
  void begin() override {
    one_->begin();
    other_->begin();
  }
  void end() override {
    other_->end();
    one_->end();
  }

 private:
  std::unique_ptr<Watch> one_;
  std::unique_ptr<Watch> other_;
};

// As profiles do it.
class Observed final : public Watch {
 public:
  explicit Observed(std::unique_ptr<OpObserver> observer, Side side = Side::Both)
      : observer_(std::move(observer)) {
    observer_->watch(side);
    observer_->withdraw();
  }
  void begin() override { observer_->resume(Keep::Everything); }
  void end() override {
    observer_->pause();
    observer_->reset();
    observer_->withdraw();
  }

 private:
  std::unique_ptr<OpObserver> observer_;
};

template <class Function, class... Arguments>
void ask(const char* name, Arguments... arguments) {
  static const Library library = open_cupti();
  cupti().check(library.symbol<Function>(name)(arguments...), name);
}

template <class Value>
void set(CUpti_ActivityAttribute attribute, Value value) {
  std::size_t bytes = sizeof(value);
  ask<decltype(&cuptiActivitySetAttribute)>("cuptiActivitySetAttribute", attribute, &bytes,
                                            static_cast<void*>(&value));
}

struct Choice {
  std::string name;
  std::function<std::unique_ptr<Watch>()> make;
};

std::vector<Choice> choices(const Engine& engine) {
  const std::vector<CUpti_ActivityKind> kernels{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL};
  const std::vector<CUpti_ActivityKind> work{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                             CUPTI_ACTIVITY_KIND_MEMCPY,
                                             CUPTI_ACTIVITY_KIND_MEMSET};
  const std::vector<ApiCall> launches(kDriverKernelCalls.begin(), kDriverKernelCalls.end());
  std::vector<ApiCall> all(launches);
  all.insert(all.end(), kOtherWorkCalls.begin(), kOtherWorkCalls.end());
  for (const WaitCall& wait : kWaitCalls) all.push_back(wait.call);
  const auto part = [](Part what) { return [=] { return std::make_unique<CuptiPart>(what); }; };
  const auto host = [&engine] {
    return std::unique_ptr<OpObserver>(
        engine.symbol<MakeOpObserver>(kMakeOpObserverSymbol)({.program_ranges = false}));
  };
  const auto both = [&engine, host] {
    auto ops = host();
    std::unique_ptr<DeviceObserver> device(
        engine.cuda_symbol<MakeDeviceObserver>(kMakeDeviceObserverSymbol)({.hooks = ops->hooks()}));
    return watch_both(std::move(ops), std::move(device),
                      [](const Error& error) { fmt::print("lost: {}\n", error.what()); });
  };
  return {
      {"nothing", part({})},
      {"launches", part({{}, launches})},
      {"calls", part({{}, all})},
      {"kernels", part({kernels})},
      {"work", part({work})},
      {"work+launches", part({work, launches})},
      {"work+calls", part({work, all})},
      {"work:pinned",
       part({work,
             {},
             [] { set(CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED, std::uint8_t{1}); }})},
      {"work:zeroed", part({work,
                            {},
                            [] {
                              zeroed_buffers = true;
                              set(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, std::uint8_t{1});
                            }})},
      {"work:one buffer",
       part({work,
             {},
             [] { set(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, std::uint8_t{0}); }})},
      {"work:small",
       part({work, {}, [] { set(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, std::size_t{320000}); }})},
      {"work:latencies", part({work,
                               {},
                               [] {
                                 ask<decltype(&cuptiActivityEnableLatencyTimestamps)>(
                                     "cuptiActivityEnableLatencyTimestamps", std::uint8_t{1});
                               }})},
      {"work:quiet worker", part({work,
                                  {},
                                  [] {
                                    ask<decltype(&cuptiActivityFlushPeriod)>(
                                        "cuptiActivityFlushPeriod", std::uint32_t{60000});
                                  }})},
      {"work:hardware", part({work,
                              {},
                              [] {
                                ask<decltype(&cuptiActivityEnableHWTrace)>(
                                    "cuptiActivityEnableHWTrace", std::uint8_t{1});
                              }})},
      {"serial kernels", part({{CUPTI_ACTIVITY_KIND_KERNEL}})},
      {"listener", [] { return std::make_unique<Listener>(); }},
      {"listener+work",
       [=] { return std::make_unique<Together>(std::make_unique<Listener>(), part({work})()); }},
      {"ops", [=] { return std::make_unique<Observed>(host()); }},
      {"ops+work",
       [=] {
         return std::make_unique<Together>(std::make_unique<Observed>(host()), part({work})());
       }},
      {"ops+work+calls", [=] { return std::make_unique<Observed>(both()); }},
      {"apart: ops", [=] { return std::make_unique<Observed>(both(), Side::Host); }},
      {"apart: work+calls", [=] { return std::make_unique<Observed>(both(), Side::Device); }},
  };
}

using Block = std::array<double, kBlock>;

Block run_block(Workload& workload) {
  Block times{};
  for (double& time : times) time = workload.step().total.count();
  return times;
}

Seconds settled(const Block& block) {
  std::vector<double> rest(block.begin() + kSettling, block.end());
  std::ranges::sort(rest);
  return Seconds{rest[rest.size() / 2]};
}

double median_of(const std::vector<Block>& blocks, std::size_t step) {
  std::vector<double> times;
  for (const Block& block : blocks) times.push_back(block[step]);
  std::ranges::sort(times);
  return times[times.size() / 2];
}

void measure(const Choice& choice, Workload& workload, std::size_t count) {
  const std::unique_ptr<Watch> watch = choice.make();
  std::vector<Block> with;
  std::vector<Block> without;
  for (const bool with_first : abba_order(count, 1)) {
    for (const bool watched : {with_first, !with_first}) {
      if (watched) watch->begin();
      (watched ? with : without).push_back(run_block(workload));
      if (watched) watch->end();
    }
  }
  std::vector<Seconds> with_s;
  std::vector<Seconds> without_s;
  std::ranges::transform(with, std::back_inserter(with_s), settled);
  std::ranges::transform(without, std::back_inserter(without_s), settled);
  const double plain = summarise(without_s).median.count();
  const double extra = summarise(with_s).median.count() - plain;
  const ProfileCost cost = cost_of(std::move(without_s), std::move(with_s));
  fmt::print("{:<24} {:6.3f}x ({:.3f} to {:.3f})  {:7.3f} ms {:+7.3f}   steps after it came:",
             choice.name, cost.ratio, cost.interval ? cost.interval->low : 0,
             cost.interval ? cost.interval->high : 0, 1e3 * plain, 1e3 * extra);
  for (std::size_t i = 0; i < kSettling + 1; ++i)
    fmt::print(" {:.3f}", median_of(with, i) / median_of(without, i));
  for (const auto& [kind, count_of_kind] : std::exchange(records_seen, {}))
    fmt::print("; kind {}: {:.0f} a step", static_cast<int>(kind),
               static_cast<double>(count_of_kind) / static_cast<double>(kBlock * count));
  fmt::print("\n");
  std::fflush(stdout);
}

int run(std::string_view model, std::size_t blocks, const std::vector<std::string>& only) {
  const Engine engine = Engine::load(true);
  const auto workload = make_cost_workload(engine, model, Mode::Eager);
  for (int i = 0; i < 20; ++i) (void)workload->step();
  fmt::print("{} bf16 eager, {} blocks of {} steps each way\n", model, blocks, kBlock);
  for (const Choice& choice : choices(engine)) {
    if (!only.empty() && std::ranges::find(only, choice.name) == only.end()) continue;
    try {
      measure(choice, *workload, blocks);
    } catch (const Error& error) {
      fmt::print("{:<24} {}\n", choice.name, error.what());
    }
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(count > 1 ? words[1] : "resnet18",
               count > 2 ? static_cast<std::size_t>(std::atoi(words[2])) : 24,
               std::vector<std::string>(words + std::min(count, 3), words + count));
  } catch (const ridgeline::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
