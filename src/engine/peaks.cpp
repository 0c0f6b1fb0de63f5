#include "engine/peaks.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "engine/placement.h"
#include "engine/step.h"

namespace ridgeline {
namespace {

constexpr int kWarmups = 3;
constexpr int kMinRuns = 5;
constexpr int kMaxRuns = 20;
constexpr Seconds kEnough{2.0};

at::TensorOptions storage(const RunSettings& settings) {
  const at::Device device = torch_device(settings.device);
  switch (settings.precision) {
    case Precision::Bf16:
    case Precision::Bf16Pure: return at::TensorOptions(device).dtype(at::kBFloat16);
    case Precision::Fp16: return at::TensorOptions(device).dtype(at::kHalf);
    case Precision::Fp32:
    case Precision::Tf32: break;
  }
  return at::TensorOptions(device).dtype(at::kFloat);
}

Seconds median_time(Backend& backend, const std::function<void()>& work) {
  const auto clock = backend.make_clock(2);
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Seconds> times;
  for (int i = 0; i < kWarmups + kMaxRuns; ++i) {
    clock->mark(0);
    work();
    clock->mark(1);
    clock->wait(1);
    if (i >= kWarmups) times.push_back(clock->between(0, 1));
    if (std::ssize(times) >= kMinRuns && std::chrono::steady_clock::now() - begin > kEnough) break;
  }
  std::ranges::nth_element(times, times.begin() + std::ssize(times) / 2);
  return times[times.size() / 2];
}

}  // namespace

FlopPerSecond measure_matmul_peak(const RunSettings& settings, Backend& backend) {
  const at::NoGradGuard no_grad;
  const auto scope = backend.enter(settings.device.index);
  apply_process_settings(settings, backend);
  const std::int64_t n = settings.device.kind == DeviceKind::Cuda ? 8192 : 2048;
  const at::Tensor a = at::randn({n, n}, storage(settings).dtype(at::kFloat)).to(storage(settings).dtype());
  const at::Tensor b = at::randn({n, n}, storage(settings).dtype(at::kFloat)).to(storage(settings).dtype());
  at::Tensor c = at::empty({n, n}, storage(settings));
  const Seconds time = median_time(backend, [&] { at::mm_out(c, a, b); });
  const auto side = static_cast<double>(n);
  return Flop{2 * side * side * side} / time;
}

BytesPerSecond measure_copy_peak(const RunSettings& settings, Backend& backend) {
  const at::NoGradGuard no_grad;
  const auto scope = backend.enter(settings.device.index);
  apply_process_settings(settings, backend);
  // Far beyond any cache: 4 GiB on a GPU, 256 MiB on a host.
  const std::int64_t bytes = std::int64_t{1} << (settings.device.kind == DeviceKind::Cuda ? 32 : 28);
  const at::Tensor from = at::ones({bytes / 4}, storage(settings).dtype(at::kInt));
  at::Tensor to = at::empty_like(from);
  const Seconds time = median_time(backend, [&] { to.copy_(from); });
  return Bytes{2.0 * static_cast<double>(bytes)} / time;
}

}  // namespace ridgeline

extern "C" double ridgeline_matmul_peak(const ridgeline::RunSettings& settings, ridgeline::Backend& backend) {
  return ridgeline::measure_matmul_peak(settings, backend).value;
}

extern "C" double ridgeline_copy_peak(const ridgeline::RunSettings& settings, ridgeline::Backend& backend) {
  return ridgeline::measure_copy_peak(settings, backend).value;
}
