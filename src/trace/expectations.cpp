#include "trace/expectations.h"

#include <array>

#include <fmt/format.h>

namespace ridgeline {
namespace {

constexpr std::string_view kMemory = "peak memory allocated";
constexpr std::string_view kProcessMemory = "peak memory of the process";

struct Expectation {
  std::string_view what;
  double low;
  double high;
  std::string_view unit;
  std::optional<double> (*measured)(const ProfileFacts& facts);
};

std::optional<double> percent(const std::optional<double>& part) {
  return part ? std::optional(100 * *part) : std::nullopt;
}

constexpr double kGigabyte = 1e9;

constexpr std::array kTinyLlama{
    Expectation{"training speed", 50, 100, "samples/s",
                [](const ProfileFacts& facts) { return facts.samples_per_s; }},
    Expectation{"GPU utilisation", 60, 75, "%",
                [](const ProfileFacts& facts) { return percent(facts.busy); }},
    Expectation{kMemory, 2, 4, "GB",
                [](const ProfileFacts& facts) {
                  return facts.memory ? std::optional(facts.memory->peak.count / kGigabyte)
                                      : std::nullopt;
                }},
    Expectation{"kinds of kernels a step", 40, 50, "",
                [](const ProfileFacts& facts) {
                  return facts.kernels ? std::optional(facts.kernels->distinct) : std::nullopt;
                }},
    // The exercise means the layer, with its projections.
    Expectation{"attention's share, by module", 35, 45, "%",
                [](const ProfileFacts& facts) -> std::optional<double> {
                  if (!facts.modules) return std::nullopt;
                  return 100 * facts.modules->attention;
                }},
};

std::string with_unit(std::string text, std::string_view unit) {
  return unit.empty() ? text : fmt::format("{} {}", text, unit);
}

}  // namespace

std::vector<ExpectedRow> tiny_llama_expectations(const ProfileFacts& facts) {
  std::vector<ExpectedRow> rows;
  for (const Expectation& one : kTinyLlama) {
    const auto value = one.measured(facts);
    const bool of_process = one.what == kMemory && facts.memory && facts.memory->of_process;
    ExpectedRow row{.what = of_process ? kProcessMemory : one.what,
                    .expected = with_unit(fmt::format("{:g} to {:g}", one.low, one.high), one.unit),
                    .measured = "not recorded"};
    if (value) {
      row.measured = with_unit(fmt::format("{:.1f}", *value), one.unit);
      row.verdict = *value < one.low ? "below" : *value > one.high ? "above" : "as expected";
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace ridgeline
