#include "measure/measure_row.h"

#include <chrono>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/cpu.h"
#include "core/nvml.h"
#include "measure/fit.h"
#include "measure/outcome.h"
#include "measure/peaks.h"
#include "measure/row_json.h"
#include "measure/warnings.h"
#include "models/workloads.h"

namespace ridgeline {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

// NVML's energy counter moves in steps of tens of milliseconds.
constexpr Seconds kLeastEnergyWindow{0.5};
constexpr std::size_t kStepsOfAllocatorGrowth = 16;

// The driver's meter around the measured steps.
class EnergyMeter {
 public:
  EnergyMeter(const Nvml* nvml, const Device& device)
      : nvml_(device.kind == DeviceKind::Cuda ? nvml : nullptr), gpu_(device.index) {}
  void start() {
    const auto now = read();
    started_ = now.has_value();
    start_ = now.value_or(0);
  }
  [[nodiscard]] std::optional<double> per_step(const Samples& samples) const {
    const auto end = read();
    if (!started_ || !end || samples.window < kLeastEnergyWindow || samples.measured.empty())
      return std::nullopt;
    return (*end - start_) / static_cast<double>(samples.measured.size());
  }

 private:
  [[nodiscard]] std::optional<double> read() const {
    return nvml_ != nullptr ? nvml_->energy_joules(gpu_) : std::nullopt;
  }
  const Nvml* nvml_;
  int gpu_;
  bool started_ = false;
  double start_ = 0;
};

Outcome run_row(const Engine& engine, Backend& backend, const RowSpec& spec, const Nvml* nvml,
                const SampleHooks& hooks) {
  Measured measured;
  const auto begin = Clock::now();
  const std::unique_ptr<Workload> workload(
      engine.symbol<MakeWorkload>(kMakeWorkloadSymbol)(spec.model, spec.settings, backend));
  measured.build_time = Clock::now() - begin;
  if (spec.grow_memory_first) {
    if (const auto need = memory_need(spec.model, spec.settings))
      workload->grow_memory(need->activations + need->gradients);
  }
  workload->reset_peak_memory();
  EnergyMeter meter(nvml, spec.settings.device);
  std::size_t steps = 0;
  const auto warmup = static_cast<std::size_t>(spec.plan.warmup_steps);
  measured.samples = sample<Clock>(spec.plan, hooks, [&] {
    if (steps == warmup) meter.start();
    const StepTimes times = workload->step();
    if (++steps <= kStepsOfAllocatorGrowth)
      measured.reserved_bytes.push_back(workload->memory().reserved.count);
    return times;
  });
  if (measured.samples.measured.empty())
    return Skipped{"interrupted before the first measured step"};
  measured.energy_joules = meter.per_step(measured.samples);
  measured.memory = workload->memory();
  return measured;
}

std::string with_fit(const Error& error, const RowSpec& spec, Bytes available) {
  return fmt::format("{} ({})", shortage_message(spec.model, spec.settings, available),
                     error.what());
}

Outcome try_row(const Engine& engine, Backend& backend, const RowSpec& spec, const Nvml* nvml,
                const SampleHooks& hooks) {
  if (auto reason = reason_to_skip(spec, backend)) return Skipped{*reason};
  const Bytes available = backend.facts(spec.settings.device.index).free_memory;
  // On a CPU the kernel's OOM killer would end us, so the need is predicted; a GPU refuses cleanly.
  if (spec.settings.device.kind == DeviceKind::Cpu && !fits(spec.model, spec.settings, available)) {
    return Failed{Fault::Memory, shortage_message(spec.model, spec.settings, available)};
  }
  try {
    return run_row(engine, backend, spec, nvml, hooks);
  } catch (const Error& error) {
    return Failed{error.fault(),
                  error.fault() == Fault::Memory ? with_fit(error, spec, available) : error.what()};
  } catch (const std::exception& error) {
    return Failed{Fault::Internal, error.what()};
  }
}

void add_warnings(json& row, const RowSpec& spec, const Nvml* nvml) {
  const auto add = [&](const std::string& text) { row["warnings"].push_back(text); };
  if (spec.settings.device.kind == DeviceKind::Cpu) {
    if (const auto warning = cpu_precision_warning(spec.settings.precision, read_cpu_facts()))
      add(*warning);
  } else if (nvml != nullptr) {
    if (const auto state = nvml->state(spec.settings.device.index)) {
      for (const std::string& warning : gpu_warnings(*state)) add(warning);
    }
  }
}

json shape_json(const ModelSpec& model) {
  return std::visit(
      [](const auto& m) {
        json shape = json::object();
        if constexpr (requires { m.batch_size; }) shape["batch_size"] = m.batch_size;
        if constexpr (requires { m.context_length; }) shape["context_length"] = m.context_length;
        if constexpr (requires { m.image_size; }) shape["image_size"] = m.image_size;
        if constexpr (requires { m.head_dim; }) shape["head_dim"] = m.head_dim;
        if constexpr (requires { m.num_heads; }) shape["num_heads"] = m.num_heads;
        return shape;
      },
      model);
}

}  // namespace

std::optional<std::string> reason_to_skip(const RowSpec& spec, const Backend& backend) {
  if (spec.settings.mode == Mode::Graph) {
    if (auto obstacle = backend.capture_obstacle()) return obstacle;
    if (spec.settings.accumulation > 1 && spec.settings.cold_cache)
      return "graph mode cannot flush the cache between micro-batches";
  }
  if (spec.settings.kernels == Kernels::Fused && spec.settings.device.kind == DeviceKind::Cpu) {
    return "fused kernels are CUDA kernels; a CPU has none";
  }
  if (std::holds_alternative<FileSpec>(spec.model) && spec.settings.extent > Extent::Forward) {
    return "a model file runs forward only: it carries no loss";
  }
  if (std::holds_alternative<AttentionSpec>(spec.model) && spec.settings.extent == Extent::Step) {
    return "attention alone has nothing to optimise; measure forward and backward";
  }
  return std::nullopt;
}

json row_header(const RowSpec& spec) {
  json row{{"model", model_kind(spec.model)}, {"label", label_of(spec.model)}};
  if (const auto parameters = parameter_count(spec.model)) row["parameters"] = *parameters;
  json settings = shape_json(spec.model);
  settings.update(to_json(spec).at("settings"));
  settings["tf32"] =
      spec.settings.precision == Precision::Tf32 && spec.settings.device.kind == DeviceKind::Cuda;
  row["settings"] = settings;
  row["phases_asked"] = to_json(spec).at("phases");
  row["plan"] = {{"warmup_steps", spec.plan.warmup_steps},
                 {"budget_s", spec.plan.budget.count()},
                 {"target_percent", 100 * spec.plan.target}};
  if (spec.plan.measure_steps) row["plan"]["measure_steps"] = *spec.plan.measure_steps;
  row["warnings"] = json::array();
  return row;
}

json failed_row(const RowSpec& spec, std::string_view fault, const std::string& reason) {
  json row = row_header(spec);
  row["outcome"] = "failed";
  row["fault"] = fault;
  row["reason"] = reason;
  return row;
}

json skipped_row(const RowSpec& spec, const std::string& reason) {
  json row = row_header(spec);
  row["outcome"] = "skipped";
  row["reason"] = reason;
  return row;
}

json measure_row(const Engine& engine, const RowSpec& spec, const SampleHooks& hooks) {
  std::string no_nvml;
  const auto nvml =
      spec.settings.device.kind == DeviceKind::Cuda ? Nvml::load(&no_nvml) : std::nullopt;
  const Nvml* const meter = nvml ? &*nvml : nullptr;
  json row;
  try {
    Backend& backend = engine.backend(spec.settings.device);
    const Outcome outcome = try_row(engine, backend, spec, meter, hooks);
    backend.release_cached_memory();
    if (const auto* measured = std::get_if<Measured>(&outcome)) {
      row = row_header(spec);
      // Peaks come last: measured before, their products would warm up a row that must be cold.
      add_measured(row, spec, *measured, compute_peak(engine, spec.settings));
      const auto bandwidth = copy_peak(engine, spec.settings).rate;
      if (bandwidth && row.contains("peak")) row["peak"]["bytes_per_s"] = bandwidth->value;
      add_warnings(row, spec, meter);
    } else if (const auto* skipped = std::get_if<Skipped>(&outcome)) {
      row = skipped_row(spec, skipped->reason);
    } else {
      const auto& failed = std::get<Failed>(outcome);
      row = failed_row(spec, name_of(failed.fault), failed.message);
    }
  } catch (const Error& error) {
    row = failed_row(spec, name_of(error.fault()), error.what());
  }
  return row;
}

}  // namespace ridgeline
