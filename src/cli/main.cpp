#include "cli/command.h"
#include "core/interrupt.h"

int main(int argc, char** argv) {
  ridgeline::watch_interrupts();
  return ridgeline::run_command({argv + 1, argv + argc});
}
