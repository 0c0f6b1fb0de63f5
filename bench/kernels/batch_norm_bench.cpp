// Times the fused BatchNorm kernels against what a copy of the same bytes takes on this device, and
// against PyTorch's own ops: batch_norm_bench [FILE.csv]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "cuda/kernels/batch_norm.h"
#include "kernels/batch_norm_peer.h"
#include "kernels/bench_buffers.h"

namespace ridgeline::bench {
namespace {

using namespace kernels;

struct Shape {
  const char* name;
  std::int64_t rows;
  std::int64_t channels;
};

constexpr Shape kShapes[] = {
    {"r18/50 224 bs256 stem", 256LL * 112 * 112, 64},
    {"r18 224 bs256 stage 1", 256LL * 56 * 56, 64},
    {"r18 224 bs256 stage 2", 256LL * 28 * 28, 128},
    {"r18 224 bs256 stage 3", 256LL * 14 * 14, 256},
    {"r18 224 bs256 stage 4", 256LL * 7 * 7, 512},
    {"r50 224 bs256 stage 1", 256LL * 56 * 56, 256},
    {"r50 224 bs256 stage 2", 256LL * 28 * 28, 512},
    {"r50 224 bs256 stage 3", 256LL * 14 * 14, 1024},
    {"r50 224 bs256 stage 4", 256LL * 7 * 7, 2048},
    {"r18 32 bs1024 stem", 1024LL * 16 * 16, 64},
    {"r18 32 bs1024 stage 1", 1024LL * 8 * 8, 64},
    {"r18 32 bs1024 stage 2", 1024LL * 4 * 4, 128},
    {"r18 32 bs1024 stage 4", 1024LL, 512},
    {"r18 32 bs128 stem", 128LL * 16 * 16, 64},
    {"r18 32 bs128 stage 1", 128LL * 8 * 8, 64},
    {"r18 32 bs128 stage 2", 128LL * 4 * 4, 128},
    {"r18 32 bs128 stage 3", 128LL * 2 * 2, 256},
    {"r18 32 bs128 stage 4", 128LL, 512},
};
// Beyond this the cluster schedule is no candidate.
constexpr std::int64_t kClusterBytes = std::int64_t{64} << 20;

// Tensors for one call; a run rotates through several.
struct Set {
  DeviceMemory x, residual, y, mask, dy, dx, d_residual;
};

class Bench {
 public:
  Bench(const Shape& shape, cudaStream_t stream)
      : shape_{.rows = shape.rows, .channels = shape.channels, .element = Element::Bf16},
        stream_(stream),
        weight_(filled(channels(), 1.F)),
        bias_(filled(channels(), 0.1F)),
        running_mean_(filled(channels(), 0.F)),
        running_var_(filled(channels(), 1.F)),
        mean_(filled(channels(), 0.F)),
        invstd_(filled(channels(), 1.F)),
        d_weight_(filled(channels(), 0.F)),
        d_bias_(filled(channels(), 0.F)),
        partials_(batch_norm_partials() * sizeof(float)),
        arrivals_(filled(kBatchNormArrivals, 0.F)) {
    const std::size_t count = std::clamp<std::size_t>((std::size_t{256} << 20) / bytes(), 1, 16);
    for (std::size_t i = 0; i < count; ++i) {
      sets_.push_back({.x = random_bf16(bytes()),
                       .residual = random_bf16(bytes()),
                       .y = DeviceMemory(bytes()),
                       .mask = DeviceMemory(batch_norm_mask_bytes(shape_)),
                       .dy = random_bf16(bytes()),
                       .dx = DeviceMemory(bytes()),
                       .d_residual = DeviceMemory(bytes())});
    }
  }

  [[nodiscard]] Timing forward(bool residual, Schedule schedule) {
    return time_calls(
        [&](int i) {
          const Set& s = set(i);
          check(batch_norm_forward({.shape = shape_,
                                    .x = s.x.data(),
                                    .residual = residual ? s.residual.data() : nullptr,
                                    .weight = weight_.as<float>(),
                                    .bias = bias_.as<float>(),
                                    .running_mean = running_mean_.as<float>(),
                                    .running_var = running_var_.as<float>(),
                                    .mean = mean_.as<float>(),
                                    .invstd = invstd_.as<float>(),
                                    .y = s.y.data(),
                                    .mask = residual ? s.mask.as<std::uint8_t>() : nullptr,
                                    .relu = true,
                                    .schedule = schedule},
                                   {partials_.as<float>(), arrivals_.as<unsigned>()}, stream_));
        },
        stream_);
  }

  [[nodiscard]] Timing inference() {
    return time_calls(
        [&](int i) {
          const Set& s = set(i);
          check(batch_norm_inference({.shape = shape_,
                                      .x = s.x.data(),
                                      .residual = nullptr,
                                      .weight = weight_.as<float>(),
                                      .bias = bias_.as<float>(),
                                      .mean = mean_.as<float>(),
                                      .variance = running_var_.as<float>(),
                                      .y = s.y.data(),
                                      .relu = true},
                                     stream_));
        },
        stream_);
  }

  [[nodiscard]] Timing backward(bool residual, Schedule schedule) {
    return time_calls(
        [&](int i) {
          const Set& s = set(i);
          check(batch_norm_backward({.shape = shape_,
                                     .gate = residual ? Gate::Mask : Gate::Recompute,
                                     .dy = s.dy.data(),
                                     .x = s.x.data(),
                                     .mask = residual ? s.mask.as<std::uint8_t>() : nullptr,
                                     .weight = weight_.as<float>(),
                                     .bias = bias_.as<float>(),
                                     .mean = mean_.as<float>(),
                                     .invstd = invstd_.as<float>(),
                                     .dx = s.dx.data(),
                                     .d_residual = residual ? s.d_residual.data() : nullptr,
                                     .d_weight = d_weight_.as<float>(),
                                     .d_bias = d_bias_.as<float>(),
                                     .schedule = schedule},
                                    {partials_.as<float>(), arrivals_.as<unsigned>()}, stream_));
        },
        stream_);
  }

  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(shape_.rows * shape_.channels) * 2;
  }

 private:
  [[nodiscard]] std::size_t channels() const { return static_cast<std::size_t>(shape_.channels); }
  [[nodiscard]] const Set& set(int i) const {
    return sets_[static_cast<std::size_t>(i) % sets_.size()];
  }

  BatchNormShape shape_;
  cudaStream_t stream_;
  DeviceMemory weight_, bias_, running_mean_, running_var_, mean_, invstd_, d_weight_, d_bias_;
  DeviceMemory partials_, arrivals_;
  std::vector<Set> sets_;
};

// Bytes a second of one large copy, reading and writing counted. Launched on its own: as a node of
// the chain's graph it ran at 2.8 TB/s on an H200, launched so at 4.
double copy_rate(cudaStream_t stream) {
  constexpr std::size_t kBytes = std::size_t{2} << 30;
  const DeviceMemory from = random_bf16(kBytes);
  const DeviceMemory to(kBytes);
  const Timing timing = time_calls(
      [&](int) {
        check(cudaMemcpyAsync(to.data(), from.data(), kBytes, cudaMemcpyDeviceToDevice, stream));
      },
      stream);
  return 2.0 * static_cast<double>(kBytes) / timing.cold_s;
}

class Report {
 public:
  Report(double copy, const std::string& csv_path) : copy_(copy) {
    if (!csv_path.empty()) csv_.open(csv_path);
    csv_ << "shape,rows,channels,pass,schedule,time_s,single_s,bytes,bytes_per_s,share_of_copy,"
            "pytorch_s,speedup\n";
    std::printf("copy of 2 GiB: %.0f GB/s (reads and writes)\n\n", copy * 1e-9);
    std::printf("%-22s %8s %5s  %-17s %-9s %9s %9s %9s %7s %7s %11s %7s\n", "shape", "rows", "C",
                "pass", "schedule", "time us", "single us", "MB", "GB/s", "% copy", "pytorch us",
                "faster");
  }

  // `passes` counts the tensors that the streaming schedule moves.
  void row(const Shape& shape, const char* pass, const char* schedule, const Timing& timing,
           double passes, std::optional<double> peer_s) {
    const double bytes = passes * static_cast<double>(shape.rows * shape.channels) * 2.0;
    const double rate = bytes / timing.chain_s;
    std::printf("%-22s %8lld %5lld  %-17s %-9s %9.2f %9.2f %9.1f %7.0f %6.1f%%", shape.name,
                static_cast<long long>(shape.rows), static_cast<long long>(shape.channels), pass,
                schedule, timing.chain_s * 1e6, timing.cold_s * 1e6, bytes * 1e-6, rate * 1e-9,
                100.0 * rate / copy_);
    if (peer_s) {
      std::printf(" %11.2f %6.2fx\n", *peer_s * 1e6, *peer_s / timing.chain_s);
    } else {
      std::printf(" %11s %7s\n", "-", "-");
    }
    std::fflush(stdout);
    csv_ << shape.name << ',' << shape.rows << ',' << shape.channels << ',' << pass << ','
         << schedule << ',' << timing.chain_s << ',' << timing.cold_s << ',' << bytes << ',' << rate
         << ',' << rate / copy_ << ',';
    if (peer_s) csv_ << *peer_s << ',' << *peer_s / timing.chain_s;
    if (!peer_s) csv_ << ',';
    csv_ << '\n';
  }

 private:
  double copy_;
  std::ofstream csv_;
};

struct Peers {
  std::optional<PeerTiming> plain;
  std::optional<PeerTiming> residual;
};

std::optional<double> forward_of(const std::optional<PeerTiming>& peer) {
  return peer ? std::optional(peer->forward_s) : std::nullopt;
}
std::optional<double> backward_of(const std::optional<PeerTiming>& peer) {
  return peer ? std::optional(peer->backward_s) : std::nullopt;
}

void bench_shape(const Shape& shape, const Peers& peers, cudaStream_t stream, Report& report) {
  constexpr double kMask = 1.0 / 16;  // of a bf16 tensor's bytes
  Bench bench(shape, stream);
  report.row(shape, "inference relu", "apply", bench.inference(), 2, std::nullopt);
  for (const Schedule schedule : {Schedule::Streaming, Schedule::Cluster, Schedule::Auto}) {
    const bool cluster = schedule == Schedule::Cluster;
    if (cluster && static_cast<std::int64_t>(bench.bytes()) > kClusterBytes) continue;
    const char* name = cluster ? "cluster" : schedule == Schedule::Auto ? "auto" : "streaming";
    report.row(shape, "forward relu", name, bench.forward(false, schedule), 3,
               forward_of(peers.plain));
    report.row(shape, "forward add+relu", name, bench.forward(true, schedule), 4 + kMask,
               forward_of(peers.residual));
    report.row(shape, "backward relu", name, bench.backward(false, schedule), 5,
               backward_of(peers.plain));
    report.row(shape, "backward add+relu", name, bench.backward(true, schedule), 6 + 2 * kMask,
               backward_of(peers.residual));
  }
}

int run(const std::string& csv_path) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("no CUDA device: nothing to measure");
    return 0;
  }
  const std::optional<std::string> obstacle = peer_obstacle();
  if (obstacle) std::printf("PyTorch column left out: %s\n", obstacle->c_str());
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0));
  std::printf("%s, %d multiprocessors, L2 %d MB\n", device.name, device.multiProcessorCount,
              device.l2CacheSize >> 20);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  Report report(copy_rate(stream), csv_path);
  for (const Shape& shape : kShapes) {
    Peers peers;
    if (!obstacle) {
      peers.plain = time_peer({.rows = shape.rows, .channels = shape.channels, .residual = false});
      peers.residual =
          time_peer({.rows = shape.rows, .channels = shape.channels, .residual = true});
    }
    bench_shape(shape, peers, stream, report);
  }
  check(cudaStreamDestroy(stream));
  return 0;
}

}  // namespace
}  // namespace ridgeline::bench

int main(int argc, char** argv) {
  try {
    return ridgeline::bench::run(argc > 1 ? argv[1] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "batch_norm_bench: %s\n", error.what());
    return 1;
  }
}
