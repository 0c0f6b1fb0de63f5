// A LibTorch program that knows nothing of Ridgeline, for what is preloaded: plain_program [exit
// code]. With a worker thread that computes until the end, as loaders do.

#include <ATen/ATen.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

int main(int count, char** words) {
  std::atomic<bool> stop{false};
  std::thread worker([&] {
    do (void)at::ones({8}).mul(2);
    while (!stop);
  });
  const at::Tensor weight = at::ones({16, 16}).requires_grad_();
  for (int step = 0; step < 10; ++step) at::ones({4, 16}).matmul(weight).sum().backward();
  std::printf("sum %.0f\n", weight.grad().sum().item<double>());
  stop = true;
  worker.join();
  return count > 1 ? std::atoi(words[1]) : 0;
}
