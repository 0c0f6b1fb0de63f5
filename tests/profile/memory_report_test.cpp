#include "profile/memory_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "profile/made_memory.h"

namespace ridgeline {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MadeMemory;

constexpr std::int64_t kMebibyte = 1 << 20;

MemoryTimeline made() {
  MadeMemory memory;
  memory.step().name(1, 3 * kMebibyte, MemoryKind::Parameter);
  memory.phase(StepPhase::Forward).allocate(10, kMebibyte);
  memory.phase(StepPhase::Backward).release(10, kMebibyte);
  return *memory_timeline(memory.finish());
}

TEST(MemoryReportTest, TheTableAddsUpToThePeakAndShowsOnlyWhatThereIs) {
  const ReaderTable table = memory_table(made().main);
  ASSERT_EQ(table.rows.size(), 3);
  EXPECT_THAT(table.rows[0], ElementsAre("parameters", "3.00 MiB", "75.0 %", "3.00 MiB", "1"));
  EXPECT_THAT(table.rows[1], ElementsAre("activations", "1.00 MiB", "25.0 %", "1.00 MiB", "1"));
  EXPECT_THAT(table.rows[2], ElementsAre("in all", "4.00 MiB", "100.0 %", "4.00 MiB", "2"));
}

TEST(MemoryReportTest, TheSentenceSaysWhenAndWhere) {
  MemoryTimeline timeline = made();
  EXPECT_EQ(memory_sentence(timeline),
            "Peak memory on the CPU: 4.00 MiB, in the forward of layers.0 (aten::empty), step 2; "
            "3.00 MiB when the steps began, 1 allocations of 1.00 MiB in all.");
  timeline.main.allocator_peak = 5 * kMebibyte;
  EXPECT_THAT(memory_sentence(timeline), HasSubstr("allocator's own peak is 5.00 MiB"));
}

TEST(MemoryReportTest, TheFilesColumnsAreOfOneLengthAndAddUp) {
  const json file = memory_timeline_json(made());
  const json& place = file.at("places").at(0);
  const json& curve = place.at("curve");
  const std::size_t points = curve.at("time_s").size();
  ASSERT_GT(points, 2);
  EXPECT_EQ(curve.at("bytes").size(), 2) << "kinds that never appear have no column";
  for (std::size_t i = 0; i < points; ++i) {
    std::int64_t sum = 0;
    for (const auto& [kind, column] : curve.at("bytes").items()) {
      ASSERT_EQ(column.size(), points) << kind;
      sum += column.at(i).get<std::int64_t>();
    }
    EXPECT_EQ(sum, curve.at("total_bytes").at(i));
  }
  EXPECT_EQ(place.at("place"), "cpu");
  EXPECT_EQ(place.at("kinds").at("optimizer_state").at("at_peak_bytes"), 0);
  EXPECT_EQ(file.at("steps").size(), 1);
  EXPECT_FALSE(file.contains("freed_unseen"));
}

TEST(MemoryReportTest, NamesThatAreNoTextDoNotBreakTheFile) {
  MemoryTimeline timeline = made();
  timeline.main.peak.module = "bad\xff";
  EXPECT_NO_THROW((void)memory_timeline_json(timeline).dump());
}

TEST(MemoryReportTest, TheFigureStacksKindsInOneUnitAndMarksThePeak) {
  const Figure figure = memory_figure(made(), "a run");
  ASSERT_EQ(figure.panels.size(), 1);
  const Panel& panel = figure.panels[0];
  EXPECT_EQ(panel.mark, Mark::Area);
  EXPECT_EQ(panel.y.label, "Memory (MiB)");
  ASSERT_EQ(panel.series.size(), 2);
  EXPECT_EQ(panel.series[0].points[0].y, 3);
  EXPECT_EQ(y_range(panel)->high, 4);
  ASSERT_EQ(panel.callouts.size(), 1);
  EXPECT_EQ(panel.callouts[0].y, 4);
  EXPECT_THAT(panel.callouts[0].text, HasSubstr("peak 4.00 MiB, in the forward"));
  EXPECT_TRUE(memory_figure({}, "nothing").panels.empty());
}

TEST(MemoryReportTest, ThePagesSectionHasSentenceTableAndChart) {
  const Section section = memory_section(made());
  EXPECT_EQ(section.id, "memory");
  EXPECT_THAT(section.body, HasSubstr("Peak memory on the CPU"));
  EXPECT_THAT(section.body, HasSubstr("activations"));
  ASSERT_EQ(section.charts.size(), 1);
  EXPECT_EQ(section.charts[0].data.size(), 2);
  EXPECT_EQ(section.charts[0].layout.at("annotations").size(), 1);
}

TEST(MemoryReportTest, BeyondTheLimitNoPeakIsTold) {
  MemoryTimeline timeline = made();
  timeline.lost = 12;
  timeline.lost_from = timeline.steps.front().start + 3'000'000;
  EXPECT_EQ(to_text(timeline),
            "Memory on the CPU is known for the first 3.00 ms alone: 12 allocations and releases "
            "after that are beyond --trace-limit, so no peak and no sums are told.\n");
  const json file = memory_timeline_json(timeline);
  EXPECT_EQ(file.at("lost").at("records"), 12);
  EXPECT_TRUE(file.at("places").at(0).contains("curve"));
  for (const char* const key :
       {"peak_bytes", "peak_phase", "allocations", "allocated_bytes", "kinds"}) {
    EXPECT_FALSE(file.at("places").at(0).contains(key)) << key;
    EXPECT_FALSE(memory_summary_json(timeline).contains(key)) << key;
  }
  EXPECT_TRUE(memory_figure(timeline, "").panels.at(0).callouts.empty());
  EXPECT_EQ(memory_section(timeline).body.find("<table"), std::string::npos);
}

}  // namespace
}  // namespace ridgeline
