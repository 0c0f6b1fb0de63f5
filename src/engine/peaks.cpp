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
constexpr std::int64_t kFirstHostSide = 256;
constexpr std::int64_t kLastHostSide = 2048;
constexpr Seconds kShortProduct{0.02};  // eight times this, for the next side, is still short

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

FlopPerSecond matmul_rate(const RunSettings& settings, Backend& backend, std::int64_t n) {
  Product product(settings, n);
  const Seconds time = median_time(backend, [&] { product(); });
  const auto side = static_cast<double>(n);
  return Flop{2 * side * side * side} / time;
}

Seconds product_time(const RunSettings& settings, std::int64_t side) {
  Product product(settings, side);
  product();  // threads and packing buffers are made here
  const auto begin = std::chrono::steady_clock::now();
  product();
  return std::chrono::steady_clock::now() - begin;
}

}  // namespace

FlopPerSecond measure_matmul_peak(const RunSettings& settings, Backend& backend) {
  const at::NoGradGuard no_grad;
  const auto scope = backend.enter(settings.device.index);
  apply_process_settings(settings, backend);
  if (settings.device.kind == DeviceKind::Cuda) return matmul_rate(settings, backend, 8192);
  // A CPU without the arithmetic for a dtype emulates it, and a large product takes minutes: the
  // side grows only while a product stays short.
  std::int64_t side = kFirstHostSide;
  while (side < kLastHostSide && product_time(settings, side) < kShortProduct) side *= 2;
  return matmul_rate(settings, backend, side);
}

BytesPerSecond measure_copy_peak(const RunSettings& settings, Backend& backend) {
  const at::NoGradGuard no_grad;
  const auto scope = backend.enter(settings.device.index);
  apply_process_settings(settings, backend);
  // Far beyond any cache: 4 GiB on a GPU, 256 MiB on a host.
  const std::int64_t bytes = std::int64_t{1}
                             << (settings.device.kind == DeviceKind::Cuda ? 32 : 28);
  const at::Tensor from = at::ones({bytes / 4}, storage(settings).dtype(at::kInt));
  at::Tensor to = at::empty_like(from);
  const Seconds time = median_time(backend, [&] { to.copy_(from); });
  return Bytes{2.0 * static_cast<double>(bytes)} / time;
}

}  // namespace ridgeline

extern "C" double ridgeline_matmul_peak(const ridgeline::RunSettings& settings,
                                        ridgeline::Backend& backend) {
  return ridgeline::measure_matmul_peak(settings, backend).value;
}

extern "C" double ridgeline_copy_peak(const ridgeline::RunSettings& settings,
                                      ridgeline::Backend& backend) {
  return ridgeline::measure_copy_peak(settings, backend).value;
}
