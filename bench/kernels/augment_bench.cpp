// Images a second that the augmentation kernel makes, and the bandwidth it writes with:
// augment_bench
#include <cstdint>
#include <cstdio>
#include <exception>
#include <random>
#include <vector>

#include "cuda/kernels/augment.h"
#include "kernels/bench_buffers.h"

namespace ridgeline::bench {
namespace {

using namespace kernels;

constexpr int kImages = 50000;
constexpr int kSide = 32;
constexpr int kBatches = 8;  // outputs in rotation

struct Case {
  const char* name;
  int size;
  int batch;
  bool resample;
};
constexpr Case kCases[] = {
    {"rrc 32 -> 224, batch 256", 224, 256, true},
    {"rrc 32 -> 224, batch 1024", 224, 1024, true},
    {"crop 32 padded, batch 128", 32, 128, false},
    {"crop 32 padded, batch 1024", 32, 1024, false},
};

template <class T>
DeviceMemory upload(const std::vector<T>& values) {
  DeviceMemory memory(values.size() * sizeof(T));
  check(
      cudaMemcpy(memory.data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

std::vector<SamplePlan> plans_for(const Case& of) {
  std::mt19937 random(7);
  const auto below = [&](int bound) {
    return static_cast<std::int32_t>(random() % static_cast<unsigned>(bound));
  };
  std::vector<SamplePlan> plans;
  for (int i = 0; i < of.batch; ++i) {
    // Sides as RandomResizedCrop draws them: a third of the image and more.
    const std::int32_t side = of.resample ? 10 + below(kSide - 9) : of.size;
    plans.push_back({.image = below(kImages),
                     .top = of.resample ? below(kSide - side + 1) : below(9) - 4,
                     .left = of.resample ? below(kSide - side + 1) : below(9) - 4,
                     .height = side,
                     .width = side,
                     .flip = below(2)});
  }
  return plans;
}

void run(const Case& of, const DeviceMemory& images, const DeviceMemory& labels,
         cudaStream_t stream) {
  const DeviceMemory plans = upload(plans_for(of));
  const DeviceMemory step = upload(std::vector<std::int64_t>{0});
  const std::size_t bytes =
      static_cast<std::size_t>(of.batch) * static_cast<std::size_t>(of.size * of.size * 3) * 2;
  std::vector<DeviceMemory> outputs;
  for (int i = 0; i < kBatches; ++i) outputs.emplace_back(bytes);
  const DeviceMemory out_labels(static_cast<std::size_t>(of.batch) * sizeof(std::int64_t));
  const auto work = [&](int i) {
    const Augment args{.images = images.as<std::uint8_t>(),
                       .labels = labels.as<std::int64_t>(),
                       .plans = plans.as<SamplePlan>(),
                       .step = step.as<std::int64_t>(),
                       .source_height = kSide,
                       .source_width = kSide,
                       .size = of.size,
                       .batch = of.batch,
                       .resample = of.resample,
                       .factor = {0.017F, 0.0175F, 0.0174F},
                       .offset = {-2.1F, -2.0F, -1.8F},
                       .element = Element::Bf16,
                       .out = outputs[static_cast<std::size_t>(i % kBatches)].data(),
                       .out_labels = out_labels.as<std::int64_t>()};
    check(launch_augment(args, stream));
  };
  const Timing timing = time_calls(work, stream);
  std::printf("%-28s %8.1f us  %12.0f img/s  %6.2f TB/s written\n", of.name, 1e6 * timing.chain_s,
              of.batch / timing.chain_s, static_cast<double>(bytes) / timing.chain_s * 1e-12);
}

int main_or_throw() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  std::mt19937 random(1);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(kImages) * kSide * kSide * 3);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  const DeviceMemory images = upload(bytes);
  const DeviceMemory labels = upload(std::vector<std::int64_t>(kImages, 1));
  for (const Case& of : kCases) run(of, images, labels, stream);
  return 0;
}

}  // namespace
}  // namespace ridgeline::bench

int main() {
  try {
    return ridgeline::bench::main_or_throw();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "augment_bench: %s\n", error.what());
    return 1;
  }
}
