#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/command.h"
#include "core/interrupt.h"

int main(int argc, char** argv) {
  ridgeline::watch_interrupts();
  const int code = ridgeline::run_command({argv + 1, argv + argc});
  // What was printed may still be in the buffer; a full disk must not pass for success.
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fprintf(stderr, "ridgeline: standard output: %s\n", std::strerror(errno));
  return code == ridgeline::kExitOk ? ridgeline::kExitFailure : code;
}
