#include "cuda/activity_log.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "cuda/cupti_library.h"

namespace ridgeline {
namespace {

const char* kind_of_copy(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
      return "HtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
      return "DtoH";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
      return "DtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      return "HtoH";
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return "PtoP";
    default:
      return "other";
  }
}

const char* kind_of_memory(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
      return "Pageable";
    case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
      return "Pinned";
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
      return "Device";
    case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
      return "Array";
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
      return "Managed";
    default:
      return "Unknown";
  }
}

template <class Activity>
DeviceRecord common(const Activity& activity, DeviceRecordKind kind) {
  return {.kind = kind,
          .start = static_cast<Nanoseconds>(activity.start),
          .end = static_cast<Nanoseconds>(activity.end),
          .correlation = activity.correlationId,
          .device = activity.deviceId,
          .context = activity.contextId,
          .stream = activity.streamId};
}

ActivityLog::Entry entry_of(const CUpti_ActivityKernel10& kernel) {
  DeviceRecord record = common(kernel, DeviceRecordKind::Kernel);
  record.graph_node = kernel.graphNodeId;
  const std::int32_t grid[]{kernel.gridX, kernel.gridY, kernel.gridZ};
  const std::int32_t block[]{kernel.blockX, kernel.blockY, kernel.blockZ};
  std::ranges::copy(grid, record.grid);
  std::ranges::copy(block, record.block);
  record.registers = kernel.registersPerThread;
  record.shared_memory = static_cast<std::uint64_t>(kernel.staticSharedMemory) +
                         static_cast<std::uint64_t>(kernel.dynamicSharedMemory);
  return {.record = std::move(record), .kernel = kernel.name};
}

ActivityLog::Entry entry_of(const CUpti_ActivityMemcpy6& copy) {
  DeviceRecord record = common(copy, DeviceRecordKind::Copy);
  record.graph_node = copy.graphNodeId;
  record.bytes = copy.bytes;
  record.name = fmt::format("Memcpy {} ({} -> {})", kind_of_copy(copy.copyKind),
                            kind_of_memory(copy.srcKind), kind_of_memory(copy.dstKind));
  return {.record = std::move(record)};
}

ActivityLog::Entry entry_of(const CUpti_ActivityMemset4& set) {
  DeviceRecord record = common(set, DeviceRecordKind::Set);
  record.graph_node = set.graphNodeId;
  record.bytes = set.bytes;
  record.name =
      fmt::format("Memset ({})", kind_of_memory(static_cast<std::uint8_t>(set.memoryKind)));
  return {.record = std::move(record)};
}

template <class Activity>
const Activity& as(const CUpti_Activity& activity) {
  return reinterpret_cast<const Activity&>(activity);
}

}  // namespace

std::uint8_t* ActivityLog::lend_buffer() noexcept {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return new (std::nothrow) std::uint8_t[kBufferBytes];
  std::uint8_t* const buffer = free_.back().release();
  free_.pop_back();
  return buffer;
}

void ActivityLog::take_back(std::uint8_t* buffer, std::size_t bytes) noexcept {
  if (buffer == nullptr) return;
  std::unique_ptr<std::uint8_t[]> owned(buffer);
  const std::lock_guard lock(mutex_);
  try {
    CUpti_Activity* activity = nullptr;
    while (cupti().next_record(buffer, bytes, &activity) == CUPTI_SUCCESS) read(*activity);
    free_.push_back(std::move(owned));
  } catch (const std::bad_alloc&) {
    ++beyond_limit_;
  }
}

void ActivityLog::read(const CUpti_Activity& activity) {
  switch (activity.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL:
      return add(entry_of(as<CUpti_ActivityKernel10>(activity)));
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return add(entry_of(as<CUpti_ActivityMemcpy6>(activity)));
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return add(entry_of(as<CUpti_ActivityMemset4>(activity)));
    default:
      return;
  }
}

void ActivityLog::add(Entry entry) {
  if (entries_.size() >= most_) {
    ++beyond_limit_;
  } else {
    entries_.push_back(std::move(entry));
  }
}

void ActivityLog::reset() {
  const std::lock_guard lock(mutex_);
  entries_.clear();
  beyond_limit_ = 0;
}

std::vector<ActivityLog::Entry> ActivityLog::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(entries_, {});
}

}  // namespace ridgeline
