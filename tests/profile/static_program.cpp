// A LibTorch program whose Profile and a tensor live until after main, when torch's state of the
// thread is gone. Its steps outlast it.

#include <ATen/ATen.h>

#include <cstdio>

#include <ridgeline/profile.h>

namespace {

ridgeline::Profile& profile() {
  static ridgeline::Profile whole({.steps = 100});
  return whole;
}

at::Tensor& sum() {
  static at::Tensor tensor = at::zeros({16, 16});
  return tensor;
}

}  // namespace

int main() {
  for (int step = 0; step < 10; ++step) {
    const ridgeline::ProfileStep watched(profile());
    sum() += at::ones({16, 16}).mm(at::ones({16, 16}));
  }
  std::printf("sum %.0f\n", sum().sum().item<double>());
}
