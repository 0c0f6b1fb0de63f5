#include "trace/kernel_table.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "trace/intervals.h"

namespace ridgeline {
namespace {

// "Memcpy HtoD (Pageable -> Device)" is HtoD; "Memset (Device)" is Memset.
std::string direction_of(EventKind kind, const std::string& name) {
  if (kind == EventKind::Memset) return "Memset";
  constexpr std::string_view kPrefix = "Memcpy ";
  if (!name.starts_with(kPrefix)) return name.substr(0, name.find(' '));
  const std::size_t end = name.find(' ', kPrefix.size());
  return name.substr(kPrefix.size(), end == std::string::npos ? end : end - kPrefix.size());
}

}  // namespace

std::vector<KernelRow> kernel_table(const EventTable& events, const DeviceWork& work) {
  std::unordered_map<std::uint64_t, std::size_t> places;  // by name and class
  std::vector<KernelRow> rows;
  std::int64_t all = 0;
  for (const DeviceWork::Item& item : work.items()) {
    const std::uint64_t key =
        (std::uint64_t{events.name(item.event)} << 2U) | static_cast<std::uint64_t>(item.work);
    const std::int64_t duration = events.duration_ns(item.event);
    const auto [found, fresh] = places.emplace(key, rows.size());
    if (fresh) {
      rows.push_back({.name = events.name_text(item.event),
                      .work = item.work,
                      .min_ns = duration,
                      .max_ns = duration});
    }
    KernelRow& row = rows[found->second];
    ++row.count;
    row.total_ns = add_times(row.total_ns, duration);
    row.min_ns = std::min(row.min_ns, duration);
    row.max_ns = std::max(row.max_ns, duration);
    all = add_times(all, duration);
  }
  for (KernelRow& row : rows)
    row.share = all > 0 ? static_cast<double>(row.total_ns) / static_cast<double>(all) : 0;
  std::ranges::stable_sort(rows, std::greater{}, &KernelRow::total_ns);
  return rows;
}

std::optional<double> CopyRow::bytes_per_s() const {
  if (sized == 0 || sized_ns <= 0) return std::nullopt;
  return static_cast<double>(bytes) * 1e9 / static_cast<double>(sized_ns);
}

std::vector<CopyRow> copy_table(const EventTable& events, const DeviceWork& work) {
  std::map<std::string, CopyRow> rows;
  std::map<std::pair<std::string, std::int64_t>, std::vector<TimeSpan>> spans;  // by device
  for (const DeviceWork::Item& item : work.items()) {
    if (item.work != WorkClass::Copy) continue;
    const std::string direction =
        direction_of(events.kind(item.event), events.name_text(item.event));
    CopyRow& row = rows[direction];
    row.direction = direction;
    ++row.count;
    const std::int64_t duration = events.duration_ns(item.event);
    row.total_ns = add_times(row.total_ns, duration);
    spans[{direction, events.track(item.event).process}].push_back(
        {.start_ns = events.start_ns(item.event), .end_ns = events.end_ns(item.event)});
    if (const auto bytes = events.bytes(item.event)) {
      ++row.sized;
      row.bytes = add_times(row.bytes, *bytes);
      row.sized_ns = add_times(row.sized_ns, duration);
    }
  }
  for (auto& [key, of_device] : spans) {
    CopyRow& row = rows[key.first];
    row.merged_ns = std::max(row.merged_ns, total_ns(merged(std::move(of_device))));
  }
  std::vector<CopyRow> out;
  for (auto& [direction, row] : rows) out.push_back(std::move(row));
  std::ranges::stable_sort(out, std::greater{}, &CopyRow::total_ns);
  return out;
}

}  // namespace ridgeline
