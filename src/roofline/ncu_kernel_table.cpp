#include "roofline/ncu_kernel_table.h"

#include <algorithm>

#include "roofline/ncu_messages.h"

namespace ridgeline {

std::size_t NcuKernelTable::Hash::operator()(const Key& key) const {
  std::size_t hash = key.part;
  for (const std::string_view text : key.texts)
    hash = hash * 1099511628211U + std::hash<std::string_view>{}(text);
  return hash;
}

void NcuKernelTable::begin_part() {
  ++part_;
  last_id_ = {};
  last_process_ = {};
  last_host_ = {};
  current_ = kNone;
}

// Kernels are told apart by their ID, which hosts and their processes count each for themselves; a
// summary has none, there the kernel and its launch do.
void NcuKernelTable::select(const CsvRows& rows, const NcuColumns& columns) {
  const auto& cells = rows.cells();
  const std::string_view id = cell_at(cells, columns.id);
  const std::string_view process = cell_at(cells, columns.process);
  const std::string_view host = cell_at(cells, columns.host);
  if (current_ != kNone && columns.layout != NcuLayout::Summary && id == last_id_ &&
      process == last_process_ && host == last_host_)
    return;
  last_id_ = id;
  last_process_ = process;
  last_host_ = host;
  Key key{.part = part_, .texts = {host, process, id}};
  if (columns.layout == NcuLayout::Summary) {
    key.texts = {host,
                 process,
                 cell_at(cells, columns.kernel),
                 cell_at(cells, columns.block),
                 cell_at(cells, columns.grid),
                 cell_at(cells, columns.device)};
  }
  const auto [place, is_new] = places_.try_emplace(key, report_.kernels.size());
  current_ = place->second;
  if (!is_new) return;
  add(rows, columns);
  if (report_.kernels.size() == kSample) make_room(rows.row_offset() + 1);
}

// Growing again and again would copy everything twice and touch three times the memory. A kernel
// takes less room than its row of the raw page; of other pages the text's size bounds it.
void NcuKernelTable::make_room(std::size_t bytes_read) {
  const std::size_t expected = kSample * (size_ / bytes_read + 1);
  const std::size_t most = std::min(expected, size_ / sizeof(NcuKernel));
  report_.kernels.reserve(most + most / 16);
  places_.reserve(most + most / 16);
}

// The number of what `make` makes of a cell; a few hundred cells stand for all, so made once each.
template <class Make>
std::uint32_t NcuKernelTable::number_of(std::string_view cell, Numbers& known, Make make) {
  const auto found = known.find(cell);
  if (found != known.end()) return found->second;
  const std::uint32_t number = report_.names.number_of(make(cell));
  known.emplace(cell, number);
  return number;
}

void NcuKernelTable::add(const CsvRows& rows, const NcuColumns& columns) {
  const auto& cells = rows.cells();
  if (!report_.chip) report_.chip = compute_capability(cell_at(cells, columns.chip));
  NcuKernel& kernel = report_.kernels.emplace_back();
  kernel.name = number_of(cell_at(cells, columns.kernel), name_cells_, unquoted);
  kernel.ranges = number_of(cell_at(cells, columns.ranges), range_cells_,
                            [](std::string_view cell) { return ncu_range_path(unquoted(cell)); });
  kernel.grid = number_of(cell_at(cells, columns.grid), name_cells_, unquoted);
  kernel.block = number_of(cell_at(cells, columns.block), name_cells_, unquoted);
  if (columns.layout != NcuLayout::Summary) return;
  const auto calls = ncu_number(cell_at(cells, columns.calls), report_.notes.mark, evidence_);
  if (calls && *calls >= 1 && *calls < 1e15) kernel.calls = static_cast<std::uint64_t>(*calls);
}

}  // namespace ridgeline
