#include "measure/utilisation_watch.h"

#include <chrono>
#include <memory>
#include <utility>

namespace ridgeline {
namespace {

constexpr std::chrono::milliseconds kInterval{100};

Seconds now() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace

UtilisationWatch::UtilisationWatch(Source source)
    : source_(std::move(source)), thread_([this] { ask_until_stopped(); }) {}

UtilisationWatch::~UtilisationWatch() { stop(); }

void UtilisationWatch::ask_until_stopped() {
  std::unique_lock lock(mutex_);
  while (!stopping_.wait_for(lock, kInterval, [this] { return stopped_; })) {
    lock.unlock();
    const auto state = source_();
    lock.lock();
    if (state) log_.add(now(), *state);
    if (log_.has_enough()) return;
  }
}

void UtilisationWatch::step_began() {
  const std::lock_guard lock(mutex_);
  log_.step_began(now());
}

void UtilisationWatch::step_ended() {
  const std::lock_guard lock(mutex_);
  log_.step_ended(now());
}

void UtilisationWatch::steps_pause() {
  const std::lock_guard lock(mutex_);
  log_.steps_pause();
}

void UtilisationWatch::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  stopping_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Utilisation UtilisationWatch::finish() {
  stop();
  return log_.result();
}

UtilisationWatch::Source nvml_source(int gpu) {
  const auto nvml = Nvml::load(nullptr);
  if (!nvml) return {};
  return [nvml = *nvml, gpu] { return nvml.activity(gpu); };
}

}  // namespace ridgeline
