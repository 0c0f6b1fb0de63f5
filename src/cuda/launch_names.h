#pragma once

#include <mutex>
#include <string>
#include <vector>

#include <cupti.h>

namespace ridgeline {

// The names of kernels as they are launched, while it lives. Takes CUPTI's one subscriber.
class LaunchNames {
 public:
  LaunchNames();
  ~LaunchNames();
  LaunchNames(const LaunchNames&) = delete;
  LaunchNames& operator=(const LaunchNames&) = delete;

  [[nodiscard]] std::vector<std::string> take();

 private:
  static void CUPTIAPI on_call(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                               const void* data);

  CUpti_SubscriberHandle subscriber_{};
  std::mutex mutex_;
  std::vector<const char*> names_;  // the driver's, and its modules stay loaded
};

}  // namespace ridgeline
