#include "cli/command.h"
#include "cli/roofline_flags.h"

namespace ridgeline {

void add_roofline(CLI::App& app, CommandLine& line) {
  CLI::App* const command =
      app.add_subcommand("roofline", "where work stands against what the machine can do");
  command->footer(
      "Examples:\n"
      "  ridgeline roofline peaks\n"
      "  ridgeline roofline run resnet18 --device cpu --batch-size 16\n"
      "  ridgeline roofline parse report.csv --gpu L4 --label resnet18 --out summary.txt\n"
      "  ridgeline roofline plot report.csv --gpu L4 --out l4.html\n"
      "  ridgeline roofline plot summary.txt --gpu L4 --out l4.png");
  command->require_subcommand(1);
  add_roofline_peaks(*command, line);
  add_roofline_parse(*command, line);
  add_roofline_plot(*command, line);
  add_roofline_run(*command, line);
}

}  // namespace ridgeline
