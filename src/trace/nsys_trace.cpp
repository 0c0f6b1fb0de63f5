#include "trace/nsys_trace.h"

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/malformed.h"
#include "core/utf8.h"
#include "trace/sqlite_reader.h"

namespace ridgeline {
namespace {

constexpr std::int64_t kLargestTime_ns = 3'000'000'000'000'000'000;  // as EventTable asks

// ENUM_CUDA_MEMCPY_OPER, as PyTorch names the same copies.
constexpr std::array kCopyNames{
    "Memcpy Unknown", "Memcpy HtoD",     "Memcpy DtoH",     "Memcpy HtoA",    "Memcpy AtoH",
    "Memcpy AtoA",    "Memcpy AtoD",     "Memcpy DtoA",     "Memcpy DtoD",    "Memcpy HtoH",
    "Memcpy PtoP",    "Memcpy UVM-HtoD", "Memcpy UVM-DtoH", "Memcpy UVM-DtoD"};

// A process in globalPid and globalTid: what stands above the thread.
constexpr std::int64_t kThreadBits = 0xffffff;

// ENUM_NSYS_EVENT_CLASS: 1 is the driver's interface.
constexpr std::int64_t kDriverClass = 1;

class NsysReader {
 public:
  explicit NsysReader(const std::filesystem::path& path) : database_(path) {
    trace_.source = path.string();
  }

  Trace read() {
    if (!database_.has_table("StringIds"))
      throw malformed(trace_.source, "a database, but no export of Nsight Systems: no StringIds");
    database_.each("SELECT id, value FROM StringIds", [&](const SqliteRow& row) {
      if (const auto id = row.integer(0)) strings_[*id] = number_of(row.text(1));
    });
    read_kernels();
    read_graphs();
    read_copies();
    read_sets();
    read_calls();
    read_ranges();
    read_devices();
    return std::move(trace_);
  }

 private:
  std::uint32_t number_of(std::string_view name) {
    return trace_.events.names.number_of(with_valid_utf8(name));
  }

  std::uint32_t string_of(const std::optional<std::int64_t>& id) {
    const auto found = strings_.find(id.value_or(-1));
    return found == strings_.end() ? number_of("unknown") : found->second;
  }

  // Columns 0 and 1 are start and end; false, and counted, when they cannot be a slice.
  bool add(const SqliteRow& row, Event event) {
    const auto start = row.integer(0);
    const auto end = row.integer(1);
    if (!start || !end || *start < -kLargestTime_ns || *end > kLargestTime_ns || *end < *start ||
        *end - *start > kLargestTime_ns) {
      ++trace_.notes.without_time;
      return false;
    }
    event.start_ns = *start;
    event.duration_ns = *end - *start;
    trace_.events.add(event);
    return true;
  }

  static std::uint32_t id_or_none(const std::optional<std::int64_t>& value) {
    const bool usable = value && *value > 0 && *value <= std::numeric_limits<std::uint32_t>::max();
    return usable ? static_cast<std::uint32_t>(*value) : 0;
  }

  // Every process counts its calls from one: the first one's ids stay as they are, those of the
  // others get numbers from the other end.
  std::uint32_t correlation_of(const std::optional<std::int64_t>& process,
                               const std::optional<std::int64_t>& value) {
    const std::uint32_t id = id_or_none(value);
    if (id == 0 || !process) return id;
    const std::int64_t owner = *process & ~kThreadBits;
    if (!first_process_) first_process_ = owner;
    if (owner == *first_process_) return id;
    return others_.try_emplace({owner, id}, UINT32_MAX - static_cast<std::uint32_t>(others_.size()))
        .first->second;
  }

  // The column where the table has it: older exports do not tell the process.
  std::string process_of(std::string_view table) {
    return database_.has_column(table, "globalPid") ? "globalPid" : "NULL";
  }

  // Columns 2 and 3 are device and stream, 4 the correlation, 5 the process.
  Event device_event(const SqliteRow& row, EventKind kind, std::uint32_t name) {
    return {.kind = kind,
            .name = name,
            .track = trace_.events.track_of({.device = true,
                                             .process = row.integer(2).value_or(0),
                                             .thread = row.integer(3).value_or(0)}),
            .correlation = correlation_of(row.integer(5), row.integer(4))};
  }

  Event host_event(EventKind kind, std::uint32_t name, const std::optional<std::int64_t>& thread) {
    return {.kind = kind,
            .name = name,
            .track = trace_.events.track_of(
                {.device = false, .process = 0, .thread = thread.value_or(0)})};
  }

  void read_kernels() {
    each_of("CUPTI_ACTIVITY_KIND_KERNEL", "demangledName", [&](const SqliteRow& row) {
      (void)add(row, device_event(row, EventKind::Kernel, string_of(row.integer(6))));
    });
  }

  // What nsys records of a CUDA graph unless it is asked for its nodes: one piece of work a replay.
  void read_graphs() {
    each_of("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "graphId", [&](const SqliteRow& row) {
      const std::string name = fmt::format("CUDA graph {}", row.integer(6).value_or(0));
      (void)add(row, device_event(row, EventKind::Kernel, number_of(name)));
    });
  }

  // Device work: what device_event() asks for, then `more`.
  void each_of(std::string_view table, std::string_view more,
               const std::function<void(const SqliteRow&)>& take) {
    if (!database_.has_table(table)) return;
    database_.each(fmt::format("SELECT start, \"end\", deviceId, streamId, correlationId, {}, {} "
                               "FROM {}",
                               process_of(table), more, table),
                   take);
  }

  void read_copies() {
    each_of("CUPTI_ACTIVITY_KIND_MEMCPY", "bytes, copyKind", [&](const SqliteRow& row) {
      const std::int64_t kind = row.integer(7).value_or(0);
      const bool known = kind >= 0 && kind < static_cast<std::int64_t>(kCopyNames.size());
      const auto* const name = kCopyNames[known ? static_cast<std::size_t>(kind) : 0];
      add_sized(row, device_event(row, EventKind::Memcpy, number_of(name)));
    });
  }

  void read_sets() {
    each_of("CUPTI_ACTIVITY_KIND_MEMSET", "bytes", [&](const SqliteRow& row) {
      add_sized(row, device_event(row, EventKind::Memset, number_of("Memset")));
    });
  }

  void add_sized(const SqliteRow& row, const Event& event) {
    const auto bytes = row.integer(6);
    if (add(row, event) && bytes && *bytes >= 0) trace_.events.set_bytes(*bytes);
  }

  void read_calls() {
    if (!database_.has_table("CUPTI_ACTIVITY_KIND_RUNTIME")) return;
    database_.each(
        "SELECT start, \"end\", globalTid, correlationId, nameId, eventClass "
        "FROM CUPTI_ACTIVITY_KIND_RUNTIME",
        [&](const SqliteRow& row) {
          const auto kind = row.integer(5) == kDriverClass ? EventKind::Driver : EventKind::Runtime;
          Event event = host_event(kind, string_of(row.integer(4)), row.integer(2));
          event.correlation = correlation_of(row.integer(2), row.integer(3));
          (void)add(row, event);
        });
  }

  // Marks have no end and are no ranges.
  void read_ranges() {
    if (!database_.has_table("NVTX_EVENTS")) return;
    database_.each(
        "SELECT start, \"end\", globalTid, text, textId FROM NVTX_EVENTS WHERE \"end\" NOT NULL",
        [&](const SqliteRow& row) {
          const auto name =
              row.text(3).empty() ? string_of(row.integer(4)) : number_of(row.text(3));
          (void)add(row, host_event(EventKind::UserAnnotation, name, row.integer(2)));
        });
  }

  void read_devices() {
    if (!database_.has_table("TARGET_INFO_GPU")) return;
    database_.each("SELECT name FROM TARGET_INFO_GPU ORDER BY id", [&](const SqliteRow& row) {
      trace_.devices.push_back(with_valid_utf8(row.text(0)));
    });
  }

  SqliteReader database_;
  Trace trace_;
  std::unordered_map<std::int64_t, std::uint32_t> strings_;
  std::optional<std::int64_t> first_process_;
  std::map<std::pair<std::int64_t, std::uint32_t>, std::uint32_t> others_;  // correlations
};

}  // namespace

Trace read_nsys_trace(const std::filesystem::path& path) { return NsysReader(path).read(); }

}  // namespace ridgeline
