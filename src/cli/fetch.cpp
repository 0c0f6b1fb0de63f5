#include "data/fetch.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/fetch_console.h"
#include "core/display.h"
#include "core/error.h"
#include "data/hub.h"

namespace ridgeline {
namespace {

struct FetchFlags {
  std::string source;
  FetchOptions options;
  int retries = DownloadOptions{}.retries;
  bool list = false;
  bool offline = false;
  bool json = false;
  bool quiet = false;
  bool dry_run = false;
};

FetchConsole::Output output_of(const FetchFlags& flags) {
  using Output = FetchConsole::Output;
  return flags.json ? Output::Json : flags.quiet ? Output::None : Output::Text;
}

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  const std::string_view text = value == nullptr ? "" : value;
  return text == "1" || text == "true" || text == "TRUE" || text == "yes" || text == "ON";
}

// --list, --offline: what there is and how it stands here. True when nothing is missing.
bool show_states(const FetchFlags& flags, const FetchPlan& plan) {
  FetchConsole console(plan, output_of(flags));
  bool complete = true;
  for (const FetchItem& item : plan.items) {
    const FetchState state = inspect(item);
    complete = complete && state.kind != FetchState::Kind::Missing;
    console.show(item, state);
  }
  console.finish();
  return complete;
}

int check_offline(const FetchFlags& flags) {
  const auto plan = plan_offline(flags.source, flags.options);
  if (!plan) {
    throw Error(Fault::Io,
                fmt::format("nothing is known of {} at {} in '{}': fetch it once online",
                            flags.source, flags.options.revision, flags.options.to.string()));
  }
  return show_states(flags, *plan) ? kExitOk : kExitFailure;
}

// Without the network: the Hub alone knows its files, so for it only the question can be shown.
int describe(const FetchFlags& flags) {
  if (const auto plan = plan_offline(flags.source, flags.options)) {
    fmt::print("would fetch {} into '{}':\n", printable(plan->what), flags.options.to.string());
    for (const FetchItem& item : plan->items) fmt::print("  {}\n", printable(item.request.url));
  } else {
    fmt::print("would fetch what the Hub lists for {} at {} into '{}' (--list shows it)\n",
               flags.source, flags.options.revision, flags.options.to.string());
  }
  return kExitOk;
}

int run_fetch(FetchFlags& flags) {
  flags.options = with_hub_environment(flags.options);
  if (flags.dry_run) return describe(flags);
  const bool told = is_hub_source(flags.source) && is_set("HF_HUB_OFFLINE");
  if (flags.offline || told) return check_offline(flags);
  const FetchPlan plan = plan_fetch(flags.source, flags.options);
  if (flags.list) {
    show_states(flags, plan);
    return kExitOk;
  }
  FetchConsole console(plan, output_of(flags));
  carry_out(plan, console.events(), {.retries = flags.retries});
  console.finish();
  return kExitOk;
}

}  // namespace

void add_fetch(CLI::App& app, CommandLine& line) {
  CLI::App* const command =
      app.add_subcommand("fetch", "bring data sets and models, with checksum and resume");
  command->footer(
      "Examples:\n  ridgeline fetch cifar10 --to data\n"
      "  ridgeline fetch hf:Qwen/Qwen2.5-0.5B --to qwen --include '*.safetensors'");
  const auto flags = std::make_shared<FetchFlags>();
  FetchOptions& options = flags->options;
  command
      ->add_option(
          "source", flags->source,
          "cifar10, resnet18-weights, resnet34-weights, resnet50-weights, hf:OWNER/NAME or "
          "hf:datasets/OWNER/NAME")
      ->required()
      ->type_name("SOURCE");
  command->add_option("--to", options.to, "the folder")
      ->required()
      ->check([](const std::string& word) {
        return word.empty() ? std::string("names no folder") : std::string();
      })
      ->type_name("DIR");
  command
      ->add_option("--url", options.url,
                   "a mirror: the file, a folder that holds it (ends in /), or a Hub's endpoint")
      ->type_name("URL");
  command->add_option("--layout", options.layout, "of cifar10: python (the default) or binary");
  command->add_option("--revision", options.revision, "of the Hub: branch, tag or commit")
      ->capture_default_str();
  command->add_option("--include", options.include, "only files that match; may be repeated")
      ->type_name("GLOB");
  command->add_option("--exclude", options.exclude, "no files that match; may be repeated")
      ->type_name("GLOB");
  command->add_option("--retries", flags->retries, "after a dropped connection or a busy server")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  command->add_flag("--list", flags->list, "show what there is, and fetch nothing");
  command->add_flag("--offline", flags->offline, "without network: say what is there or missing");
  command->add_flag("--json", flags->json, "the files as JSON on standard output");
  command->add_flag("--quiet", flags->quiet, "print nothing but errors");
  command->add_flag("--dry-run", flags->dry_run, "say what would be fetched, and stop");
  command->callback([flags, &line] { line.chosen = [flags] { return run_fetch(*flags); }; });
}

}  // namespace ridgeline
