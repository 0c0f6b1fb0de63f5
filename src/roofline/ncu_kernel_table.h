#pragma once

#include <array>
#include <string_view>
#include <unordered_map>

#include "roofline/csv_rows.h"
#include "roofline/ncu_report.h"

namespace ridgeline {

// Whose row it is: finds the kernel of a row among those of a report, or begins a new one. Its keys
// are views into the file.
class NcuKernelTable {
 public:
  // `text_size` says how many kernels to expect. Both must outlive this.
  NcuKernelTable(NcuReport& report, MarkEvidence& evidence, std::size_t text_size)
      : report_(report), evidence_(evidence), size_(text_size) {}

  // Another report begins, whose kernels are counted from zero again.
  void begin_part();
  void select(const CsvRows& rows, const NcuColumns& columns);
  [[nodiscard]] NcuKernel& selected() { return report_.kernels[current_]; }

 private:
  // What tells kernels apart.
  struct Key {
    std::uint64_t part{};
    std::array<std::string_view, 6> texts{};
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  using Numbers = std::unordered_map<std::string_view, std::uint32_t>;

  void make_room(std::size_t bytes_read);
  template <class Make>
  std::uint32_t number_of(std::string_view cell, Numbers& known, Make make);
  void add(const CsvRows& rows, const NcuColumns& columns);

  static constexpr std::size_t kSample = 256;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  NcuReport& report_;
  MarkEvidence& evidence_;
  std::size_t size_;
  std::uint64_t part_ = 0;
  std::size_t current_ = kNone;
  std::string_view last_id_;
  std::string_view last_process_;
  std::string_view last_host_;
  std::unordered_map<Key, std::size_t, Hash> places_;
  Numbers name_cells_;
  Numbers range_cells_;
};

}  // namespace ridgeline
