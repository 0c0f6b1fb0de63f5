#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>

#include "core/error.h"
#include "core/format.h"
#include "cuda/device_work.h"
#include "cuda/kernels/peak_kernels.h"
#include "cuda/matrix_probes.h"
#include "engine/peaks.h"

namespace ridgeline {
namespace {

using namespace kernels;

constexpr Seconds kFmaWarmUp{0.05};
constexpr Seconds kMemoryWarmUp{0.02};
constexpr int kFmaRounds = 4096;
constexpr int kSharedLoads = 4096;
constexpr std::size_t kMostDram = std::size_t{2} << 30;
constexpr std::size_t kLinkBytes = std::size_t{256} << 20;
constexpr int kBlocksEach = 8;  // of kReadThreads on a multiprocessor: all its threads

cudaDeviceProp properties_of(int index) {
  cudaDeviceProp properties{};
  require_cuda(cudaGetDeviceProperties(&properties, index), "facts of the device");
  return properties;
}

std::string size_text(std::size_t bytes) { return format_bytes(Bytes{static_cast<double>(bytes)}); }

PeakCandidate timed(std::string at, double work, std::function<void(cudaStream_t)> launch) {
  const auto stream = std::make_shared<TimedStream>();
  PeakCandidate candidate{.at = std::move(at), .work = work};
  candidate.run = [stream, launch = std::move(launch)](std::uint64_t repetitions) {
    return stream->time(repetitions, [&] { launch(stream->stream()); });
  };
  return candidate;
}

PeakProbe bandwidth_probe(const char* name, std::optional<MemoryLevel> level,
                          std::function<std::vector<PeakCandidate>()> prepare) {
  return {.what = {.name = name, .is_bandwidth = true, .level = level},
          .warm_up = kMemoryWarmUp,
          .prepare = std::move(prepare)};
}

struct NamedFma {
  const char* name;
  FmaFormat format;
  ComputePath path;
};
constexpr std::array kFma{NamedFma{"fp64 FMA", FmaFormat::Fp64, ComputePath::Fp64},
                          NamedFma{"fp32 FMA", FmaFormat::Fp32, ComputePath::Fp32},
                          NamedFma{"fp16x2 FMA", FmaFormat::Fp16x2, ComputePath::Fp16},
                          NamedFma{"bf16x2 FMA", FmaFormat::Bf16x2, ComputePath::Bf16}};

std::vector<PeakCandidate> fma_candidates(FmaFormat format, int index) {
  FmaRun run{.format = format, .rounds = kFmaRounds};
  int each = 0;
  require_cuda(fma_blocks_per_multiprocessor(format, &each), "blocks of a kernel");
  run.blocks = std::max(each, 1) * properties_of(index).multiProcessorCount;
  const auto out =
      device_memory(static_cast<std::size_t>(run.blocks) * kFmaThreads * sizeof(float));
  run.out = static_cast<float*>(out.get());
  return {timed(
      fmt::format("{} blocks of {}", run.blocks, kFmaThreads), flop_of(run),
      [run, out](cudaStream_t stream) { require_cuda(launch_fma(run, stream), "an FMA kernel"); })};
}

// Far beyond any cache, and no more than a tenth of what is free; where that is little, more of it,
// for a set that lies in the L2 has the L2's bandwidth.
std::size_t dram_bytes(int index) {
  std::size_t free = 0;
  std::size_t total = 0;
  require_cuda(cudaMemGetInfo(&free, &total), "free memory");
  const auto l2 = static_cast<std::size_t>(std::max(properties_of(index).l2CacheSize, 0));
  constexpr std::size_t kWhole = std::size_t{1} << 20;
  constexpr std::size_t kTimesL2 = 4;
  const std::size_t bytes = std::max(std::min(kMostDram, free / 10), kTimesL2 * l2);
  if (bytes > free / 3)
    throw Error(Fault::Device,
                fmt::format("{:.0f} MB of free memory are too few beside {:.0f} MB of L2",
                            static_cast<double>(free) / 1e6, static_cast<double>(l2) / 1e6));
  return bytes / kWhole * kWhole;
}

std::shared_ptr<void> random_words(std::size_t bytes) {
  auto memory = device_memory(bytes);
  require_cuda(launch_fill(FillFormat::Int8, memory.get(), bytes, 3, nullptr), "random numbers");
  require_cuda(cudaStreamSynchronize(nullptr), "random numbers");
  return memory;
}

PeakCandidate read_candidate(std::size_t bytes, int passes, int index) {
  ReadRun run{.words = bytes / sizeof(uint4), .passes = passes};
  run.blocks = kBlocksEach * properties_of(index).multiProcessorCount;
  const auto data = random_words(bytes);
  const auto out =
      device_memory(static_cast<std::size_t>(run.blocks) * kReadThreads * sizeof(std::uint32_t));
  run.data = static_cast<const uint4*>(data.get());
  run.out = static_cast<std::uint32_t*>(out.get());
  return timed(size_text(bytes), static_cast<double>(bytes) * passes,
               [run, data, out](cudaStream_t stream) {
                 require_cuda(launch_read(run, stream), "a read kernel");
               });
}

// The runtime's copy beside a plain kernel: which one is faster depends on the card.
std::vector<PeakCandidate> copy_candidates(int index) {
  const std::size_t bytes = dram_bytes(index);
  const auto from = random_words(bytes);
  const auto to = device_memory(bytes);
  const double moved = 2.0 * static_cast<double>(bytes);
  std::vector<PeakCandidate> candidates{
      timed(size_text(bytes) + ", cudaMemcpy", moved, [=](cudaStream_t stream) {
        require_cuda(cudaMemcpyAsync(to.get(), from.get(), bytes, cudaMemcpyDeviceToDevice, stream),
                     "a copy on the device");
      })};
  const int most = kBlocksEach * properties_of(index).multiProcessorCount;
  for (const int blocks : {most, 4 * most}) {
    candidates.push_back(timed(fmt::format("{}, kernel of {} blocks", size_text(bytes), blocks),
                               moved, [=](cudaStream_t stream) {
                                 require_cuda(launch_copy(static_cast<uint4*>(to.get()),
                                                          static_cast<const uint4*>(from.get()),
                                                          bytes / sizeof(uint4), blocks, stream),
                                              "a copy kernel");
                               }));
  }
  return candidates;
}

std::vector<PeakCandidate> l2_candidates(int index) {
  constexpr int kPasses = 64;
  constexpr std::size_t kWhole = std::size_t{64} << 10;
  const auto l2 = static_cast<std::size_t>(std::max(properties_of(index).l2CacheSize, 0));
  if (l2 < 4 * kWhole) throw Error(Fault::Device, "the device tells no size of its L2");
  return {read_candidate(l2 / 2 / kWhole * kWhole, kPasses, index),
          read_candidate(l2 / 4 / kWhole * kWhole, kPasses, index)};
}

std::vector<PeakCandidate> shared_candidates(int index) {
  int each = 0;
  require_cuda(shared_blocks_per_multiprocessor(&each), "blocks of a kernel");
  SharedRun run{.loads = kSharedLoads};
  run.blocks = std::max(each, 1) * properties_of(index).multiProcessorCount;
  const auto out =
      device_memory(static_cast<std::size_t>(run.blocks) * kSharedThreads * sizeof(std::uint32_t));
  run.out = static_cast<std::uint32_t*>(out.get());
  const double bytes = static_cast<double>(sizeof(uint4)) * run.loads * kSharedThreads *
                       static_cast<double>(run.blocks);
  return {timed(fmt::format("shared memory, {} blocks of {}", run.blocks, kSharedThreads), bytes,
                [run, out](cudaStream_t stream) {
                  require_cuda(launch_shared_read(run, stream), "a shared memory kernel");
                })};
}

std::vector<PeakCandidate> link_candidates(cudaMemcpyKind kind) {
  const auto host = pinned_memory(kLinkBytes);
  const auto device = random_words(kLinkBytes);
  require_cuda(cudaMemcpy(host.get(), device.get(), kLinkBytes, cudaMemcpyDeviceToHost),
               "a copy to the host");
  const bool upload = kind == cudaMemcpyHostToDevice;
  return {timed(size_text(kLinkBytes) + ", page-locked", static_cast<double>(kLinkBytes),
                [=](cudaStream_t stream) {
                  require_cuda(
                      cudaMemcpyAsync(upload ? device.get() : host.get(),
                                      upload ? host.get() : device.get(), kLinkBytes, kind, stream),
                      "a copy over the host link");
                })};
}

void add_device_probes(int index, std::vector<PeakProbe>& probes) {
  for (const NamedFma& fma : kFma) {
    probes.push_back({.what = {.name = fma.name, .path = fma.path},
                      .warm_up = kFmaWarmUp,
                      .prepare = [&fma, index] { return fma_candidates(fma.format, index); }});
  }
  probes.push_back(
      bandwidth_probe("L1 read", MemoryLevel::L1, [index] { return shared_candidates(index); }));
  probes.push_back(
      bandwidth_probe("L2 read", MemoryLevel::L2, [index] { return l2_candidates(index); }));
  probes.push_back(bandwidth_probe("DRAM read", MemoryLevel::Dram, [index] {
    return std::vector{read_candidate(dram_bytes(index), 1, index)};
  }));
  probes.push_back(
      bandwidth_probe("copy", MemoryLevel::Dram, [index] { return copy_candidates(index); }));
  probes.push_back(bandwidth_probe("host to device", std::nullopt,
                                   [] { return link_candidates(cudaMemcpyHostToDevice); }));
  probes.push_back(bandwidth_probe("device to host", std::nullopt,
                                   [] { return link_candidates(cudaMemcpyDeviceToHost); }));
}

}  // namespace
}  // namespace ridgeline

extern "C" void ridgeline_cuda_peak_probes(int index, std::vector<ridgeline::PeakProbe>& probes) {
  ridgeline::add_matrix_probes(probes);
  ridgeline::add_device_probes(index, probes);
}
