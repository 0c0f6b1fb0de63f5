#include "engine/peaks.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "engine/placement.h"
#include "engine/step.h"

namespace ridgeline {
namespace {

constexpr std::int64_t kFirstHostSide = 256;
constexpr std::int64_t kLastHostSide = 2048;
constexpr std::int64_t kDeviceSide = 8192;
constexpr Seconds kShortProduct{0.02};  // eight times this, for the next side, is still short
constexpr Seconds kHostWarmUp{0.02};
constexpr Seconds kDeviceWarmUp{0.3};  // until a GPU's clocks have settled

at::TensorOptions storage(const RunSettings& settings) {
  const at::Device device = torch_device(settings.device);
  switch (settings.precision) {
    case Precision::Bf16:
    case Precision::Bf16Pure:
      return at::TensorOptions(device).dtype(at::kBFloat16);
    case Precision::Fp16:
      return at::TensorOptions(device).dtype(at::kHalf);
    case Precision::Fp32:
    case Precision::Tf32:
      break;
  }
  return at::TensorOptions(device).dtype(at::kFloat);
}

// Two random square matrices and the place for their product.
struct Product {
  at::Tensor a, b, c;
  Product(const RunSettings& settings, std::int64_t side)
      : a(random_square(settings, side)), b(random_square(settings, side)), c(at::empty_like(a)) {}
  void operator()() { at::mm_out(c, a, b); }

 private:
  static at::Tensor random_square(const RunSettings& settings, std::int64_t side) {
    return at::randn({side, side}, storage(settings).dtype(at::kFloat))
        .to(storage(settings).dtype());
  }
};

PeakCandidate candidate_of(const RunSettings& settings, Backend& backend, std::int64_t side) {
  const auto product = std::make_shared<Product>(settings, side);
  const std::shared_ptr<StepClock> clock = backend.make_clock(2);
  const auto length = static_cast<double>(side);
  PeakCandidate candidate{.at = fmt::format("{} × {} × {}, LibTorch", side, side, side),
                          .work = 2 * length * length * length};
  candidate.run = [=, &backend](std::uint64_t repetitions) {
    const at::NoGradGuard no_grad;
    // Another probe may have asked for other threads or for TF32 meanwhile.
    apply_process_settings(settings, backend);
    clock->mark(0);
    for (std::uint64_t i = 0; i < repetitions; ++i) (*product)();
    clock->mark(1);
    clock->wait(1);
    return clock->between(0, 1);
  };
  return candidate;
}

std::vector<PeakCandidate> candidates_of(const RunSettings& settings, Backend& backend) {
  const at::NoGradGuard no_grad;
  apply_process_settings(settings, backend);
  if (settings.device.kind == DeviceKind::Cuda)
    return {candidate_of(settings, backend, kDeviceSide)};
  // A CPU without the arithmetic for a dtype emulates it, and a large product takes minutes: the
  // side grows only while a product stays short.
  std::vector<PeakCandidate> candidates;
  for (std::int64_t side = kFirstHostSide; side <= kLastHostSide; side *= 2) {
    candidates.push_back(candidate_of(settings, backend, side));
    (void)candidates.back().run(1);  // threads and packing buffers are made here
    if (candidates.back().run(1) >= kShortProduct) break;
  }
  return candidates;
}

std::optional<ComputePath> path_of(const RunSettings& settings) {
  const bool on_gpu = settings.device.kind == DeviceKind::Cuda;
  switch (settings.precision) {
    case Precision::Fp32:
      return ComputePath::Fp32;
    case Precision::Tf32:
      return on_gpu ? std::optional(ComputePath::TensorTf32) : std::nullopt;
    case Precision::Fp16:
      return ComputePath::TensorFp16;
    case Precision::Bf16:
    case Precision::Bf16Pure:
      return ComputePath::TensorBf16;  // a CPU: AMX, or instructions that sum pairs of products
  }
  return std::nullopt;
}

}  // namespace

PeakProbe matmul_probe(const RunSettings& settings, Backend& backend) {
  const bool on_gpu = settings.device.kind == DeviceKind::Cuda;
  PeakProbe probe{.what = {.name = std::string(peak_dtype(settings.precision)),
                           .path = path_of(settings),
                           .threads = on_gpu ? 0 : settings.threads},
                  .warm_up = on_gpu ? kDeviceWarmUp : kHostWarmUp};
  probe.prepare = [settings, &backend] { return candidates_of(settings, backend); };
  return probe;
}

}  // namespace ridgeline

extern "C" void ridgeline_matmul_probe(const ridgeline::RunSettings& settings,
                                       ridgeline::Backend& backend,
                                       std::vector<ridgeline::PeakProbe>& probes) {
  probes.push_back(ridgeline::matmul_probe(settings, backend));
}

extern "C" int ridgeline_default_threads() {
  static const int threads = at::get_num_threads();
  return threads;
}
