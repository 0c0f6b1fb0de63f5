#include "cli/common_flags.h"

#include <cstdlib>
#include <limits>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/numbers.h"
#include "core/error.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostThreads = 4096;

}  // namespace

void add_common_flags(CLI::App& app, CommonFlags& flags) {
  app.add_option("--device", flags.device, "cpu, cuda, cuda:N or auto (a GPU when there is one)")
      ->capture_default_str()
      ->group("Run");
  app.add_option("--threads", flags.threads, "CPU threads; 0 leaves it to LibTorch")
      ->check(whole_number(0, kMostThreads))
      ->capture_default_str()
      ->group("Run");
  app.add_flag("--pin-threads", flags.pin_threads, "keep every CPU thread on one core")
      ->group("Run");
  app.add_option("--seed", flags.seed, "seed of weights, data and order")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->capture_default_str()
      ->group("Run");
  app.add_flag("--quiet", flags.quiet,
               "print nothing but what --json, --csv - or --markdown - ask for")
      ->group("Output");
  app.add_flag("--strict", flags.strict, "exit with 1 when any row failed")->group("Output");
  app.add_flag("--json,--export-json", flags.json, "print run.json on standard output")
      ->group("Output");
  app.add_option(
         "--csv,--export-csv", flags.csv,
         "write the table as CSV (default name when FILE is left out); - is standard output")
      ->expected(0, 1)
      ->default_str("")
      ->type_name("FILE")
      ->group("Output");
  app.add_option("--markdown,--export-markdown", flags.markdown,
                 "write the table as Markdown; - is standard output")
      ->type_name("FILE")
      ->group("Output");
  app.add_option("--out", flags.out, "the run folder (default: runs/<time>-<command>)")
      ->type_name("DIR")
      ->group("Output");
}

bool talks(const CommonFlags& flags) { return !flags.quiet && !flags.json && flags.csv != "-"; }

void refuse_conflicts(const CommonFlags& flags) {
  const auto both = [](const char* one, const char* other) {
    return bad_input(
        fmt::format("{} and {} both want standard output: name a file for one", one, other));
  };
  if (flags.json && flags.markdown == "-") throw both("--json", "--markdown -");
  if (flags.json && flags.csv == "-") throw both("--json", "--csv -");
  if (flags.csv == "-" && flags.markdown == "-") throw both("--csv -", "--markdown -");
}

void require_writable_file(const fs::path& file) {
  if (fs::is_directory(file))
    throw Error(Fault::Io, fmt::format("{}: is a folder, not a file", file.string()));
  fs::path folder = fs::absolute(file).parent_path();
  // The nearest folder above that exists must accept a new file.
  while (!fs::exists(folder)) folder = folder.parent_path();
  if (!fs::is_directory(folder))
    throw Error(Fault::Io, fmt::format("{}: {} is not a folder", file.string(), folder.string()));
  if (fs::exists(file) && !fs::is_regular_file(file)) return;  // a device: only writing would tell
  // access() says yes to root even where nothing can be made (/proc): make a file and see.
  std::string probe = (folder / ".ridgeline-probe-XXXXXX").string();
  const int made = mkstemp(probe.data());
  if (made < 0)
    throw Error(Fault::Io, fmt::format("{}: {} is not writable", file.string(), folder.string()));
  close(made);
  unlink(probe.c_str());
}

void require_writable(const CommonFlags& flags) {
  if (flags.csv && *flags.csv != "-")
    require_writable_file(flags.csv->empty() ? fs::path(kDefaultCsvFolder) / "any.csv"
                                             : fs::path(*flags.csv));
  if (flags.markdown && *flags.markdown != "-") require_writable_file(*flags.markdown);
  require_writable_file(flags.out.value_or("runs") / "run.json");
}

}  // namespace ridgeline
