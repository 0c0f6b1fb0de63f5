#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace ridgeline {

// Room for a fixed number of records, taken once and handed out in chunks that belong to one thread
// each: appending needs no lock and no allocation. Pages are touched only when used.
template <class Record>
class RecordPool {
  static_assert(std::is_trivially_copyable_v<Record>);

 public:
  static constexpr std::size_t kChunk = 512;

  explicit RecordPool(std::size_t capacity)
      : chunks_((capacity + kChunk - 1) / kChunk),
        room_(std::make_unique_for_overwrite<std::byte[]>(chunks_ * kChunk * sizeof(Record))) {}

  // One thread's way into the pool.
  class Writer {
   public:
    // Room for a record, for the caller to make one there before anybody asks for all of them; null
    // when the pool is full. `place` gets its number in the pool.
    [[nodiscard]] void* append(RecordPool& pool, std::size_t& place) noexcept {
      if (used_ == kChunk || chunk_ == kNoChunk) {
        const std::size_t next = pool.taken_.load(std::memory_order_relaxed) < pool.chunks_
                                     ? pool.taken_.fetch_add(1, std::memory_order_relaxed)
                                     : pool.chunks_;
        if (next >= pool.chunks_) return nullptr;
        chunk_ = next;
        used_ = 0;
        if (owned_count_ < owned_.size()) owned_[owned_count_++] = chunk_;
      }
      place = chunk_ * kChunk + used_++;
      return pool.room_.get() + place * sizeof(Record);
    }

    // Before any other call, off the hot path: a place for every chunk there is.
    void reserve(const RecordPool& pool) { owned_.resize(pool.chunks_); }
    void reset() noexcept {
      chunk_ = kNoChunk;
      used_ = 0;
      owned_count_ = 0;
    }

    template <class Visit>
    void for_each(const RecordPool& pool, Visit&& visit) const {
      for (std::size_t i = 0; i < owned_count_; ++i) {
        const std::size_t count = i + 1 == owned_count_ ? used_ : kChunk;
        for (std::size_t j = 0; j < count; ++j) {
          Record record;
          std::memcpy(static_cast<void*>(&record),
                      pool.room_.get() + (owned_[i] * kChunk + j) * sizeof(Record), sizeof(Record));
          visit(record);
        }
      }
    }

   private:
    static constexpr std::size_t kNoChunk = static_cast<std::size_t>(-1);
    std::size_t chunk_ = kNoChunk;
    std::size_t used_ = 0;
    std::size_t owned_count_ = 0;
    std::vector<std::size_t> owned_;
  };

  // All writers must be reset as well.
  void reset() noexcept { taken_.store(0, std::memory_order_relaxed); }
  [[nodiscard]] std::size_t capacity() const { return chunks_ * kChunk; }

 private:
  std::size_t chunks_;
  std::unique_ptr<std::byte[]> room_;
  std::atomic<std::size_t> taken_{0};
};

}  // namespace ridgeline
