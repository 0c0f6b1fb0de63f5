// A LibTorch training loop that can be profiled: two lines of it are Ridgeline's.

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <cstdio>

#include <ridgeline/profile.h>

int main() {
  at::manual_seed(1);
  const at::Device device(at::hasCUDA() ? at::kCUDA : at::kCPU);
  at::Tensor w1 = (0.1 * at::randn({256, 512}, device)).requires_grad_();
  at::Tensor w2 = (0.1 * at::randn({512, 10}, device)).requires_grad_();

  ridgeline::ProfileOptions options;
  options.steps = 5;
  options.enabled_by_environment = true;  // RIDGELINE_PROFILE=on, or =out=prof,steps=3
  ridgeline::Profile profile(options);

  double loss = 0;
  for (int step = 0; step < 40; ++step) {
    profile.step();
    at::Tensor x;
    at::Tensor y;
    {
      const ridgeline::Range range("data");
      x = at::randn({128, 256}, device);
      y = at::randint(10, {128}, at::TensorOptions(device).dtype(at::kLong));
    }
    const at::Tensor error = at::cross_entropy_loss(x.matmul(w1).relu().matmul(w2), y);
    const auto gradients = torch::autograd::grad({error}, {w1, w2});
    {
      const ridgeline::Range range("update");
      const c10::NoGradGuard no_gradients;
      w1.sub_(gradients[0], 0.05);
      w2.sub_(gradients[1], 0.05);
    }
    loss = error.item<double>();
  }
  profile.finish();
  std::printf("loss %.3f\n", loss);
}
