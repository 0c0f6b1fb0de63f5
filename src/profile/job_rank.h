#pragma once

#include <cstdint>

namespace ridgeline {

// Which of a job's processes this is. Alone: 0 of 1.
struct JobRank {
  std::int64_t rank = 0;
  std::int64_t world_size = 1;
};

// As torchrun and its kin tell their processes. What makes no sense counts as not told.
[[nodiscard]] JobRank job_rank(const char* rank, const char* world_size);

}  // namespace ridgeline
