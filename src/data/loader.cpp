#include "data/loader.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "core/error.h"
#include "data/batch_maker.h"
#include "data/epoch_order.h"

namespace ridgeline {
namespace {

// Workers take this many samples of a batch at a time: few enough that a batch is shared out, and
// enough that taking them costs nothing.
constexpr std::size_t kMostSamplesTaken = 32;
// Beyond what is in the making, so that a caller can hold one batch while it uses another.
constexpr std::size_t kHeldSlots = 2;
constexpr int kMost = 1024;  // workers, and batches ahead for each

void check(const LoaderOptions& options) {
  if (options.batch_size == 0) throw bad_input("loader: a batch needs at least one sample");
  if (options.workers < 0 || options.workers > kMost)
    throw bad_input(
        fmt::format("loader: workers must be from 0 to {}, not {}", kMost, options.workers));
  if (options.prefetch < 1 || options.prefetch > kMost)
    throw bad_input(
        fmt::format("loader: prefetch must be from 1 to {}, not {}", kMost, options.prefetch));
}

struct Slot {
  std::shared_ptr<std::byte> pixels;
  std::vector<std::int64_t> labels;
  enum class Use { Free, Open, Held } use = Use::Free;
};

struct Failure {
  std::size_t at = 0;  // in the batch
  std::exception_ptr error;
};

// A batch that is in the making or ready.
struct OpenBatch {
  std::size_t slot = 0;
  BatchMaker::Target target{};
  std::size_t first = 0;  // in the epoch's order
  std::size_t count = 0;
  std::size_t taken = 0;
  std::size_t unfinished = 0;
  std::optional<Failure> failure{};
};

// Some samples of a batch, for one worker.
struct Share {
  OpenBatch* batch = nullptr;
  std::size_t from = 0;
  std::size_t count = 0;
};

}  // namespace

// Slots belong to the caller's thread, and so does the number of open batches; workers take shares
// of those, under the mutex.
struct Loader::State {
  State(const ImageSet& set, const Transform& transform, const LoaderOptions& wanted,
        const AllocateBuffer& allocator)
      : images(set), maker(set, transform), options(wanted), allocate(allocator) {}

  const ImageSet& images;
  BatchMaker maker;
  LoaderOptions options;
  AllocateBuffer allocate;

  std::vector<Slot> slots;
  std::uint64_t epoch = 0;
  std::vector<std::size_t> order;
  std::size_t next_opened = 0;  // batches of this epoch
  std::size_t end = 0;
  std::deque<OpenBatch> open;

  std::mutex mutex;
  std::condition_variable work;
  std::condition_variable progress;
  int busy = 0;
  bool stopping = false;
  std::atomic<bool> abandoned = false;
  std::vector<std::thread> threads;
  BatchMaker::Scratch own_scratch;

  [[nodiscard]] std::size_t most_open() const {
    return std::max<std::size_t>(
        static_cast<std::size_t>(options.workers) * static_cast<std::size_t>(options.prefetch), 1);
  }

  // All buffers that `batches` batches an epoch can come to need, before any is allocated.
  void check_memory(std::size_t batches) const {
    constexpr std::size_t kMostBytes = std::size_t{64} << 30;
    const std::size_t buffers = batches == 0 ? 0 : std::min(most_open(), batches) + kHeldSlots;
    const std::size_t image = maker.image_bytes() + sizeof(std::int64_t);
    std::size_t total = 0;
    if (!__builtin_mul_overflow(image, options.batch_size, &total) &&
        !__builtin_mul_overflow(total, buffers, &total) && total <= kMostBytes)
      return;
    throw bad_input(fmt::format(
        "loader: {} buffers ({} workers, prefetch {}) of {} images of {} bytes are more "
        "than 64 GiB; take fewer workers or smaller batches",
        buffers, options.workers, options.prefetch, options.batch_size, image));
  }

  std::optional<std::size_t> free_slot() {
    const auto it = std::ranges::find(slots, Slot::Use::Free, &Slot::use);
    if (it != slots.end()) return static_cast<std::size_t>(it - slots.begin());
    if (slots.size() >= most_open() + kHeldSlots) return std::nullopt;
    slots.push_back({.pixels = allocate(maker.image_bytes() * options.batch_size),
                     .labels = std::vector<std::int64_t>(options.batch_size)});
    return slots.size() - 1;
  }

  void open_batches() {
    while (next_opened < end && open.size() < most_open()) {
      const auto slot = free_slot();
      if (!slot) return;
      const std::size_t first = next_opened++ * options.batch_size;
      const std::size_t count = std::min(options.batch_size, order.size() - first);
      Slot& used = slots[*slot];
      used.use = Slot::Use::Open;
      const std::lock_guard lock(mutex);
      open.push_back({.slot = *slot,
                      .target = {.pixels = used.pixels.get(), .labels = used.labels.data()},
                      .first = first,
                      .count = count,
                      .unfinished = count});
      work.notify_all();
    }
  }

  // With the mutex held.
  std::optional<Share> take_share() {
    const auto it = std::ranges::find_if(
        open, [](const OpenBatch& batch) { return batch.taken < batch.count; });
    if (it == open.end()) return std::nullopt;
    const auto workers = static_cast<std::size_t>(std::max(options.workers, 1));
    const std::size_t fair =
        std::clamp<std::size_t>(options.batch_size / workers, 1, kMostSamplesTaken);
    const Share share{
        .batch = &*it, .from = it->taken, .count = std::min(fair, it->count - it->taken)};
    it->taken += share.count;
    return share;
  }

  std::optional<Failure> make(const Share& share, BatchMaker::Scratch& scratch) {
    for (std::size_t at = share.from; at < share.from + share.count; ++at) {
      if (abandoned.load(std::memory_order_relaxed)) break;
      try {
        const SampleKey key{
            .seed = options.seed, .epoch = epoch, .index = order[share.batch->first + at]};
        maker.make(key, share.batch->target, at, scratch);
      } catch (...) {
        return Failure{.at = at, .error = std::current_exception()};
      }
    }
    return std::nullopt;
  }

  // With the mutex held. Of several failures the first in order counts, whoever met it when.
  static void finish(const Share& share, std::optional<Failure> failure) {
    OpenBatch& batch = *share.batch;
    batch.unfinished -= share.count;
    if (failure && (!batch.failure || failure->at < batch.failure->at))
      batch.failure = std::move(failure);
  }

  void work_until_stopped() {
    BatchMaker::Scratch scratch;
    std::unique_lock lock(mutex);
    for (;;) {
      std::optional<Share> share;
      work.wait(lock, [&] { return stopping || (share = take_share()).has_value(); });
      if (stopping) return;
      ++busy;
      lock.unlock();
      auto failure = make(*share, scratch);
      lock.lock();
      --busy;
      finish(*share, std::move(failure));
      progress.notify_one();
    }
  }

  void start_workers() {
    if (!threads.empty()) return;
    stopping = false;
    try {
      for (int i = 0; i < options.workers; ++i)
        threads.emplace_back([this] { work_until_stopped(); });
    } catch (const std::system_error& error) {
      stop_workers();
      throw Error(Fault::Memory, fmt::format("loader: {} workers cannot be started: {}",
                                             options.workers, error.code().message()));
    }
  }

  void stop_workers() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    work.notify_all();
    for (std::thread& thread : threads) thread.join();
    threads.clear();
  }

  // Forgets what is open, once no worker is at it. Held batches stay the caller's.
  void end_epoch() {
    abandoned = true;
    {
      std::unique_lock lock(mutex);
      for (OpenBatch& batch : open) batch.taken = batch.count;
      progress.wait(lock, [&] { return busy == 0; });
      for (const OpenBatch& batch : open) slots[batch.slot].use = Slot::Use::Free;
      open.clear();
    }
    abandoned = false;
    next_opened = end;
    if (!options.persistent_workers) stop_workers();
  }

  // Waits for the first open batch, or makes it here when there are no workers.
  OpenBatch await_first() {
    std::unique_lock lock(mutex);
    if (options.workers == 0) {
      while (const auto share = take_share()) finish(*share, make(*share, own_scratch));
    }
    progress.wait(lock, [&] { return open.front().unfinished == 0; });
    OpenBatch batch = std::move(open.front());
    open.pop_front();
    return batch;
  }
};

Loader::Loader(const ImageSet& images, const Transform& transform, const LoaderOptions& options,
               const AllocateBuffer& allocate) {
  check(options);
  state_ = std::make_unique<State>(images, transform, options, allocate);
  state_->check_memory(batches_per_epoch());
}

Loader::~Loader() {
  state_->end_epoch();
  state_->stop_workers();
}

std::size_t Loader::batches_per_epoch() const {
  const std::size_t batch = state_->options.batch_size;
  const std::size_t samples = state_->images.size();
  return samples / batch + (!state_->options.drop_last && samples % batch != 0 ? 1 : 0);
}

void Loader::start_epoch(std::uint64_t epoch, std::size_t first_batch) {
  State& state = *state_;
  state.end_epoch();
  if (first_batch > batches_per_epoch())
    throw bad_input(fmt::format("loader: an epoch has {} batches, so it cannot go on at {}",
                                batches_per_epoch(), first_batch));
  // Before there is anything to wait for: should they not start, next() finds the epoch at its end.
  state.start_workers();
  state.epoch = epoch;
  state.order =
      epoch_order(state.images.size(),
                  {.seed = state.options.seed, .epoch = epoch, .shuffle = state.options.shuffle});
  state.next_opened = first_batch;
  state.end = batches_per_epoch();
  if (state.options.workers > 0) state.open_batches();
}

std::optional<Batch> Loader::next() {
  State& state = *state_;
  state.open_batches();
  if (state.open.empty()) {
    if (state.next_opened < state.end)
      throw Error(Fault::Internal, "loader: all batches are held; release one before the next");
    state.end_epoch();
    return std::nullopt;
  }
  const OpenBatch made = state.await_first();
  Slot& slot = state.slots[made.slot];
  if (made.failure) {
    slot.use = Slot::Use::Free;
    state.end_epoch();
    std::rethrow_exception(made.failure->error);
  }
  slot.use = Slot::Use::Held;
  const Batch batch{.pixels = slot.pixels.get(),
                    .labels = slot.labels.data(),
                    .count = made.count,
                    .slot = made.slot};
  if (state.options.workers > 0) state.open_batches();
  return batch;
}

void Loader::release(const Batch& batch) {
  State& state = *state_;
  RIDGELINE_CHECK(batch.slot < state.slots.size());
  RIDGELINE_CHECK(state.slots[batch.slot].use == Slot::Use::Held);
  state.slots[batch.slot].use = Slot::Use::Free;
  if (state.options.workers > 0) state.open_batches();
}

}  // namespace ridgeline
