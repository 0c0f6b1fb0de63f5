#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/numbers.h"
#include "cli/output_files.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/table.h"
#include "report/html.h"
#include "report/plotly_script.h"
#include "report/trace_json.h"
#include "report/trace_page.h"
#include "report/trace_tables.h"
#include "trace/analysis_facts.h"
#include "trace/findings.h"
#include "trace/trace_file.h"
#include "trace/trace_folder.h"

namespace ridgeline {
namespace {

constexpr std::uint64_t kMostRows = 1'000'000;

struct AnalyzeFlags {
  std::vector<std::filesystem::path> files;
  std::size_t top = 10;
  std::string sort_by = "self";
  std::optional<std::string> json;
  std::optional<std::string> csv;
  std::optional<std::string> html;
  bool dry_run = false;
};

void print_table(const TitledTable& titled) {
  Table table(titled.table.columns);
  for (const auto& row : titled.table.rows) table.add(row);
  fmt::print("\n{}\n\n{}", titled.title, table.to_text());
  if (!titled.note.empty()) fmt::print("{}\n", titled.note);
}

void print_trace(const TraceAnalysis& trace, const TraceTableOptions& options) {
  fmt::print("{}\n", trace.source);
  for (const std::string& line : trace_facts(trace)) fmt::print("{}\n", line);
  if (trace.kernels.empty()) fmt::print("No work of a device in it: host side only.\n");
  for (const TitledTable& table : trace_tables(trace, options)) print_table(table);
  if (const std::string text = findings_text(facts_of(trace)); !text.empty())
    fmt::print("\nFindings\n\n{}\n", text);
}

// Ranks of one job differ in what they did, not in when: they stand side by side.
bool are_ranks_of_one_job(const std::vector<TraceAnalysis>& traces) {
  std::set<std::int64_t> ranks;
  for (const TraceAnalysis& trace : traces) {
    if (!trace.rank || trace.world_size != traces.front().world_size) return false;
    if (!trace.world_size || *trace.world_size < 2 || !ranks.insert(*trace.rank).second)
      return false;
  }
  return true;
}

struct Reading {
  std::vector<TraceAnalysis> traces{};
  std::vector<std::filesystem::path> files{};  // they came from
  std::vector<std::string> left_out{};  // files of a folder that are no traces, each with why
  bool folder = false;                  // one was given: its traces are ranks, not before and after
};

// Under another name: `profile --data` writes its trace twice.
bool are_one_trace(const TraceAnalysis& a, const TraceAnalysis& b) {
  const auto alike = [](const TraceOpRow& one, const TraceOpRow& other) {
    return one.name == other.name && one.calls == other.calls && one.host_ns == other.host_ns;
  };
  const auto alike_in_memory = [](const TraceMemoryPeak& one, const TraceMemoryPeak& other) {
    return one.device == other.device && one.changes == other.changes &&
           one.peak_bytes == other.peak_bytes && one.peak_at_ns == other.peak_at_ns &&
           one.reserved_bytes == other.reserved_bytes;
  };
  return a.events == b.events && a.span_ns == b.span_ns && a.rank == b.rank &&
         std::ranges::equal(a.ops, b.ops, alike) &&
         std::ranges::equal(a.memory, b.memory, alike_in_memory);
}

void add_of_folder(Reading& out, const std::filesystem::path& file) {
  TraceAnalysis trace = analyse(read_trace(file));
  out.files.push_back(file);
  for (const TraceAnalysis& other : out.traces) {
    if (!are_one_trace(trace, other)) continue;
    out.left_out.push_back(fmt::format("{}: the same events as {}", file.string(), other.source));
    return;
  }
  out.traces.push_back(std::move(trace));
}

// Nothing is written yet, so an interrupt may end it at once.
Reading read_all(const std::vector<std::filesystem::path>& paths) {
  const InterruptEndsProgram at_once;
  Reading out;
  for (const auto& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      out.traces.push_back(analyse(read_trace(path)));
      out.files.push_back(path);
      continue;
    }
    out.folder = true;
    const std::size_t before = out.traces.size();
    // Profilers put other files beside their traces.
    for (const auto& file : trace_files_in(path)) {
      try {
        add_of_folder(out, file);
      } catch (const Error& error) {
        if (error.fault() != Fault::BadInput) throw;
        out.left_out.emplace_back(error.what());
      }
    }
    if (out.traces.size() == before)
      throw bad_input(
          fmt::format("no trace in '{}': none of its files is one (.json, .json.gz, "
                      ".sqlite)",
                      path.string()));
  }
  if (out.folder)
    std::ranges::stable_sort(out.traces, {}, [](const TraceAnalysis& trace) {
      return trace.rank.value_or(std::numeric_limits<std::int64_t>::max());
    });
  return out;
}

void print_text(const std::vector<TraceAnalysis>& traces,
                const std::optional<TraceComparison>& change, const TraceTableOptions& options) {
  if (change) {
    fmt::print("before: {}\nafter:  {}\n", traces[0].source, traces[1].source);
    for (const TraceAnalysis& trace : traces) {
      for (const std::string& line : trace_facts(trace)) fmt::print("{}\n", line);
    }
    print_table(side_by_side(traces));
    for (const TitledTable& table : comparison_tables(*change, options)) print_table(table);
    if (const std::string text = changed_findings_text(*change); !text.empty())
      fmt::print("\nFindings that changed\n\n{}", text);
    return;
  }
  for (const TraceAnalysis& trace : traces) print_trace(trace, options);
  if (traces.size() > 1) print_table(side_by_side(traces));
}

void write_output(const std::string& file, const std::string& content) {
  if (file == "-") {
    fmt::print("{}", content);
  } else {
    write_file_atomically(file, content);
  }
}

std::string page_of(const std::vector<TraceAnalysis>& traces,
                    const std::optional<TraceComparison>& change,
                    const TraceTableOptions& options) {
  TraceTableOptions roomy = options;
  roomy.name_width = 90;
  return html_page(trace_page(traces, change, roomy), {.plotly_js = plotly_script()});
}

std::vector<OutputFile> outputs_of(const AnalyzeFlags& flags) {
  std::vector<OutputFile> outputs;
  const auto add = [&](std::string_view flag, const std::optional<std::string>& file) {
    if (file && *file != "-") outputs.push_back({.flag = flag, .file = *file});
  };
  add("--json", flags.json);
  add("--csv", flags.csv);
  add("--html", flags.html);
  return outputs;
}

int run_analyze(const AnalyzeFlags& flags) {
  const TraceTableOptions options{.top = flags.top, .order = trace_order(flags.sort_by)};
  const auto wants_output = [](const auto& flag) { return flag == "-"; };
  const int on_output =
      wants_output(flags.json) + wants_output(flags.csv) + wants_output(flags.html);
  if (on_output > 1)
    throw bad_input("only one of --json, --csv and --html can go to standard output");
  const std::vector<OutputFile> outputs = outputs_of(flags);
  refuse_overwriting(flags.files, outputs);
  if (flags.dry_run) {
    fmt::print("would read {} trace{}\n", flags.files.size(), flags.files.size() == 1 ? "" : "s");
    return kExitOk;
  }
  const Reading reading = read_all(flags.files);
  refuse_overwriting(reading.files, outputs);  // those of folders
  const auto& traces = reading.traces;
  std::optional<TraceComparison> change;
  if (traces.size() == 2 && !reading.folder && !are_ranks_of_one_job(traces))
    change = compare(traces[0], traces[1]);
  for (const std::string& why : reading.left_out) fmt::print(stderr, "left out: {}\n", why);
  if (on_output == 0) print_text(traces, change, options);
  if (flags.json) write_output(*flags.json, analyses_json(traces, change).dump(2) + "\n");
  if (flags.csv) write_output(*flags.csv, to_csv(trace_csv(traces, change)));
  if (flags.html) write_output(*flags.html, page_of(traces, change, options));
  return kExitOk;
}

}  // namespace

void add_analyze(CLI::App& app, CommandLine& line) {
  CLI::App* const command = app.add_subcommand(
      "analyze", "what a profiler's trace tells: PyTorch (JSON, gzip) or Nsight Systems (SQLite)");
  command->footer(
      "Two traces are compared, ranks of one job and all traces of a folder stand side by side.\n"
      "Examples:\n"
      "  ridgeline analyze trace.json.gz --top 20 --sort-by device\n"
      "  ridgeline analyze before.json after.json --html diff.html\n"
      "  ridgeline analyze profiles/job7\n"
      "  ssh server cat trace.json.gz | ridgeline analyze -\n"
      "  ridgeline analyze report.sqlite --json -");
  const auto flags = std::make_shared<AnalyzeFlags>();
  command
      ->add_option("traces", flags->files, "trace files, or folders of them; - is standard input")
      ->required()
      ->type_name("FILE...");
  command->add_option("--top", flags->top, "rows of the long tables")
      ->check(whole_number(1, kMostRows))
      ->capture_default_str();
  command->add_option("--sort-by", flags->sort_by, "self, total, device, count, mean or max")
      ->capture_default_str();
  command->add_option("--json", flags->json, "write everything as JSON; - is standard output")
      ->type_name("FILE");
  command->add_option("--csv", flags->csv, "write every table as one CSV; - is standard output")
      ->type_name("FILE");
  command->add_option("--html", flags->html, "write a page with tables and charts")
      ->type_name("FILE");
  command->add_flag("--dry-run", flags->dry_run, "check the flags, and stop");
  command->callback([flags, &line] { line.chosen = [flags] { return run_analyze(*flags); }; });
}

}  // namespace ridgeline
