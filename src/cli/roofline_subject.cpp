#include "cli/roofline_subject.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/profile_findings.h"
#include "cli/profile_observer.h"
#include "cli/profile_subject.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/progress.h"
#include "measure/ceilings.h"
#include "measure/peaks.h"
#include "profile/profile_steps.h"
#include "stats/order.h"

namespace ridgeline {
namespace {

// The workload is at hand for more steps; nobody watches it any more.
struct RecordedWorkload {
  std::unique_ptr<Workload> workload{};
  Recording recording{};
};

RecordedWorkload record(const Session& session, const RowSpec& spec,
                        const RooflineRequest& request) {
  const auto observer =
      make_observer(session.engine, session.device,
                    {.shapes = true,
                     .values = true,
                     .program_ranges = std::holds_alternative<FileSpec>(spec.model)},
                    GraphDetail::Nodes);
  std::unique_ptr<Workload> workload;
  {
    const WatchedCapture watched(*observer, spec.settings.mode);
    workload = make_profiled_workload(session.engine, spec);
  }
  Progress progress({.enabled = !request.quiet, .total = 1});
  progress.begin(describe(spec));
  ProfileResult result = profile_steps(
      *workload, *observer, {.wait = 1, .warmup = 1, .active = request.steps}, {.most = 0},
      {.interrupted = [] { return interrupted(); },
       .progressed = [&](double part) { progress.update(part); }});
  progress.clear();
  if (result.failure) throw Error(result.failure->fault, result.failure->message);
  return {.workload = std::move(workload), .recording = std::move(result.recording)};
}

// On the clock, with nobody watching: what utilisations are of.
Seconds unwatched_step(Workload& workload) {
  constexpr std::size_t kSteps = 9;
  constexpr Seconds kEnough{2};
  std::vector<Seconds> times;
  Seconds spent{};
  while (times.size() < kSteps && spent < kEnough && !interrupted()) {
    times.push_back(workload.step().total);
    spent += times.back();
  }
  return times.empty() ? Seconds{} : median(times);
}

}  // namespace

RoofsHere roofs_here(const Engine& engine, const std::vector<RowSpec>& specs,
                     const std::vector<MemoryLevel>& levels) {
  const RunSettings& settings = specs.front().settings;
  // All that is no product runs in fp32, whatever it is stored in; on a GPU attention in fp32 runs
  // on matrix units all the same.
  RoofWish wish{.products = {Precision::Fp32}, .levels = levels};
  if (settings.device.kind == DeviceKind::Cuda) wish.products.push_back(Precision::Tf32);
  for (const RowSpec& spec : specs) wish.products.push_back(spec.settings.precision);
  const PeakReport report = measured_roofs(engine, settings, wish);
  RoofsHere roofs{.ceilings = ceilings_of(report)};
  for (const RowSpec& spec : specs) {
    const auto product = peak_for(report.peaks, spec.settings);
    if (!product) {
      roofs.without_product[spec.settings.precision] = "it could not be measured";
    } else if (product->too_low) {
      roofs.without_product[spec.settings.precision] =
          fmt::format("it came out as {}, far below what one thread does: the machine was busy",
                      rate_text(product->per_second, /*is_bandwidth=*/false));
    } else {
      roofs.products[spec.settings.precision] = FlopPerSecond{product->per_second};
    }
  }
  return roofs;
}

std::optional<RooflineRun> roofline_of(const Session& session, const RowSpec& spec,
                                       const RooflineRequest& request, const RoofsHere& roofs) {
  const RecordedWorkload recorded = record(session, spec, request);
  if (interrupted()) return std::nullopt;
  const Seconds step = unwatched_step(*recorded.workload);
  const auto product = roofs.products.find(spec.settings.precision);
  const auto lack = roofs.without_product.find(spec.settings.precision);
  const RecordedSetting setting{
      .spec = spec,
      .recording = recorded.recording,
      .workload = *recorded.workload,
      .step = step,
      .gpu = gpu_shape(session.engine, session.device),
      .product = product != roofs.products.end() ? std::optional(product->second) : std::nullopt,
      .no_product =
          lack != roofs.without_product.end() ? std::optional(lack->second) : std::nullopt};
  RooflineRun run =
      roofline_of_recording(setting, request, roofs.ceilings, device_counters_of(session.engine));
  if (interrupted()) return std::nullopt;
  return run;
}

}  // namespace ridgeline
