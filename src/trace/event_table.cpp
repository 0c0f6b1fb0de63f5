#include "trace/event_table.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/error.h"

namespace ridgeline {
namespace {

struct Category {
  std::string_view name;
  EventKind kind;
};

// Short lists of the kind are looked through faster than they are hashed; commonest first.
constexpr std::array kCategories{
    Category{"cpu_op", EventKind::CpuOp},
    Category{"kernel", EventKind::Kernel},
    Category{"cuda_runtime", EventKind::Runtime},
    Category{"python_function", EventKind::PythonFunction},
    Category{"gpu_memcpy", EventKind::Memcpy},
    Category{"gpu_memset", EventKind::Memset},
    Category{"user_annotation", EventKind::UserAnnotation},
    Category{"gpu_user_annotation", EventKind::GpuUserAnnotation},
    Category{"cuda_driver", EventKind::Driver},
    Category{"cuda_sync", EventKind::Sync},
    Category{"overhead", EventKind::Overhead},
    Category{"Operator", EventKind::CpuOp},
    Category{"Kernel", EventKind::Kernel},
    Category{"Runtime", EventKind::Runtime},
    Category{"Memcpy", EventKind::Memcpy},
    Category{"Memset", EventKind::Memset},
    Category{"hip_runtime", EventKind::Runtime},
    Category{"hip_driver", EventKind::Driver},
    Category{"xpu_runtime", EventKind::Runtime},
    Category{"xpu_driver", EventKind::Driver},
    Category{"mtia_runtime", EventKind::Runtime},
    Category{"privateuse1_runtime", EventKind::Runtime},
    Category{"privateuse1_driver", EventKind::Driver},
    // What is neither work nor an op, but a frame around it or a second look at it.
    Category{"Trace", EventKind::Other},
    Category{"cuda_profiler_range", EventKind::Other},
    Category{"cuda_event", EventKind::Other},
    Category{"external_correlation", EventKind::Other},
    Category{"collective_comm", EventKind::Other},
    Category{"gpu_pm_counter", EventKind::Other},
};

}  // namespace

EventKind kind_of_category(std::string_view category) {
  const auto* const found = std::ranges::find(kCategories, category, &Category::name);
  return found == kCategories.end() ? EventKind::Foreign : found->kind;
}

void EventTable::add(const Event& event) {
  if (kinds_.size() >= std::numeric_limits<std::uint32_t>::max())
    throw bad_input("a trace of more than 4 billion events");
  kinds_.push_back(event.kind);
  names_of_.push_back(event.name);
  tracks_of_.push_back(event.track);
  starts_.push_back(event.start_ns);
  durations_.push_back(event.duration_ns);
  correlations_.push_back(event.correlation);
  externals_.push_back(event.external);
}

void EventTable::move(std::size_t i, EventKind kind, std::uint32_t track) {
  kinds_[i] = kind;
  tracks_of_[i] = track;
}

void EventTable::set_bytes(std::int64_t bytes) {
  bytes_.emplace_back(static_cast<std::uint32_t>(kinds_.size() - 1), bytes);
}

std::optional<std::int64_t> EventTable::bytes(std::size_t i) const {
  const auto found = std::ranges::lower_bound(bytes_, static_cast<std::uint32_t>(i), {},
                                              &std::pair<std::uint32_t, std::int64_t>::first);
  if (found == bytes_.end() || found->first != i) return std::nullopt;
  return found->second;
}

std::uint32_t EventTable::track_of(const Track& track) {
  // Neighbours in a file mostly lie on one line.
  if (last_track_ < tracks_.size() && tracks_[last_track_] == track) return last_track_;
  const auto [found, fresh] =
      track_numbers_.emplace(track, static_cast<std::uint32_t>(tracks_.size()));
  if (fresh) tracks_.push_back(track);
  return last_track_ = found->second;
}

}  // namespace ridgeline
