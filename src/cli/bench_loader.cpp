#include "cli/bench_loader.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/common_flags.h"
#include "cli/publish.h"
#include "cli/session.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/progress.h"
#include "core/table.h"
#include "core/text.h"
#include "core/timestamp.h"
#include "data/find_images.h"
#include "data/synthetic_images.h"
#include "measure/loader_bench.h"
#include "report/loader_table.h"

namespace ridgeline {
namespace {

using nlohmann::json;

constexpr const char* kExamples = R"(Examples:
  ridgeline bench loader --transform rrc224 --workers 0,1,2 --data synthetic
  ridgeline bench loader --transform crop32 --workers 1,2,4 --output bytes --batch-size 512
Needs no LibTorch. Default: 10 s a row, until the median is known to 1 %.)";

struct LoaderFlags {
  CommonFlags common;
  std::string transform = "rrc224";
  std::vector<std::string> workers{"0,1"};
  std::string data = "synthetic";
  std::string output = "float";
  std::string budget = "10s";
  int batch_size = 128;
  int prefetch = 2;
  int image_size = 32;
  bool dry_run = false;
};

void add_flags(CLI::App& app, LoaderFlags& flags) {
  const char* const group = "Loader";
  app.add_option("--transform", flags.transform, "rrcN, cropN, resizeN, centerN or none")
      ->capture_default_str()
      ->group(group);
  app.add_option("--workers", flags.workers, "threads: 0,1,2 or 1-16*2; 0 makes batches in place")
      ->capture_default_str()
      ->group(group);
  app.add_option("--data", flags.data, "synthetic, or a folder of images")
      ->capture_default_str()
      ->group(group);
  app.add_option("--output", flags.output, "float (normalised) or bytes")
      ->check(CLI::IsMember({"float", "bytes"}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--batch-size", flags.batch_size, "images a batch")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str()
      ->group(group);
  app.add_option("--prefetch", flags.prefetch, "batches ahead, for each worker")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str()
      ->group(group);
  app.add_option("--image-size", flags.image_size, "pixels a side of synthetic images")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str()
      ->group(group);
  app.add_option("--budget", flags.budget, "most time a row: 10s, 2m")
      ->capture_default_str()
      ->group("Measuring");
  app.add_flag("--dry-run", flags.dry_run, "say what would be measured, and stop")
      ->group("Measuring");
  add_common_flags(app, flags.common);
}

std::vector<LoaderBench> rows_of(const LoaderFlags& flags) {
  TransformOptions transform = parse_transform(flags.transform);
  transform.normalisation = kImageNetNormalisation;
  transform.output =
      flags.output == "bytes" ? TransformOptions::Output::Bytes : TransformOptions::Output::Float;
  const Seconds budget = parse_duration("--budget", flags.budget);
  std::vector<LoaderBench> benches;
  for (const long workers :
       parse_list_at_least("--workers", fmt::format("{}", fmt::join(flags.workers, ",")), 0)) {
    LoaderBench bench{.label = flags.transform, .transform = transform};
    bench.loader.batch_size = static_cast<std::size_t>(flags.batch_size);
    bench.loader.workers = static_cast<int>(std::min(workers, 1'000'000L));
    bench.loader.prefetch = flags.prefetch;
    bench.loader.seed = flags.common.seed;
    bench.image_size = flags.data == "synthetic" ? flags.image_size : 0;
    bench.plan.warmup_steps = 0;
    bench.plan.budget = budget;
    benches.push_back(bench);
  }
  return benches;
}

// Enough images for a few batches an epoch, within half a gigabyte.
ImageData open_data(const LoaderFlags& flags) {
  if (flags.data != "synthetic") return open_images(flags.data);
  const auto side = static_cast<std::size_t>(flags.image_size);
  const std::size_t most = (std::size_t{512} << 20) / (3 * side * side);
  const std::size_t wanted = std::max<std::size_t>(SyntheticImageOptions{}.train,
                                                   8 * static_cast<std::size_t>(flags.batch_size));
  const std::size_t least = static_cast<std::size_t>(flags.batch_size);
  return make_synthetic_images({.train = std::max(std::min(wanted, most), least),
                                .test = 0,
                                .size = flags.image_size,
                                .seed = flags.common.seed});
}

void print_table(const ReaderTable& reader) {
  Table table(reader.columns);
  for (const auto& row : reader.rows) table.add(row);
  fmt::print("{}", table.to_text());
}

std::vector<json> measure_all(const std::vector<LoaderBench>& benches, const ImageSet& images,
                              RunFolder& folder, bool quiet) {
  Progress progress({.enabled = !quiet, .total = benches.size()});
  const SampleHooks hooks{.interrupted = [] { return interrupted(); },
                          .progressed = [&](double part) { progress.update(part); }};
  std::vector<json> rows;
  for (const LoaderBench& bench : benches) {
    if (interrupted()) break;
    progress.begin(describe(bench));
    rows.push_back(measure_loader(images, bench, hooks));
    folder.append_row(rows.back());
    progress.finish_item();
  }
  progress.clear();
  return rows;
}

int run_bench_loader(const LoaderFlags& flags) {
  refuse_conflicts(flags.common);
  const auto benches = rows_of(flags);
  for (const LoaderBench& bench : benches) (void)Transform(bench.transform);
  if (flags.dry_run) {
    for (const LoaderBench& bench : benches) fmt::print("{}\n", describe(bench));
    return kExitOk;
  }
  require_writable(flags.common);
  const ImageData data = open_data(flags);
  RunFolder folder = RunFolder::create(flags.common.out, "bench-loader");
  RunDocument run = begin_document("bench loader", flags.common, nullptr);
  run.settings["data"] = data.description;
  const bool silent = !talks(flags.common);
  run.rows = measure_all(benches, *data.train, folder, silent);
  end_if_refused(run.rows, folder);
  run.finished = utc_now();
  const auto problems = publish(run, folder.path());
  if (!silent) {
    fmt::print("{}, {} kernels\n\n", data.description, best_kernels().name);
    print_table(loader_reader_table(run.rows));
    for (const std::string& problem : problems) fmt::print("{}\n", problem);
  }
  hand_out(run, folder.path(), flags.common);
  return exit_code_for(run.rows, flags.common);
}

}  // namespace

void add_bench_loader(CLI::App& bench, CommandLine& line) {
  CLI::App* const command =
      bench.add_subcommand("loader", "how fast images are read, transformed and batched");
  command->footer(kExamples);
  const auto flags = std::make_shared<LoaderFlags>();
  flags->common.arguments = line.arguments;
  add_flags(*command, *flags);
  command->callback([flags, &line] { line.chosen = [flags] { return run_bench_loader(*flags); }; });
}

}  // namespace ridgeline
