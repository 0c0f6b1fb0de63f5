#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include <cuda.h>
#include <cupti.h>

namespace ridgeline {

// Called before each launch, with its stream; what it launches itself is not seen. May not throw:
// CUPTI calls it.
using BeforeLaunch = std::function<void(CUstream)>;

// The names of kernels as they are launched, while it lives. Takes CUPTI's one subscriber.
class LaunchNames {
 public:
  explicit LaunchNames(BeforeLaunch before = {});
  ~LaunchNames();
  LaunchNames(const LaunchNames&) = delete;
  LaunchNames& operator=(const LaunchNames&) = delete;

  [[nodiscard]] std::vector<std::string> take();

 private:
  static void CUPTIAPI on_call(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                               const void* data);
  void add(const char* name);

  BeforeLaunch before_;
  CUpti_SubscriberHandle subscriber_{};
  std::mutex mutex_;
  std::vector<const char*> names_;  // the driver's, and its modules stay loaded
};

}  // namespace ridgeline
