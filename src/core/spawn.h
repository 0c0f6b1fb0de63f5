#pragma once

#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "core/file_descriptor.h"

namespace ridgeline {

struct SpawnRequest {
  const std::vector<std::string>& argv;  // looked up in PATH
  const std::vector<std::pair<std::string, std::string>>& environment;
  bool pass_stderr_through = false;
};

// A started child in a process group of its own, and our ends of its pipes, which do not block.
struct Spawned {
  pid_t pid = -1;
  FileDescriptor input;
  FileDescriptor out;
  FileDescriptor err;  // closed when standard error is passed through
};

// Error(Io) when the program cannot be started. The child dies with the thread that called.
[[nodiscard]] Spawned spawn(const SpawnRequest& request);

}  // namespace ridgeline
