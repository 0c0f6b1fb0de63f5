#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/ncu_command.h"
#include "roofline/ncu_header.h"
#include "roofline/ncu_number.h"
#include "trace/name_table.h"

namespace ridgeline {

// One kernel, or one range, as the file has it: values in base units, in the form they came.
struct NcuKernel {
  std::uint32_t name{};    // in NcuReport::names, as are the next three
  std::uint32_t ranges{};  // "train_step/forward"
  std::uint32_t grid{};
  std::uint32_t block{};
  std::uint64_t calls = 1;
  std::array<double, kNcuMetrics> values{};
  std::array<NcuForm, kNcuMetrics> forms{};  // the best form that the file has of each
  std::array<std::uint8_t, kNcuMetrics> spellings{};
  std::bitset<kNcuMetrics> present{};
  std::bitset<kNcuMetrics> overflowed{};
  std::bitset<kNcuMetrics> unavailable{};  // n/a, an error mark, a unit nobody knows
};

// What the reader met besides kernels. Nothing of it is averaged in.
struct NcuNotes {
  NcuLayout layout = NcuLayout::Long;
  std::uint64_t rows = 0;
  std::uint64_t noise_lines = 0;  // of the program and of ncu, between the rows
  std::uint64_t broken_rows = 0;
  std::size_t first_broken_at = 0;  // byte
  // Values of a metric that the kernel had already under that name, and differing: one is used, and
  // which is chance.
  std::uint64_t second_values = 0;
  std::size_t first_second_at = 0;      // byte
  std::uint64_t repeated_values = 0;    // the same again, but for rounding
  std::uint64_t unreadable_values = 0;  // with digits, and no number all the same
  std::string first_unreadable{};
  bool cut_off = false;
  bool without_units = false;  // taken as ncu's base units
  DecimalMark mark = DecimalMark::Point;
  std::vector<std::string> messages{};  // ncu's own errors and warnings, the first few
  std::map<std::string, std::uint64_t> unknown_units{};
};

struct NcuReport {
  std::string source{};
  std::string device_name{};  // where the raw page has it
  std::optional<ComputeCapability> chip{};
  std::vector<NcuKernel> kernels{};
  TraceNames names{};
  NcuNotes notes{};
};

// Every layout of `ncu --csv`, whatever was printed around it. Throws Error(BadInput) of one line
// when there is no table, no kernel, or when its numbers contradict each other.
[[nodiscard]] NcuReport parse_ncu_csv(std::string_view text, const std::string& source);

}  // namespace ridgeline
