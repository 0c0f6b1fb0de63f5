#pragma once

#include "cli/command.h"

namespace ridgeline {

// `bench loader`: the one thing `bench` measures that is no model, so a command below it.
void add_bench_loader(CLI::App& bench, CommandLine& line);

}  // namespace ridgeline
