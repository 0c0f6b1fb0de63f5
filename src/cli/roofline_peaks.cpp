#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/common_flags.h"
#include "cli/publish.h"
#include "cli/roofline_flags.h"
#include "cli/session.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/progress.h"
#include "core/table.h"
#include "core/timestamp.h"
#include "measure/ceilings.h"
#include "report/peak_report.h"

namespace ridgeline {
namespace {

using nlohmann::json;

constexpr const char* kExamples = R"(Examples:
  ridgeline roofline peaks
  ridgeline roofline peaks --device cpu --threads 8 --markdown peaks.md
  ridgeline roofline peaks --device cuda --refresh --json
What was measured once is kept for this machine, driver and LibTorch; --refresh measures again.)";

struct PeaksFlags {
  CommonFlags common;
  bool refresh = false;
  bool dry_run = false;
};

json state_json(const GpuState& state) {
  json object{{"throttle_reasons", state.throttle_reasons}};
  if (state.sm_clock_mhz) object["sm_clock_mhz"] = *state.sm_clock_mhz;
  if (state.memory_clock_mhz) object["memory_clock_mhz"] = *state.memory_clock_mhz;
  if (state.temperature_c) object["temperature_c"] = *state.temperature_c;
  if (state.power_w) object["power_w"] = *state.power_w;
  return object;
}

json peaks_json(const PeakReport& report, const RunSettings& settings) {
  json document{{"machine", report.machine.machine},
                {"device", name_of(settings.device)},
                {"torch", report.machine.torch},
                {"threads", report.machine.threads},
                {"measured_now", report.measured_now},
                {"notes", report.notes},
                {"peaks", json::array()}};
  if (report.machine.cores > 0) document["usable_cores"] = report.machine.cores;
  if (!report.machine.driver.empty()) document["driver"] = report.machine.driver;
  if (report.cpu_clock_mhz) document["cpu_clock_mhz"] = *report.cpu_clock_mhz;
  if (report.gpu_before) document["gpu_before"] = state_json(*report.gpu_before);
  if (report.gpu_after) document["gpu_after"] = state_json(*report.gpu_after);
  for (const MeasuredPeak& peak : report.peaks) document["peaks"].push_back(to_json(peak));
  return document;
}

std::string clock_text(const PeakReport& report) {
  if (report.cpu_clock_mhz)
    return fmt::format(", {:.2f} GHz by the system's word", *report.cpu_clock_mhz / 1000);
  if (!report.gpu_before || !report.gpu_after) return {};
  if (!report.gpu_before->sm_clock_mhz || !report.gpu_after->sm_clock_mhz) return {};
  return fmt::format(", SM clock {:.0f} MHz before and {:.0f} after",
                     *report.gpu_before->sm_clock_mhz, *report.gpu_after->sm_clock_mhz);
}

void print_report(const PeakReport& report, const json& document) {
  const ReaderTable shown = peaks_reader_table(document);
  Table table(shown.columns);
  for (const auto& row : shown.rows) table.add(row);
  const std::size_t known = report.peaks.size() - report.measured_now;
  fmt::print("{}{}: {} measured now, {} known\n\n{}", report.machine.machine, clock_text(report),
             report.measured_now, known, table.to_text());
  for (const std::string& note : report.notes) fmt::print("{}\n", note);
}

PeakReport measure(const PeaksFlags& flags, const Session& session, const RunSettings& settings,
                   bool silent) {
  Progress progress({.enabled = !silent, .total = 1});
  progress.begin("peaks");
  const PeakRoundsHooks hooks{.interrupted = [] { return interrupted(); },
                              .progressed = [&](double part) { progress.update(part); }};
  PeakReport report =
      measured_peaks(session.engine, settings, flags.refresh ? Refresh::Yes : Refresh::No, hooks);
  progress.clear();
  return report;
}

int run_peaks(const PeaksFlags& flags) {
  refuse_conflicts(flags.common);
  const Device wanted = wanted_device(flags.common.device);
  if (flags.dry_run) {
    fmt::print("would measure the peaks of {}{}\n", name_of(wanted),
               flags.refresh ? ", known or not" : ", as far as they are not known");
    return kExitOk;
  }
  require_writable(flags.common);
  const Session session = open_session(flags.common);
  const RunSettings settings{.device = session.device, .threads = flags.common.threads};
  RunDocument run = begin_document("roofline peaks", flags.common, &session.engine);
  const bool silent = !talks(flags.common);
  const PeakReport report = measure(flags, session, settings, silent);
  // Nothing is there yet, and half a measurement is none.
  if (report.interrupted) return kExitInterrupted;
  if (report.peaks.empty())
    throw Error(Fault::Device,
                report.notes.empty() ? "no peak could be measured here" : report.notes.front());
  run.peaks = peaks_json(report, settings);
  run.finished = utc_now();
  const RunFolder folder = RunFolder::create(flags.common.out, "roofline-peaks");
  const auto problems = publish(run, folder.path());
  if (!silent) {
    print_report(report, *run.peaks);
    for (const std::string& problem : problems) fmt::print("{}\n", problem);
  }
  hand_out(run, folder.path(), flags.common);
  return kExitOk;
}

}  // namespace

void add_roofline_peaks(CLI::App& roofline, CommandLine& line) {
  CLI::App* const command = roofline.add_subcommand(
      "peaks", "what this machine can do at most: FLOP/s and bytes/s, measured");
  command->footer(kExamples);
  const auto flags = std::make_shared<PeaksFlags>();
  flags->common.arguments = line.arguments;
  command->add_flag("--refresh", flags->refresh, "measure again what is known")->group("Measuring");
  command->add_flag("--dry-run", flags->dry_run, "check the flags, and stop")->group("Measuring");
  add_common_flags(*command, flags->common);
  command->callback([flags, &line] { line.chosen = [flags] { return run_peaks(*flags); }; });
}

}  // namespace ridgeline
