#include "cli/checkup.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/format.h"

namespace ridgeline {
namespace {

using State = Check::State;

Check cpu_check(const CpuFacts& cpu) {
  return {.topic = "CPU",
          .found =
              fmt::format("{}; {} cores ({} threads, {} usable); {}", cpu.model, cpu.physical_cores,
                          cpu.logical_cores, cpu.usable_cores, fmt::join(cpu.isa, " "))};
}

Check governor_check(const CpuFacts& cpu) {
  Check check{.topic = "Governor",
              .found = cpu.governor.value_or("not exposed here (as in most virtual machines)")};
  if (cpu.governor && *cpu.governor != "performance") {
    check.state = State::Note;
    check.cost = "clocks change while you measure: wider intervals";
    check.remedy = "sudo cpupower frequency-set -g performance";
  }
  return check;
}

Check precision_check(std::string_view precision, bool in_hardware, std::string_view wanted) {
  Check check{.topic = fmt::format("{} on CPU", precision), .found = "in hardware"};
  if (in_hardware) return check;
  check.state = State::Note;
  check.found = fmt::format("no {}", wanted);
  check.cost = fmt::format("{} on this CPU is emulated, several times slower than fp32", precision);
  check.remedy = "use fp32 on the CPU";
  return check;
}

Check memory_check(const Environment& environment) {
  return {.topic = "Memory",
          .found = fmt::format("{}, {} available", format_bytes(environment.memory.total),
                               format_bytes(environment.memory.available))};
}

std::string gpu_text(const GpuReport& gpu) {
  const GpuFacts& facts = gpu.facts;
  std::string text = fmt::format("{}; {} ({} free)", facts.name, format_bytes(facts.memory_total),
                                 format_bytes(facts.memory_free));
  if (facts.sm_count) text += fmt::format("; {} SMs", *facts.sm_count);
  if (facts.compute_major)
    text += fmt::format("; compute {}.{}", *facts.compute_major, facts.compute_minor.value_or(0));
  if (gpu.state && gpu.state->sm_clock_mhz && facts.max_sm_clock_mhz) {
    text +=
        fmt::format("; {:.0f} of {:.0f} MHz", *gpu.state->sm_clock_mhz, *facts.max_sm_clock_mhz);
  }
  if (gpu.state && gpu.state->temperature_c)
    text += fmt::format("; {:.0f} °C", *gpu.state->temperature_c);
  return text + fmt::format("; driver {} (CUDA {})", facts.driver, facts.cuda_driver);
}

std::vector<Check> gpu_checks(const Environment& environment) {
  if (environment.gpus.empty()) {
    return {{.topic = "GPU",
             .state = State::Missing,
             .found = environment.no_gpu_reason,
             .cost = "CPU rows only; graph mode and fused kernels are skipped",
             .remedy = "run on a machine with an NVIDIA driver"}};
  }
  std::vector<Check> checks;
  for (const GpuReport& gpu : environment.gpus) {
    checks.push_back({.topic = fmt::format("GPU {}", gpu.facts.index), .found = gpu_text(gpu)});
    if (!gpu.state) continue;
    if (!gpu.state->throttle_reasons.empty()) {
      checks.push_back(
          {.topic = "Clocks",
           .state = State::Note,
           .found = fmt::format("held down now: {}", fmt::join(gpu.state->throttle_reasons, ", ")),
           .cost = "slower steps than the card can do",
           .remedy = "wait until it is cool and idle"});
    }
    for (const GpuProcess& process : gpu.state->foreign_processes) {
      checks.push_back(
          {.topic = "Neighbour",
           .state = State::Note,
           .found = fmt::format("{} (pid {}) uses GPU {}", process.name.value_or("a process"),
                                process.pid, gpu.facts.index),
           .cost = "your measurements share the card with it",
           .remedy = "stop it, or measure elsewhere"});
    }
  }
  return checks;
}

Check torch_check(const Installation& installation) {
  if (installation.torch_version) {
    return {.topic = "LibTorch",
            .found = fmt::format("{} at {}", *installation.torch_version, installation.torch_path)};
  }
  return {.topic = "LibTorch",
          .state = State::Missing,
          .found = installation.torch_obstacle,
          .cost = "nothing can be measured; reports still work",
          .remedy = "pip install torch==2.11.0, or set RIDGELINE_LIBTORCH"};
}

Check cuda_check(const Environment& environment, const Installation& installation) {
  if (!installation.cuda_obstacle) return {.topic = "CUDA", .found = "usable"};
  Check check{.topic = "CUDA",
              .state = State::Missing,
              .found = *installation.cuda_obstacle,
              .cost = "no rows on a GPU",
              .remedy = {}};
  if (environment.gpus.empty()) {
    check.remedy = "needs a GPU and its driver first";
  } else if (!installation.has_cuda_plugin) {
    check.remedy = "install the CUDA 13 toolkit (nvcc) and build again";
  } else {
    check.remedy =
        "pip install torch==2.11.0 with its dependencies (the light install has no CUDA libraries)";
  }
  return check;
}

std::optional<Check> counter_check(const Installation& installation) {
  if (!installation.counters_permitted) return std::nullopt;
  if (*installation.counters_permitted) return Check{.topic = "GPU counters", .found = "permitted"};
  return Check{.topic = "GPU counters",
               .state = State::Missing,
               .found = "the driver keeps them for root",
               .cost = "no measured bytes and FLOPs, analytic ones instead",
               .remedy =
                   "as root: options nvidia NVreg_RestrictProfilingToAdminUsers=0 in "
                   "/etc/modprobe.d, then reboot"};
}

Check tool_check(const char* topic, bool present, const char* cost, const char* remedy) {
  if (present) return {.topic = topic, .found = "found"};
  return {.topic = topic,
          .state = State::Missing,
          .found = "not found",
          .cost = cost,
          .remedy = remedy};
}

}  // namespace

std::vector<Check> check_up(const Environment& environment, const Installation& installation) {
  const CpuFacts& cpu = environment.cpu;
  std::vector<Check> checks{cpu_check(cpu), governor_check(cpu),
                            precision_check("bf16", computes_in_bf16(cpu), "AVX512-BF16 or AMX"),
                            precision_check("fp16", computes_in_fp16(cpu), "AVX512-FP16 or AMX"),
                            memory_check(environment)};
  std::ranges::move(gpu_checks(environment), std::back_inserter(checks));
  checks.push_back(torch_check(installation));
  checks.push_back(cuda_check(environment, installation));
  if (auto counters = counter_check(installation)) checks.push_back(*counters);
  checks.push_back(tool_check("gnuplot", installation.has_gnuplot,
                              "no PNG and SVG plots (report.html has its own)",
                              "apt-get install gnuplot-nox"));
  checks.push_back(tool_check("Plotly.js", installation.has_plotly, "report.html has no charts",
                              "build again after: pip install plotly==6.9.0"));
  return checks;
}

bool can_run(const Installation& installation) { return installation.torch_version.has_value(); }

bool counters_permitted(const std::string& params, bool is_root) {
  return is_root || params.find("RmProfilingAdminOnly: 0") != std::string::npos;
}

}  // namespace ridgeline
