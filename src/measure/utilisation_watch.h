#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "measure/utilisation.h"

namespace ridgeline {

// Asks the driver ten times a second, from a thread of its own: the one that steps only says when.
class UtilisationWatch {
 public:
  using Source = std::function<std::optional<GpuState>()>;
  explicit UtilisationWatch(Source source);
  ~UtilisationWatch();
  UtilisationWatch(const UtilisationWatch&) = delete;
  UtilisationWatch& operator=(const UtilisationWatch&) = delete;

  void step_began();
  void step_ended();
  void steps_pause();
  // Stops asking, if it did not know enough before.
  [[nodiscard]] Utilisation finish();

 private:
  void ask_until_stopped();
  void stop();

  Source source_;
  std::mutex mutex_;
  std::condition_variable stopping_;
  bool stopped_ = false;
  UtilisationLog log_;
  std::thread thread_;
};

// Of NVML's GPU of that number; empty where there is none.
[[nodiscard]] UtilisationWatch::Source nvml_source(int gpu);

}  // namespace ridgeline
