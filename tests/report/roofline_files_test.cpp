#include "report/roofline_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/atomic_file.h"
#include "core/error.h"
#include "core/temporary_folder.h"
#include "roofline/point_source.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;

Ceilings made_ceilings() {
  Ceilings ceilings{.machine = "Made", .source = "a test"};
  ceilings.compute[index_of(ComputePath::Fp32)] = FlopPerSecond{10e12};
  ceilings.bandwidth[index_of(MemoryLevel::Dram)] = BytesPerSecond{1e12};
  return ceilings;
}

RooflinePoint made_point(const std::string& label, double ms, double gflop, double megabytes) {
  RooflinePoint point{.label = label, .time = Seconds{ms / 1e3}};
  point.flop[index_of(ComputePath::Fp32)] = Flop{gflop * 1e9};
  point.bytes[index_of(MemoryLevel::Dram)] = Bytes{megabytes * 1e6};
  point.by_shapes = true;
  return point;
}

RooflineRun made_run(const std::string& label) {
  RooflineRun run{
      .set = {.label = label,
              .source = "shapes",
              .ceilings = made_ceilings(),
              .points = {made_point("aten::mm", 8, 40, 100), made_point("aten::mm", 2, 10, 100),
                         made_point("aten::add", 1, 0.1, 900)},
              .step = StepFacts{.clock = Seconds{11e-3}, .mfu = 0.4, .hfu = 0.5}}};
  run.groups = grouped(run.set.points, PointGrouping::Kernel);
  return run;
}

std::string text_of(const std::filesystem::path& file) { return read_file(file, Bytes{1e8}); }

TEST(RooflineFilesTest, OneSettingHasPlainNamesAndItsPointsAreReadAgain) {
  const TemporaryFolder folder;
  (void)write_roofline(folder.path(), {made_run("resnet18 cpu fp32")}, made_ceilings(),
                       {MemoryLevel::Dram});
  const PointSet again = read_points(folder.path() / "points.json");
  EXPECT_EQ(again.label, "resnet18 cpu fp32");
  ASSERT_EQ(again.points.size(), 3U);
  EXPECT_TRUE(again.points.front().by_shapes);
  EXPECT_EQ(read_points(folder.path() / "summary.txt").points.size(), 1U);
  EXPECT_THAT(text_of(folder.path() / "points.csv"), HasSubstr("shapes"));
  EXPECT_THAT(text_of(folder.path() / "report.md"),
              HasSubstr("MFU 40.0 %, HFU 50.0 % of the step of 11.00 ms on the clock (FLOPs by "
                        "shapes, not counted)."));
  EXPECT_THAT(text_of(folder.path() / "report.html"), HasSubstr("Roofline of resnet18 cpu fp32"));
}

TEST(RooflineFilesTest, TheSummaryOfACountedRunIsOfItsKernels) {
  const TemporaryFolder folder;
  RooflineRun run = made_run("counted");
  run.totals = {.fadd = 3e6, .dram_read = Bytes{2e9}, .dram_write = Bytes{1e9}};
  (void)write_roofline(folder.path(), {run}, made_ceilings(), {MemoryLevel::Dram});
  const std::string text = text_of(folder.path() / "summary.txt");
  EXPECT_THAT(text, HasSubstr("Total fadd instructions : 3.000e+06"));
  EXPECT_THAT(text, HasSubstr("Total DRAM bytes read   : 2.000e+09"));
  EXPECT_THAT(text, HasSubstr("Total DRAM bytes total  : 3.000e+09"));
}

TEST(RooflineFilesTest, SeveralSettingsHaveFilesOfTheirOwnAlsoWhenTheyShareALabel) {
  const TemporaryFolder folder;
  (void)write_roofline(folder.path(), {made_run("a, fp32"), made_run("a, bf16")}, made_ceilings(),
                       {MemoryLevel::Dram});
  EXPECT_TRUE(exists(folder.path() / "points-a-fp32.json"));
  EXPECT_TRUE(exists(folder.path() / "summary-a-bf16.txt"));
  EXPECT_THAT(text_of(folder.path() / "report.html"), HasSubstr("\"showarrow\":true"));
  const TemporaryFolder same;
  (void)write_roofline(same.path(), {made_run("../x"), made_run("x")}, made_ceilings(),
                       {MemoryLevel::Dram});
  EXPECT_TRUE(exists(same.path() / "points-x-2.json"));
}

TEST(RooflineFilesTest, PageAndPicturesAreMadeAgainFromThePoints) {
  const TemporaryFolder folder;
  std::vector<RooflineRun> runs{made_run("b, fp32"), made_run("a, bf16")};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].set.step->setting = static_cast<int>(i) + 1;
    runs[i].set.step->levels = {MemoryLevel::Dram};
  }
  (void)write_roofline(folder.path(), runs, made_ceilings(), {MemoryLevel::Dram});
  const std::string page = text_of(folder.path() / "report.html");
  const std::string markdown = text_of(folder.path() / "report.md");
  for (const char* name : {"report.html", "report.md", "roofline.png"})
    std::filesystem::remove(folder.path() / name);
  const auto again = read_roofline(folder.path());
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(again[0].set.label, "b, fp32") << "in the order in which they were measured";
  EXPECT_EQ(again[0].set.step->levels, std::vector{MemoryLevel::Dram});
  (void)draw_runs(folder.path(), again, again[0].set.ceilings, again[0].set.step->levels);
  EXPECT_EQ(text_of(folder.path() / "report.html"), page);
  EXPECT_EQ(text_of(folder.path() / "report.md"), markdown);
  std::filesystem::remove(folder.path() / "points-a-bf16.json");
  std::filesystem::remove(folder.path() / "points-b-fp32.json");
  EXPECT_THROW((void)read_roofline(folder.path()), Error);
}

TEST(RooflineFilesTest, ALevelThatNobodyCountedHasNoPictureAndThatIsSaid) {
  const TemporaryFolder folder;
  const auto problems = write_roofline(folder.path(), {made_run("a")}, made_ceilings(),
                                       {MemoryLevel::Dram, MemoryLevel::L2});
  EXPECT_THAT(problems, testing::Contains(HasSubstr("no picture by L2")));
}

TEST(RooflineFilesTest, TheSentenceJudgesFinePointsAndNotTheirSums) {
  // mm at 5 ms of 10 and add at 0.9 ms of 1: 5.9 ms at best.
  EXPECT_THAT(run_sentence(made_run("a"), made_ceilings()),
              HasSubstr("took 11.00 ms and could take 5.90 ms at best"));
}

}  // namespace
}  // namespace ridgeline
