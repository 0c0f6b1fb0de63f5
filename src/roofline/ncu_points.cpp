#include "roofline/ncu_points.h"

#include <array>

#include <fmt/format.h>

#include "core/malformed.h"
#include "core/utf8.h"
#include "roofline/flop_metrics.h"
#include "roofline/ncu_missing.h"
#include "roofline/ncu_notes.h"
#include "roofline/ncu_quantity.h"

namespace ridgeline {
namespace {

// What the file as a whole has: only that can be asked of each kernel.
class Inventory {
 public:
  explicit Inventory(const NcuReport& report) : has_(metrics_of(report)) {
    for (const FlopMetric& counted : kFlopMetrics) {
      if (has(counted.metric) && !is_part_of_present_sum(counted.metric))
        counted_.push_back(counted);
    }
    if (has(NcuMetric::DramRead) && has(NcuMetric::DramWrite)) {
      dram_ = {NcuMetric::DramRead, NcuMetric::DramWrite};
    } else if (has(NcuMetric::DramBytes)) {
      dram_ = {NcuMetric::DramBytes};
    }
  }
  [[nodiscard]] bool has(NcuMetric metric) const { return has_[static_cast<std::size_t>(metric)]; }
  [[nodiscard]] const std::vector<FlopMetric>& counted() const { return counted_; }
  [[nodiscard]] const std::vector<NcuMetric>& dram() const { return dram_; }

 private:
  [[nodiscard]] bool is_part_of_present_sum(NcuMetric metric) const {
    const auto sum = sum_with(metric);
    return sum && has(*sum);
  }

  NcuMetrics has_;
  std::vector<FlopMetric> counted_;
  std::vector<NcuMetric> dram_;
};

void require_enough(const Inventory& inventory, const NcuReport& report) {
  std::vector<std::string_view> missing;
  if (!inventory.has(NcuMetric::Time)) missing.push_back(name_of(NcuMetric::Time));
  if (inventory.counted().empty()) {
    for (const NcuMetric metric : {NcuMetric::Fadd, NcuMetric::Fmul, NcuMetric::Ffma})
      missing.push_back(name_of(metric));
  }
  if (inventory.dram().empty()) {
    for (const NcuMetric metric : {NcuMetric::DramRead, NcuMetric::DramWrite})
      if (!inventory.has(metric)) missing.push_back(name_of(metric));
  }
  if (missing.empty()) return;
  if (report.notes.cut_off && report.kernels.size() == 1)
    throw malformed(report.source, fmt::format("cut short within its first kernel, which has no {}",
                                               fmt::join(missing, ", ")));
  const auto unreadable = unreadable_text(report.notes);
  throw malformed(report.source, fmt::format("it has no {}; {}", fmt::join(missing, ", "),
                                             unreadable ? "not used: " + *unreadable
                                                        : how_to_count(whole_collection(report))));
}

// The kernel's reading of one metric, or a reason to leave the kernel out.
class KernelReader {
 public:
  KernelReader(const NcuKernel& kernel) : kernel_(kernel) {}
  double need(NcuMetric metric) {
    const Quantity quantity = ncu_quantity(kernel_, metric);
    if (quantity.state == QuantityState::Value) return quantity.value;
    if (reason_.empty())
      reason_ = fmt::format("{} {}", name_of(metric), description_of(quantity.state));
    return 0;
  }
  std::optional<double> want(NcuMetric metric) const {
    const Quantity quantity = ncu_quantity(kernel_, metric);
    return quantity.state == QuantityState::Value ? std::optional(quantity.value) : std::nullopt;
  }
  void refuse(std::string reason) {
    if (reason_.empty()) reason_ = std::move(reason);
  }
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  const NcuKernel& kernel_;
  std::string reason_;
};

void add_to(std::optional<double>& total, std::optional<double> value, double calls) {
  if (value) total = total.value_or(0) + *value * calls;
}

void add_to(std::optional<Bytes>& total, std::optional<double> value, double calls) {
  if (value) total = total.value_or(Bytes{}) + Bytes{*value * calls};
}

// A few hundred names stand for a hundred thousand launches: looked at once each.
struct KnownName {
  std::string text{};
  OpKind kind{};
};

std::vector<KnownName> known_names(const TraceNames& names) {
  std::vector<KnownName> known;
  for (std::uint32_t i = 0; i < names.size(); ++i)
    known.push_back({.text = with_valid_utf8(names[i]), .kind = kind_of_op(names[i])});
  return known;
}

std::string launch_text(const std::string& grid, const std::string& block) {
  if (grid.empty() && block.empty()) return {};
  return grid + " × " + block;
}

RooflinePoint point_of(const std::vector<KnownName>& names, const NcuKernel& kernel,
                       const Inventory& inventory, KernelReader& reader) {
  const auto calls = static_cast<double>(kernel.calls);
  RooflinePoint point{.label = names[kernel.name].text,
                      .detail = launch_text(names[kernel.grid].text, names[kernel.block].text),
                      .phase = names[kernel.ranges].text,
                      .kind = names[kernel.name].kind,
                      .calls = kernel.calls};
  point.time = Seconds{reader.need(NcuMetric::Time) * calls};
  if (!(point.time.count() > 0)) reader.refuse("its time is zero");
  for (const FlopMetric& counted : inventory.counted()) {
    Flop& flop = point.flop[index_of(counted.path)];
    flop.count += counted.flop * calls * reader.need(counted.metric);
  }
  Bytes dram{};
  for (const NcuMetric metric : inventory.dram()) dram.count += reader.need(metric) * calls;
  point.bytes[index_of(MemoryLevel::Dram)] = dram;
  if (const auto bytes = reader.want(NcuMetric::L2Bytes))
    point.bytes[index_of(MemoryLevel::L2)] = Bytes{*bytes * calls};
  if (const auto bytes = reader.want(NcuMetric::L1Bytes))
    point.bytes[index_of(MemoryLevel::L1)] = Bytes{*bytes * calls};
  point.sm_percent = reader.want(NcuMetric::SmPercent);
  point.dram_percent = reader.want(NcuMetric::DramPercent);
  point.occupancy_percent = reader.want(NcuMetric::Occupancy);
  point.waves = reader.want(NcuMetric::Waves);
  return point;
}

void add_totals(CounterTotals& totals, const KernelReader& reader, double calls) {
  add_to(totals.fadd, reader.want(NcuMetric::Fadd), calls);
  add_to(totals.fmul, reader.want(NcuMetric::Fmul), calls);
  add_to(totals.ffma, reader.want(NcuMetric::Ffma), calls);
  add_to(totals.dram_read, reader.want(NcuMetric::DramRead), calls);
  add_to(totals.dram_write, reader.want(NcuMetric::DramWrite), calls);
}

}  // namespace

NcuPoints points_of(const NcuReport& report) {
  const Inventory inventory(report);
  require_enough(inventory, report);
  const std::vector<KnownName> names = known_names(report.names);
  NcuPoints result{.device_name = with_valid_utf8(report.device_name)};
  result.points.reserve(report.kernels.size());
  for (const NcuKernel& kernel : report.kernels) {
    KernelReader reader(kernel);
    RooflinePoint point = point_of(names, kernel, inventory, reader);
    if (reader.reason().empty()) {
      add_totals(result.totals, reader, static_cast<double>(kernel.calls));
      result.points.push_back(std::move(point));
      continue;
    }
    result.left_out.push_back(
        {.kernel = std::move(point.label),
         .reason = reader.reason(),
         .time = point.time.count() > 0 ? std::optional(point.time) : std::nullopt});
  }
  if (result.points.empty()) {
    throw malformed(report.source,
                    fmt::format("none of its {} kernels is whole; of the first, {}",
                                report.kernels.size(), result.left_out.front().reason));
  }
  result.notes = ncu_notes(report, result);
  return result;
}

}  // namespace ridgeline
