#include "core/stack_sampler.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include <execinfo.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "core/code_names.h"
#include "core/error.h"

namespace ridgeline {
namespace {

constexpr int kDeepest = 62;
constexpr int kOwnFrames = 2;  // the handler and the kernel's trampoline

struct Sample {
  int depth = 0;
  std::uint32_t tag = 0;
  std::array<void*, kDeepest> frames{};
};

// What the signal handler writes to. It takes no lock and allocates nothing.
struct Buffer {
  Buffer(std::size_t capacity, StackTag tag_source) : samples(capacity), tag(tag_source) {}
  std::vector<Sample> samples;
  StackTag tag;
  std::atomic<long> tagged_thread{0};
  std::atomic<std::size_t> next{0};
  std::atomic<std::uint64_t> lost{0};
  std::atomic<int> writing{0};
};

std::atomic<Buffer*> current{nullptr};
std::unique_ptr<Buffer> owned;
struct sigaction before {};

void take_sample(int /*signal*/) {
  const int saved = errno;
  if (Buffer* const buffer = current.load(std::memory_order_acquire)) {
    buffer->writing.fetch_add(1);
    const std::size_t place = buffer->next.fetch_add(1);
    if (place < buffer->samples.size()) {
      Sample& sample = buffer->samples[place];
      sample.depth = backtrace(sample.frames.data(), kDeepest);
      // What the tag looks at may be made at a thread's first look, which a handler must not do.
      if (buffer->tag != nullptr && buffer->tagged_thread.load() == ::syscall(SYS_gettid))
        sample.tag = buffer->tag();
    } else {
      buffer->lost.fetch_add(1);
    }
    buffer->writing.fetch_sub(1);
  }
  errno = saved;
}

void set_timer(Seconds period) {
  const double whole = std::floor(period.count());
  const timeval interval{.tv_sec = static_cast<time_t>(whole),
                         .tv_usec = static_cast<suseconds_t>(1e6 * (period.count() - whole))};
  const itimerval timer{.it_interval = interval, .it_value = interval};
  if (setitimer(ITIMER_PROF, &timer, nullptr) != 0)
    throw Error(Fault::Io, fmt::format("no sampling of stacks: {}", std::strerror(errno)));
}

std::string folded(const Sample& sample, CodeNames& names) {
  std::string frames;
  const std::string* last = nullptr;
  for (int i = sample.depth - 1; i >= kOwnFrames; --i) {
    const std::string& name = names.of(sample.frames[static_cast<std::size_t>(i)]);
    // Functions without names of their own tell no more in a row than one.
    if (last != nullptr && *last == name && name.starts_with('[')) continue;
    last = &name;
    if (!frames.empty()) frames += ';';
    frames += name;
  }
  return frames;
}

}  // namespace

StackSampler::StackSampler(Seconds period, std::size_t capacity, StackTag tag) : period_(period) {
  if (!(period.count() >= 1e-4)) throw bad_input("stacks are sampled every 0.1 ms at most");
  if (owned) throw bad_input("stacks are being sampled already");
  // The first call loads the unwinder's library, which a handler must not do.
  std::array<void*, 4> primed{};
  static_cast<void>(backtrace(primed.data(), static_cast<int>(primed.size())));
  owned = std::make_unique<Buffer>(capacity, tag);
  struct sigaction action {};
  action.sa_handler = take_sample;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGPROF, &action, &before);
}

StackSampler::~StackSampler() {
  pause();
  // A signal that is under way would kill the process under the default action.
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPROF, before.sa_handler == SIG_DFL ? &ignore : &before, nullptr);
  owned.reset();
}

void StackSampler::resume() {
  owned->tagged_thread.store(::syscall(SYS_gettid));
  current.store(owned.get(), std::memory_order_release);
  set_timer(period_);
}

void StackSampler::pause() {
  const itimerval off{};
  static_cast<void>(setitimer(ITIMER_PROF, &off, nullptr));
  current.store(nullptr, std::memory_order_release);
  while (owned->writing.load() > 0) {
  }
}

StackSamples StackSampler::finish() {
  pause();
  StackSamples result;
  result.lost = owned->lost.load();
  const std::size_t taken = std::min(owned->next.load(), owned->samples.size());
  CodeNames names;
  std::map<std::pair<std::string, std::uint32_t>, std::uint64_t> counts;
  for (std::size_t i = 0; i < taken; ++i) {
    const Sample& sample = owned->samples[i];
    ++counts[{folded(sample, names), sample.tag}];
  }
  for (const auto& [stack, samples] : counts)
    result.stacks.push_back({.frames = stack.first, .samples = samples, .tag = stack.second});
  result.taken = taken;
  return result;
}

}  // namespace ridgeline
