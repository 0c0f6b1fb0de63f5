#include "trace/op_table.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "trace/made_trace.h"

namespace ridgeline {
namespace {

std::vector<TraceOpRow> ops_of(const MadeTrace& made) {
  return op_table(made.trace.events, DeviceWork(made.trace.events)).rows;
}

TraceOpRow row(const std::vector<TraceOpRow>& rows, std::string_view name) {
  for (const TraceOpRow& found : rows) {
    if (found.name == name) return found;
  }
  ADD_FAILURE() << "no row " << name;
  return {};
}

TEST(OpTableTest, SelfTimeIsWithoutWhatIsNestedAndSumsToTheOutermost) {
  MadeTrace made;
  made.host({.name = "linear", .start = 0, .length = 100})
      .host({.name = "t", .start = 5, .length = 10})
      .host({.name = "mm", .start = 20, .length = 60})
      .host({.name = "cudaLaunchKernel", .start = 30, .length = 20, .kind = EventKind::Runtime})
      .host({.name = "mm", .start = 40, .length = 7, .thread = 2});
  const auto rows = ops_of(made);
  EXPECT_EQ(row(rows, "linear").self_host_ns, 30);
  EXPECT_EQ(row(rows, "linear").host_ns, 100);
  EXPECT_EQ(row(rows, "mm").self_host_ns, 40 + 7);
  EXPECT_EQ(row(rows, "mm").calls, 2U);
  EXPECT_EQ(row(rows, "cudaLaunchKernel").self_host_ns, 20);
  std::int64_t sum = 0;
  for (const TraceOpRow& found : rows) sum += found.self_host_ns;
  EXPECT_EQ(sum, 100 + 7);
}

TEST(OpTableTest, ANameNestedInItselfCountsItsTimeOnce) {
  MadeTrace made;
  made.host({.name = "add", .start = 0, .length = 100})
      .host({.name = "add", .start = 10, .length = 50})
      .launched(1, 20, {.name = "k", .start = 200, .length = 30});
  const TraceOpRow add = row(ops_of(made), "add");
  EXPECT_EQ(add.calls, 2U);
  EXPECT_EQ(add.host_ns, 100);
  EXPECT_EQ(add.self_host_ns, 95);
  EXPECT_EQ(add.device_ns, 30);
  EXPECT_EQ(add.self_device_ns, 30);
}

TEST(OpTableTest, DeviceTimeGoesToTheOpAroundTheLaunchAndAllAroundIt) {
  MadeTrace made;
  made.host({.name = "linear", .start = 0, .length = 100})
      .host({.name = "mm", .start = 10, .length = 50})
      .launched(1, 20, {.name = "gemm", .start = 300, .length = 40})
      .launched(2, 70, {.name = "bias", .start = 350, .length = 5});
  const auto rows = ops_of(made);
  EXPECT_EQ(row(rows, "mm").self_device_ns, 40);
  EXPECT_EQ(row(rows, "mm").device_ns, 40);
  EXPECT_EQ(row(rows, "linear").self_device_ns, 5);
  EXPECT_EQ(row(rows, "linear").device_ns, 45);
  EXPECT_EQ(row(rows, "cudaLaunchKernel").device_ns, 45);
}

TEST(OpTableTest, WithoutALaunchTheExternalIdFindsTheOp) {
  MadeTrace made;
  made.host({.name = "outer", .start = 0, .length = 100})
      .host({.name = "mm", .start = 10, .length = 50, .external = 9})
      .device({.name = "gemm", .start = 300, .length = 40, .external = 9})
      .device({.name = "stray", .start = 400, .length = 3, .external = 8});
  const auto rows = ops_of(made);
  EXPECT_EQ(row(rows, "mm").self_device_ns, 40);
  EXPECT_EQ(row(rows, "outer").device_ns, 40);
}

TEST(OpTableTest, ALaunchOutsideOfEveryOpIsLookedUpByTheExternalIdToo) {
  MadeTrace made;
  made.host({.name = "mm", .start = 10, .length = 50, .external = 9})
      .host({.name = "twice", .start = 70, .length = 5, .external = 4})
      .host({.name = "twice", .start = 80, .length = 5, .external = 4})
      .host(
          {.name = "ProfilerStep#7", .start = 200, .length = 90, .kind = EventKind::UserAnnotation})
      .launched(1, 210, {.name = "gemm", .start = 300, .length = 40, .external = 9})
      .launched(2, 220, {.name = "stray", .start = 350, .length = 5, .external = 4});
  const auto rows = ops_of(made);
  EXPECT_EQ(row(rows, "mm").self_device_ns, 40);
  EXPECT_EQ(row(rows, "twice").self_device_ns, 0) << "an id that several bear names none";
  EXPECT_EQ(row(rows, "ProfilerStep#7").device_ns, 5);
}

TEST(OpTableTest, AnEventThatSticksOutIsNoChild) {
  MadeTrace made;
  made.host({.name = "a", .start = 0, .length = 10}).host({.name = "b", .start = 5, .length = 10});
  const auto rows = ops_of(made);
  EXPECT_EQ(row(rows, "a").self_host_ns, 10);
  EXPECT_EQ(row(rows, "b").self_host_ns, 10);
}

// As the table defines its numbers, without any cleverness: a parent is the last that began before
// and ends no earlier.
struct SlowTable {
  explicit SlowTable(const std::vector<MadeTrace::Host>& sorted) : calls(sorted) {}
  [[nodiscard]] std::optional<std::size_t> parent(std::size_t i) const {
    for (std::size_t outer = i; outer-- > 0;) {
      const MadeTrace::Host& one = calls[outer];
      if (one.thread == calls[i].thread && one.start + one.length > calls[i].start &&
          one.start + one.length >= calls[i].start + calls[i].length)
        return outer;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::map<std::string_view, TraceOpRow> rows() const {
    std::map<std::string_view, TraceOpRow> out;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      std::set<std::string_view> around;
      for (auto up = parent(i); up; up = parent(*up)) around.insert(calls[*up].name);
      TraceOpRow& row = out[calls[i].name];
      row.self_host_ns += calls[i].length;
      if (!around.contains(calls[i].name)) row.host_ns += calls[i].length;
      if (const auto outer = parent(i)) out[calls[*outer].name].self_host_ns -= calls[i].length;
      if (calls[i].correlation == 0) continue;
      row.self_device_ns += 10;
      auto op = parent(i);
      while (op && calls[*op].kind == EventKind::Runtime) op = parent(*op);
      if (op) out[calls[*op].name].self_device_ns += 10;
      around.insert(calls[i].name);
      for (const std::string_view name : around) out[name].device_ns += 10;
    }
    return out;
  }
  std::vector<MadeTrace::Host> calls;
};

TEST(OpTableTest, HoweverSlicesNestAndOverlapTheNumbersAreThoseOfTheDefinition) {
  std::mt19937 random(7);
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % n); };
  for (int round = 0; round < 200; ++round) {
    std::vector<MadeTrace::Host> calls;
    MadeTrace made;
    for (std::uint32_t i = 1; i <= 40; ++i) {
      constexpr std::array kNames{"a", "b", "c", "d"};
      MadeTrace::Host call{.name = kNames[static_cast<std::size_t>(below(4))],
                           .start = below(30),
                           .length = below(25),
                           .thread = below(2)};
      if (i % 5 == 0) {
        call.name = "launch";
        call.kind = EventKind::Runtime;
        call.correlation = i;
        made.device({.name = "k", .start = 100, .length = 10, .correlation = i});
      }
      made.host(call);
      calls.push_back(call);
    }
    std::ranges::stable_sort(calls, [](const auto& a, const auto& b) {
      return std::tuple(a.thread, a.start, -a.length) < std::tuple(b.thread, b.start, -b.length);
    });
    for (const auto& [name, expected] : SlowTable(calls).rows()) {
      const TraceOpRow found = row(ops_of(made), name);
      EXPECT_EQ(found.host_ns, expected.host_ns) << name << " in round " << round;
      EXPECT_EQ(found.self_host_ns, expected.self_host_ns) << name << " in round " << round;
      EXPECT_EQ(found.device_ns, expected.device_ns) << name << " in round " << round;
      EXPECT_EQ(found.self_device_ns, expected.self_device_ns) << name << " in round " << round;
    }
  }
}

}  // namespace
}  // namespace ridgeline
