#include "cli/roofline_points.h"

#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/roofline_notes.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "profile/made_ops.h"
#include "report/roofline_page.h"
#include "report/roofline_scene.h"
#include "report/roofline_tables.h"
#include "roofline/counters.h"
#include "roofline/datasheet.h"
#include "roofline/point_source.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;
using ridgeline::testing::kSmallMm;
using ridgeline::testing::MadeOps;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kRefusal = "the driver permits hardware counters to administrators only";

class IdleWorkload final : public Workload {
 public:
  StepTimes step() override { return {}; }
  [[nodiscard]] MemoryUse memory() const override { return {}; }
  void reset_peak_memory() override {}
  void activate() override {}
  void grow_memory(Bytes) override {}
  void keep_state() override {}
  void restore_state() override {}
};

// What a device would have counted.
class MadeCounters final : public DeviceCounters {
 public:
  explicit MadeCounters(CounterReadings readings) : readings_(std::move(readings)) {}
  [[nodiscard]] std::size_t passes() const override { return 1; }
  void begin_pass() override {}
  bool end_pass() override { return false; }
  [[nodiscard]] CounterReadings finish() override { return readings_; }

 private:
  CounterReadings readings_;
};

CounterSource made(const CounterReadings& readings) {
  return [readings](const CounterOptions&) { return std::make_unique<MadeCounters>(readings); };
}

CounterSource refusing(Fault fault = Fault::Device) {
  return [fault](const CounterOptions&) -> std::unique_ptr<DeviceCounters> {
    throw Error(fault, kRefusal);
  };
}

// Every counter of two products: the same number.
CounterReadings readings_of(double first, double second) {
  CounterReadings readings{.metrics = roofline_counters(), .passes = 7};
  const std::size_t each = readings.metrics.size();
  readings.kernels = {{.name = "gemm", .values = std::vector<double>(each, first)},
                      {.name = "gemm", .values = std::vector<double>(each, second)}};
  return readings;
}

// A recorded step of two products on a GPU.
class RooflinePointsTest : public ::testing::Test {
 protected:
  RooflinePointsTest() {
    for (int i = 0; i < 2; ++i)
      made_.kernel("gemm", made_.frame("aten::mm", kSmallMm, 1, 1'000), 20'000);
    spec_.settings.device = {.kind = DeviceKind::Cuda};
  }
  RooflineRun run(const CounterSource& source, const RooflineRequest& request = {}) {
    return roofline_of_recording({.spec = spec_,
                                  .recording = made_.recording,
                                  .workload = workload_,
                                  .step = Seconds{1},
                                  .product = product_,
                                  .no_product = no_product_},
                                 request, ceilings_, source);
  }
  Ceilings ceilings_ = datasheet("H200");
  std::optional<FlopPerSecond> product_{};
  std::optional<std::string> no_product_{};

 private:
  MadeOps made_;
  IdleWorkload workload_;
  RowSpec spec_ = [] {
    RowSpec spec;
    spec.model = TransformerSpec{.label = "small"};
    return spec;
  }();
};

TEST_F(RooflinePointsTest, CountersSayWhichCachesTheyCounted) {
  for (const CacheControl cache : {CacheControl::None, CacheControl::All}) {
    std::optional<CacheControl> asked;
    const RooflineRun counted = run(
        [&](const CounterOptions& options) {
          asked = options.cache;
          return made(readings_of(10, 10))(options);
        },
        {.cache = cache});
    const std::string word(name_of(cache));
    EXPECT_EQ(asked, cache);
    EXPECT_EQ(counted.set.cache, cache);
    EXPECT_THAT(counted.set.source, HasSubstr("cache control " + word));
    EXPECT_THAT(counted.set.notes, Contains(HasSubstr("--cache-control " + word)));
    EXPECT_EQ(nlohmann::json::parse(points_json(counted.set))["cache_control"], word);
    EXPECT_THAT(roofline_csv(counted.groups, ceilings_, counted.set).rows[0], Contains(word));
    EXPECT_THAT(make_scene({counted.set}, ceilings_, {}).subtitle, HasSubstr("control " + word));
  }
}

TEST_F(RooflinePointsTest, UtilisationsAreOfTheProductWhateverTheRoof) {
  product_ = FlopPerSecond{1e30};
  const RooflineRun of_roof = run(refusing());
  product_ = FlopPerSecond{5e29};
  const RooflineRun of_product = run(refusing());
  EXPECT_DOUBLE_EQ(*of_product.set.step->mfu, 2 * *of_roof.set.step->mfu);
  EXPECT_DOUBLE_EQ(*of_product.set.step->hfu, 2 * *of_roof.set.step->hfu);
}

TEST_F(RooflinePointsTest, AUtilisationBeyondThePeakIsNone) {
  product_ = FlopPerSecond{1e3};
  const RooflineRun absurd = run(refusing());
  EXPECT_FALSE(absurd.set.step->mfu);
  EXPECT_FALSE(absurd.set.step->hfu);
  EXPECT_THAT(absurd.set.notes, Contains(HasSubstr("that peak is too low")));
}

TEST(RooflineNotesTest, APeakThatWasGivenIsNotBlamedOnABusyMachine) {
  RooflinePoint fast{.label = "aten::mm", .time = Seconds{1e-3}};
  fast.flop[index_of(ComputePath::Fp32)] = Flop{2e9};
  Ceilings ceilings{.machine = "box", .source = "peaks given by flags"};
  ceilings.set(ComputePath::Fp32, FlopPerSecond{1e12});
  EXPECT_THAT(low_peak_note({fast}, ceilings).value(),
              AllOf(HasSubstr("mm ran at 200 %"), HasSubstr("given"), Not(HasSubstr("busy"))));
  ceilings.compute_interval[index_of(ComputePath::Fp32)] = {.low = 1e12, .high = 1e12};
  EXPECT_THAT(low_peak_note({fast}, ceilings).value(), HasSubstr("--refresh"));
  EXPECT_THAT(beyond_peak_note({.mfu = 2}, false).value(), Not(HasSubstr("busy")));
  EXPECT_THAT(beyond_peak_note({.mfu = 2}, true).value(), HasSubstr("busy"));
}

TEST(RooflineNotesTest, TimesThatTheRecorderStretchedAreTold) {
  const std::vector<RooflinePoint> points{{.label = "mm", .time = Seconds{20e-3}},
                                          {.label = "relu", .time = Seconds{16e-3}}};
  EXPECT_THAT(watched_note(points, Seconds{17e-3}).value(),
              AllOf(HasSubstr("36.00 ms"), HasSubstr("17.00 ms")));
  EXPECT_FALSE(watched_note(points, Seconds{31e-3}));
  EXPECT_FALSE(watched_note(points, Seconds{0}));
}

TEST_F(RooflinePointsTest, WithoutAProductThereAreNoUtilisationsOfAnotherRoof) {
  EXPECT_TRUE(run(refusing()).set.step->mfu);
  no_product_ = "the machine was busy";
  const RooflineRun blind = run(refusing());
  EXPECT_FALSE(blind.set.step->mfu);
  EXPECT_FALSE(blind.set.step->hfu);
  EXPECT_THAT(blind.set.notes, Contains(HasSubstr("No MFU and no HFU")));
}

TEST_F(RooflinePointsTest, PeaksOfABusyMachineAreNamedInEveryOutput) {
  EXPECT_THAT(run(refusing()).set.notes, Each(Not(HasSubstr("was busy"))));
  ceilings_.bandwidth_interval[index_of(MemoryLevel::Dram)] = {
      .low = 0.7 * 4.8e12, .high = 5e12, .steady = false};
  const RooflineRun busy = run(refusing());
  EXPECT_THAT(busy.set.notes, Contains(HasSubstr("DRAM (± 30.0 %)")));
  EXPECT_FALSE(
      nlohmann::json::parse(points_json(busy.set))["ceilings"]["intervals"]["DRAM"]["steady"]);
  const Page page = roofline_page({make_scene({busy.set}, ceilings_, {})}, {busy.set}, ceilings_);
  EXPECT_THAT(page.sections.back().body, HasSubstr("± 30.0 % (busy)"));
}

TEST_F(RooflinePointsTest, ARefusalIsSaidAndMarksEveryNumber) {
  const RooflineRun fallback = run(refusing());
  EXPECT_THAT(fallback.set.notes, Contains(AllOf(HasSubstr("not counted"), HasSubstr(kRefusal))));
  EXPECT_THAT(fallback.set.source, HasSubstr("shapes"));
  EXPECT_FALSE(fallback.set.cache.has_value());
  EXPECT_THAT(run_sentence(fallback, ceilings_), HasSubstr("by shapes, not counted"));
  const auto json = nlohmann::json::parse(points_json(fallback.set));
  EXPECT_FALSE(json.contains("cache_control"));
  for (const auto& point : json["points"]) EXPECT_EQ(point["counted_by"], "shapes");
  const ReaderTable table = roofline_table(fallback.groups, ceilings_, {});
  EXPECT_EQ(table.columns[5].title, "Least FLOP");
  EXPECT_EQ(table.columns[6].title, "Least DRAM");
  const RooflineScene scene = make_scene({fallback.set}, ceilings_, {});
  EXPECT_THAT(scene.subtitle, HasSubstr("from shapes"));
  for (const RooflineDot& dot : scene.dots) EXPECT_THAT(dot.facts, Contains(HasSubstr("shapes")));
}

TEST_F(RooflinePointsTest, ARefusalIsInEveryFileOfTheRunFolder) {
  const fs::path folder = fs::path(::testing::TempDir()) / "refused_counters";
  fs::create_directories(folder);
  (void)write_roofline(folder, {run(refusing())}, ceilings_, {MemoryLevel::Dram});
  const auto text = [&](const char* name) { return read_file(folder / name, Bytes{1e8}); };
  EXPECT_THAT(text("points.json"), HasSubstr(R"("counted_by": "shapes")"));
  EXPECT_THAT(text("points.csv"), AllOf(HasSubstr(",shapes,"), Not(HasSubstr(",counters"))));
  EXPECT_THAT(text("summary.txt"), HasSubstr("shapes"));
  EXPECT_THAT(read_points(folder / "summary.txt").points,
              Each(::testing::Field(&RooflinePoint::by_shapes, true)));
  for (const char* const name : {"report.md", "report.html"})
    EXPECT_THAT(text(name), AllOf(HasSubstr(kRefusal), HasSubstr("Least FLOP"))) << name;
  fs::remove_all(folder);
}

TEST_F(RooflinePointsTest, WhoWantsCountersOnlyGetsTheRefusal) {
  EXPECT_THROW((void)run(refusing(), {.counters = CounterUse::On}), Error);
  EXPECT_THROW((void)run(refusing(Fault::Memory)), Error) << "what is out of memory is not refused";
  EXPECT_THAT(run(refusing(), {.counters = CounterUse::Off}).set.notes,
              Contains(HasSubstr("--counters off")));
}

TEST_F(RooflinePointsTest, ADroppedPassIsNoSmallerNumber) {
  CounterReadings readings = readings_of(10, 10);
  readings.dropped = 1;
  const RooflineRun fallback = run(made(readings));
  EXPECT_THAT(fallback.set.notes, Contains(HasSubstr("1 kernels were dropped")));
  for (const RooflinePoint& point : fallback.set.points) EXPECT_TRUE(point.by_shapes);
}

TEST_F(RooflinePointsTest, ACounterThatOverflowedLeavesItsKernelToTheShapes) {
  for (const double wrong : {std::nan(""), -1.0, 0x1p63}) {
    CounterReadings readings = readings_of(10, 10);
    readings.kernels[1].values[0] = wrong;
    const RooflineRun counted = run(made(readings));
    EXPECT_THAT(counted.set.notes, Contains(HasSubstr("1 kernels have no whole set of counters")));
    EXPECT_FALSE(counted.set.points[0].by_shapes);
    EXPECT_TRUE(counted.set.points[1].by_shapes);
    EXPECT_EQ(counted.set.points[1].total_flop().count, 60);
    ASSERT_EQ(counted.groups.size(), 1);
    EXPECT_TRUE(counted.groups[0].partly_by_shapes);
    const ReaderTable table = roofline_table(counted.groups, ceilings_, {});
    EXPECT_THAT(table.rows[0][5], HasSubstr("≥"));
    EXPECT_THAT(table.rows[0][6], HasSubstr("≥"));
    EXPECT_THAT(roofline_csv(counted.groups, ceilings_, {}).rows[0],
                Contains("counters and shapes"));
  }
}

TEST_F(RooflinePointsTest, CountersThatAChipHasNotAreNamed) {
  CounterReadings readings = readings_of(10, 10);
  readings.unsupported = {"sm__ops_path_tensor_src_fp64.sum"};
  EXPECT_THAT(run(made(readings)).set.notes,
              Contains(HasSubstr("sm__ops_path_tensor_src_fp64.sum")));
}

TEST_F(RooflinePointsTest, ARunThatFellBackBesideOneThatDidNotIsMarkedInThePicture) {
  const RooflineRun counted = run(made(readings_of(10, 10)));
  const RooflineRun fallback = run(refusing());
  const RooflineScene scene = make_scene({counted.set, fallback.set}, ceilings_, {.compare = true});
  EXPECT_THAT(scene.sets[0], HasSubstr("cache control none"));
  EXPECT_THAT(scene.sets[1], HasSubstr("from shapes"));
}

TEST(RooflineWordsTest, ProductsAreHeldToTheUnitThatRunsTheirPrecision) {
  EXPECT_EQ(product_path_of(Precision::Fp32), ComputePath::Fp32);
  EXPECT_EQ(product_path_of(Precision::Tf32), ComputePath::TensorTf32);
  EXPECT_EQ(product_path_of(Precision::Fp16), ComputePath::TensorFp16);
  EXPECT_EQ(product_path_of(Precision::Bf16), ComputePath::TensorBf16);
  EXPECT_EQ(product_path_of(Precision::Bf16Pure), ComputePath::TensorBf16);
}

TEST(RooflineWordsTest, UnknownUsesOfCountersAndCachesAreRefused) {
  EXPECT_EQ(parse_counter_use("off"), CounterUse::Off);
  EXPECT_THROW((void)parse_counter_use("of"), Error);
  EXPECT_EQ(parse_cache_control("all"), CacheControl::All);
  EXPECT_THROW((void)parse_cache_control("cold"), Error);
}

}  // namespace
}  // namespace ridgeline
