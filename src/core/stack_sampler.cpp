#include "core/stack_sampler.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <unordered_map>

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <sys/time.h>

#include "core/error.h"

namespace ridgeline {
namespace {

constexpr int kDeepest = 62;
constexpr int kOwnFrames = 2;  // the handler and the kernel's trampoline

struct Sample {
  int depth = 0;
  std::array<void*, kDeepest> frames{};
};

// What the signal handler writes to. It takes no lock and allocates nothing.
struct Buffer {
  explicit Buffer(std::size_t capacity) : samples(capacity) {}
  std::vector<Sample> samples;
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

std::string name_of(void* address) {
  Dl_info info{};
  // A return address may lie just behind its function.
  if (dladdr(static_cast<char*>(address) - 1, &info) == 0) return "?";
  if (info.dli_sname == nullptr) {
    const char* const slash =
        info.dli_fname == nullptr ? nullptr : std::strrchr(info.dli_fname, '/');
    return fmt::format("[{}]", slash != nullptr ? slash + 1 : "?");
  }
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status), &std::free);
  std::string name = status == 0 ? plain.get() : info.dli_sname;
  // A semicolon would end the frame.
  for (char& c : name) {
    if (c == ';' || c == '\n') c = ':';
  }
  return name;
}

std::string folded(const Sample& sample, std::unordered_map<void*, std::string>& names) {
  std::string frames;
  const std::string* last = nullptr;
  for (int i = sample.depth - 1; i >= kOwnFrames; --i) {
    auto [entry, fresh] = names.try_emplace(sample.frames[static_cast<std::size_t>(i)]);
    if (fresh) entry->second = name_of(entry->first);
    // Functions whose names their library keeps to itself tell no more in a row than one.
    if (last != nullptr && *last == entry->second && last->starts_with('[')) continue;
    last = &entry->second;
    if (!frames.empty()) frames += ';';
    frames += entry->second;
  }
  return frames;
}

}  // namespace

StackSampler::StackSampler(Seconds period, std::size_t capacity) : period_(period) {
  if (!(period.count() >= 1e-4)) throw bad_input("stacks are sampled every 0.1 ms at most");
  if (owned) throw bad_input("stacks are being sampled already");
  // The first call loads the unwinder's library, which a handler must not do.
  std::array<void*, 4> primed{};
  static_cast<void>(backtrace(primed.data(), static_cast<int>(primed.size())));
  owned = std::make_unique<Buffer>(capacity);
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
  std::unordered_map<void*, std::string> names;
  std::map<std::string, std::uint64_t> counts;
  for (std::size_t i = 0; i < taken; ++i) ++counts[folded(owned->samples[i], names)];
  for (auto& [frames, samples] : counts) result.stacks.push_back({frames, samples});
  result.taken = taken;
  return result;
}

}  // namespace ridgeline
