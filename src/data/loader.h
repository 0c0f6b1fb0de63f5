#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "data/image_set.h"
#include "data/transform.h"

namespace ridgeline {

struct LoaderOptions {
  std::size_t batch_size = 128;
  int workers = 0;   // 0: batches are made by the caller of next()
  int prefetch = 2;  // batches ready or in the making, for each worker
  bool shuffle = true;
  bool drop_last = true;
  bool persistent_workers = true;  // false: threads are started anew for every epoch
  std::uint64_t seed = 42;
};

// Where the buffers of batches come from: the heap, or page-locked memory from a GPU's backend.
using AllocateBuffer = std::function<std::shared_ptr<std::byte>(std::size_t bytes)>;
[[nodiscard]] std::shared_ptr<std::byte> allocate_on_heap(std::size_t bytes);  // 64-byte aligned

// `count` images (NHWC, in the transform's output type) and their labels. The buffers belong to
// the loader and are used again after release().
struct Batch {
  const std::byte* pixels = nullptr;
  const std::int64_t* labels = nullptr;
  std::size_t count = 0;
  std::size_t slot = 0;
};

// Batches in an order that is a function of seed and epoch alone; what a transform draws for a
// sample, of seed, epoch and the sample's index. So the number of workers changes no byte.
class Loader {
 public:
  Loader(const ImageSet& images, const Transform& transform, const LoaderOptions& options,
         const AllocateBuffer& allocate = allocate_on_heap);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  [[nodiscard]] std::size_t batches_per_epoch() const;
  // `first_batch`: where a resumed epoch goes on. An unfinished epoch is abandoned.
  void start_epoch(std::uint64_t epoch, std::size_t first_batch = 0);
  // The next batch, in order; absent at the end. A failure in a worker is thrown here, once, as
  // one Error that names the sample. At least two batches may be held before one is released.
  [[nodiscard]] std::optional<Batch> next();
  void release(const Batch& batch);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ridgeline
