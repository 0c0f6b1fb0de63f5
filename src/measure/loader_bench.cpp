#include "measure/loader_bench.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "core/error.h"
#include "measure/measure_row.h"
#include "measure/row_json.h"
#include "stats/steady_state.h"

namespace ridgeline {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

// A batch may take half a millisecond and come out of a queue: the time of one says little.
constexpr Seconds kSampleTime{0.1};
constexpr Seconds kWarmupTime{0.3};

Seconds cpu_time() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return Seconds{static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec)};
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Batches one after the other, epoch after epoch, as a training loop asks for them.
class BatchStream {
 public:
  BatchStream(const ImageSet& images, const Transform& transform, const LoaderOptions& options)
      : loader_(images, transform, options) {
    if (loader_.batches_per_epoch() == 0)
      throw bad_input(
          fmt::format("{} images make no batch of {}", images.size(), options.batch_size));
    loader_.start_epoch(0);
  }
  void pass() {
    auto batch = loader_.next();
    if (!batch) {
      loader_.start_epoch(++epoch_);
      batch = loader_.next();
    }
    loader_.release(*batch);
  }

 private:
  Loader loader_;
  std::uint64_t epoch_ = 0;
};

struct Timing {
  Samples samples;
  Seconds cpu{};
  std::size_t batches = 0;  // in the samples
};

// Passes batches for at least `least` and returns how many.
std::size_t pass_for(BatchStream& stream, Seconds least) {
  std::size_t batches = 0;
  const auto begin = Clock::now();
  do {
    stream.pass();
    ++batches;
  } while (Clock::now() - begin < least);
  return batches;
}

Timing time_batches(BatchStream& stream, const SamplingPlan& plan, const SampleHooks& hooks) {
  (void)pass_for(stream, kWarmupTime);
  Timing timing;
  const Seconds cpu_before = cpu_time();
  timing.samples = sample<Clock>(plan, hooks, [&] {
    const auto start = Clock::now();
    const std::size_t batches = pass_for(stream, kSampleTime);
    timing.batches += batches;
    return StepTimes{.total = (Clock::now() - start) / static_cast<double>(batches)};
  });
  timing.cpu = cpu_time() - cpu_before;
  return timing;
}

json header(const LoaderBench& bench) {
  return {
      {"model", "loader"},
      {"label", bench.label},
      {"settings",
       {{"batch_size", bench.loader.batch_size},
        {"workers", bench.loader.workers},
        {"prefetch", bench.loader.prefetch},
        {"output", bench.transform.output == TransformOptions::Output::Float ? "float" : "bytes"},
        {"seed", bench.loader.seed},
        {"device", "cpu"}}},
      {"phases_asked", {"total"}},
      {"plan",
       {{"warmup_steps", bench.plan.warmup_steps},
        {"budget_s", bench.plan.budget.count()},
        {"target_percent", 100 * bench.plan.target}}},
      {"warnings", json::array()}};
}

void add_timing(json& row, const LoaderBench& bench, const Timing& timing,
                std::size_t image_bytes) {
  std::vector<Seconds> times;
  for (const StepTimes& step : timing.samples.measured) times.push_back(step.total);
  const auto batch = static_cast<double>(bench.loader.batch_size);
  row["outcome"] = "measured";
  row["phases"]["total"] = statistics_json(times);
  const double rate = batch / row["phases"]["total"]["median_s"].get<double>();
  row["samples_per_s"] = rate;
  row["samples_per_cpu_s"] = batch * static_cast<double>(timing.batches) / timing.cpu.count();
  row["written_bytes_per_s"] = rate * static_cast<double>(image_bytes);
  row["peak"]["bytes_per_s"] = measure_host_copy(std::max(bench.loader.workers, 1)).value;
  if (find_steady_state(times).kind == SteadyState::Kind::NoSteadyState)
    row["warnings"].push_back("no steady state: the rate kept changing during the measurement");
}

json failed(const LoaderBench& bench, Fault fault, const std::string& reason) {
  json row = header(bench);
  row["outcome"] = "failed";
  row["fault"] = name_of(fault);
  row["reason"] = reason;
  return row;
}

}  // namespace

std::string describe(const LoaderBench& bench) {
  const int workers = bench.loader.workers;
  return fmt::format("{}, batch {}, {}", bench.label, bench.loader.batch_size,
                     workers == 0 ? std::string("no workers")
                                  : fmt::format("{} worker{}", workers, workers == 1 ? "" : "s"));
}

json measure_loader(const ImageSet& images, const LoaderBench& bench, const SampleHooks& hooks) {
  try {
    const Transform transform(bench.transform);
    std::optional<BatchStream> stream(std::in_place, images, transform, bench.loader);
    std::vector<std::uint8_t> scratch;
    const std::size_t image_bytes = transform.output_bytes(images.read(0, scratch));
    const Timing timing = time_batches(*stream, bench.plan, hooks);
    if (timing.samples.measured.empty())
      return failed(bench, Fault::Internal, "interrupted before the first sample");
    stream.reset();  // its workers would share the memory with the copies that follow
    json row = header(bench);
    if (bench.image_size > 0) row["settings"]["image_size"] = bench.image_size;
    add_timing(row, bench, timing, image_bytes);
    return row;
  } catch (const Error& error) {
    return failed(bench, error.fault(), error.what());
  } catch (const std::bad_alloc&) {
    return failed(bench, Fault::Memory, "not enough memory for the batches");
  }
}

}  // namespace ridgeline
