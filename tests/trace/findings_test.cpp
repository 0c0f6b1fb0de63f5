#include "trace/findings.h"

#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/bound.h"
#include "trace/made_facts.h"

namespace ridgeline {
namespace {

using testing::bare;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::op;
using testing::with_communication;
using testing::with_limits;
using testing::with_ops;

ProfileFacts with_memory(const MemoryFacts& memory) {
  ProfileFacts facts = bare();
  facts.memory = memory;
  return facts;
}

ProfileFacts with_busy(double busy) {
  ProfileFacts facts = bare();
  facts.busy = busy;
  return facts;
}

ProfileFacts with_kernels(const KernelFacts& kernels) {
  ProfileFacts facts = bare();
  facts.kernels = kernels;
  return facts;
}

ProfileFacts with_data(double wait) {
  ProfileFacts facts = bare();
  facts.data = DataFacts{.wait = Seconds{wait}, .compute = Seconds{0.1 - wait}};
  return facts;
}

ProfileFacts with_driver(const DriverFacts& driver) {
  ProfileFacts facts = bare();
  facts.driver = driver;
  return facts;
}

ProfileFacts with_waits(const WaitFacts& waits) {
  ProfileFacts facts = bare();
  facts.waits = waits;
  return facts;
}

ProfileFacts with_missing(std::vector<std::string> missing) {
  ProfileFacts facts = bare();
  facts.missing = std::move(missing);
  return facts;
}

ProfileFacts with_unseen_launches(double launches) {
  ProfileFacts facts = bare();
  facts.unseen_launches = launches;
  return facts;
}

ProfileFacts with_absent_peaks(std::vector<std::string> reasons) {
  ProfileFacts facts = bare();
  facts.absent_peaks = std::move(reasons);
  return facts;
}

struct Pair {
  ProfileFacts speaks;
  ProfileFacts silent;
  std::string says;  // a part of the sentence
};

std::map<std::string_view, Pair> make_pairs() {
  ProfileFacts copies = bare();
  copies.to_device =
      CopyFacts{.time = Seconds{0.01}, .merged = Seconds{0.01}, .bytes = Bytes{2e8}, .count = 2};
  ProfileFacts no_copies = bare();
  no_copies.to_device = CopyFacts{};
  ProfileFacts costly = bare();
  costly.cost =
      ProfilingCost{.time_ratio = 1.08, .low = 1.05, .high = 1.12, .memory = Bytes{1 << 20}};
  const auto grown = [](double before, double after) {
    ProfileFacts facts =
        with_memory({.before_forward = Bytes{before}, .after_forward = Bytes{after}});
    facts.runs_backward = true;
    return facts;
  };
  return {
      {"top-operations",
       {with_ops({op("aten::mm", 0.06), op("aten::add", 0.03), op("aten::sum", 0.008),
                  op("aten::mul", 0.002)}),
        bare(), "aten::mm (60.0 %, 60.00 ms a step), aten::add (30.0 %"}},
      {"shares",
       {with_ops({op("aten::mm", 0.03), op("aten::mul", 0.01)}), with_ops({op("aten::mm", 0)}),
        "matrix products 75.0 %, elementwise 25.0 %"}},
      {"attention",
       {with_ops({op("aten::scaled_dot_product_attention", 0.04), op("aten::mm", 0.06)}),
        with_ops({op("aten::scaled_dot_product_attention", 0.01), op("aten::mm", 0.09)}),
        "Attention dominates: 40.0 %"}},
      {"products",
       {with_ops({op("aten::mm", 0.03), op("aten::convolution", 0.03), op("aten::add", 0.04)}),
        with_ops({op("aten::mm", 0.02), op("aten::add", 0.08)}), "60.0 %"}},
      {"kernels",
       {with_kernels({.count = 320, .distinct = 45, .median = Seconds{4e-6}}), with_kernels({}),
        "320 kernels a step, 45 distinct in all"}},
      {"small-kernels",
       {with_kernels({.count = 100, .distinct = 9, .short_ones = 70}),
        with_kernels({.count = 100, .distinct = 9, .short_ones = 20}), "70 of 100 a step (70 %)"}},
      {"utilisation", {with_busy(0.45), bare(), "low: the device worked 45.0 %"}},
      {"communication",
       {with_communication(0.03, 0.015), with_communication(0.001, 0.001),
        "30.00 ms a step (30.0 % of it, 12 kernels or calls); 50.0 % of that runs while nothing "
        "is computed: 15.00 ms, 15.0 % of the step."}},
      {"held-clocks",
       {with_driver({.utilisation = 0.9,
                     .sm_clock_mhz = 1410,
                     .power_w = 698,
                     .throttle_reasons = {"power cap"}}),
        with_driver({.utilisation = 0.9, .sm_clock_mhz = 1980}),
        "power cap; SM clock 1410 MHz, 698 W."}},
      {"host-waits",
       {with_waits({.held = Seconds{0.01}, .held_count = 2, .op = "aten::item"}),
        with_waits({.op = "aten::item"}),
        "2.0 times, 10.00 ms (10.0 % of it), most of it in aten::item"}},
      {"data", {with_data(0.025), bare(), "25.0 % of a step"}},
      {"copies-to-device", {copies, no_copies, "20.0 GB/s"}},
      {"copies-between-ops",
       {with_ops({op("aten::copy_", 0.01), op("aten::mm", 0.09)}),
        with_ops({op("aten::copy_", 0.001), op("aten::mm", 0.099)}), "10.0 %"}},
      {"memory-peak",
       {with_memory({.peak = Bytes{4e9},
                     .phase = "backward",
                     .module = "layers.3",
                     .activations = Bytes{3e9},
                     .inputs = Bytes{1e6},
                     .other = Bytes{4e8}}),
        with_memory({}), "in the backward of layers.3: activations 75 %, not known 10 %."}},
      {"peak-in-attention",
       {with_memory({.peak = Bytes{1}, .op = "aten::_scaled_dot_product_flash_attention"}),
        with_memory({.peak = Bytes{1}, .op = "aten::mm"}), "attention"}},
      {"memory-growth", {grown(1e9, 3e9), grown(1e9, 1.05e9), "grows in the forward"}},
      {"small-allocations",
       {with_memory({.allocations = 900, .small_allocations = 600}),
        with_memory({.allocations = 900, .small_allocations = 100}), "600 of 900"}},
      {"fragmentation",
       {with_memory({.peak = Bytes{6e9}, .reserved = Bytes{1e10}}),
        with_memory({.peak = Bytes{9.5e9}, .reserved = Bytes{1e10}}), "(40 %)"}},
      {"memory-spikes",
       {with_memory({.peak = Bytes{1e9}, .temporaries = Bytes{3e8}}),
        with_memory({.peak = Bytes{1e9}, .temporaries = Bytes{1e8}}), "(30 %)"}},
      {"mfu", {with_limits(4e12, 1), bare(), "MFU is 40.0 % (good, 40 to 60 %)"}},
      {"surpassed-peak",
       {with_limits(160e12, 1), with_limits(8e12, 1),
        "100.00 TFLOP/s, is less than the 1600.00 TFLOP/s that the step reaches"}},
      {"incomplete-trace",
       {with_missing({"it was not read to its end", "7 ops are beyond its limit"}), bare(),
        "only a part: it was not read to its end, 7 ops are beyond its limit. What"}},
      {"unseen-device", {with_unseen_launches(77), bare(), "(77 launches a step) and none of it"}},
      {"absent-peaks",
       {with_absent_peaks({"the interval of the fp32 peak is 34 % wide", "the copy peak has none"}),
        with_limits(8e12, 1),
        "known: the interval of the fp32 peak is 34 % wide; the copy peak has none. MFU"}},
      {"bound", {with_limits(8e12, 1e9), bare(), "bound by compute"}},
      {"fusion",
       {with_ops({op("aten::mul", 0.05), op("aten::mm", 0.05)}), with_ops({op("aten::mm", 0.1)}),
        "at most 2.00x"}},
      {"profiling-cost", {costly, bare(), "1.08x as long; it took 1.00 MiB"}},
  };
}

TEST(FindingsTest, ThePeakFallsIntoAttentionAlsoWhenAPlainOpAllocatedThere) {
  const auto says = [](const std::string& module) {
    const auto found =
        findings_of(with_memory({.peak = Bytes{1}, .module = module, .op = "aten::empty"}));
    return std::ranges::any_of(found, [](const Finding& finding) {
      return finding.text.find("falls into attention") != std::string::npos;
    });
  };
  EXPECT_TRUE(says("layers.3.attn"));
  EXPECT_TRUE(says("blocks.0.attention.wq"));
  EXPECT_FALSE(says("layers.3.ffn"));
  EXPECT_FALSE(says("blocks.0.attention_norm"));
}

TEST(FindingsTest, SharesByModuleStandBesideThoseByOpWhereTheyDiffer) {
  ProfileFacts facts = with_ops({op("aten::scaled_dot_product_attention", 0.01),
                                 op("aten::mm", 0.06), op("aten::mul", 0.03)});
  const auto says = [&](std::string_view id) {
    for (const Finding& finding : findings_of(facts))
      if (finding.id == id) return finding.text;
    return std::string();
  };
  EXPECT_THAT(says("shares"), Not(HasSubstr("By module")));
  EXPECT_EQ(says("attention"), "");
  facts.modules = ModuleShares{.attention = 0.1, .normalisation = 0.2};
  EXPECT_THAT(says("shares"), HasSubstr("elementwise 30.0 %. By module: normalisation 20.0 %."));
  facts.modules->attention = 0.4;
  EXPECT_THAT(says("shares"), HasSubstr("By module: attention with its projections 40.0 %, norm"));
  EXPECT_THAT(says("attention"), HasSubstr("40.0 % of the time in ops is within its modules"));
  EXPECT_THAT(says("attention"), HasSubstr("10.0 % is attention itself"));
}

TEST(FindingsTest, AnOpOfTwoKindsIsOneOfTheTopOperations) {
  ProfileFacts facts = with_ops({op("aten::mm", 0.03), op("aten::mm", 0.03), op("a", 0.04)});
  facts.ops.front().kind = OpKind::Attention;
  EXPECT_THAT(findings_of(facts).front().text,
              HasSubstr("Top 2 operations by device time: aten::mm (60.0 %"));
}

TEST(FindingsTest, ThreadsThatAreLeftOutAreSaidToBe) {
  ProfileFacts facts = with_ops({op("aten::mm", 0.03)});
  EXPECT_THAT(findings_text(facts), Not(HasSubstr("other threads")));
  facts.leaves_threads_out = true;
  EXPECT_THAT(findings_text(facts), HasSubstr("What other threads ran beside the step is in the"));
}

TEST(FindingsTest, TheDriversFigureStandsBesideBusyTimeOrIsAbsentWithAReason) {
  const auto says = [](const DriverFacts& driver) {
    ProfileFacts facts = with_busy(0.45);
    facts.driver = driver;
    return findings_of(facts).at(0).text;
  };
  EXPECT_THAT(says({.utilisation = 0.97}), HasSubstr("(NVML) says 97 %: the part of its sampling"));
  EXPECT_THAT(says({.why_absent = "too short"}), HasSubstr("is absent: too short."));
  EXPECT_THAT(findings_of(with_busy(0.45)).at(0).text, Not(HasSubstr("NVML")));
}

TEST(FindingRulesTest, EachSpeaksWhereItShouldAndIsSilentWhereNot) {
  const auto pairs = make_pairs();
  for (const Rule& rule : finding_rules()) {
    SCOPED_TRACE(rule.id);
    const auto pair = pairs.find(rule.id);
    ASSERT_NE(pair, pairs.end()) << "a rule without a test";
    EXPECT_THAT(rule.says(pair->second.speaks).value_or("nothing"), HasSubstr(pair->second.says));
    EXPECT_EQ(rule.says(pair->second.silent), std::nullopt);
  }
  EXPECT_EQ(pairs.size(), finding_rules().size());
}

TEST(FindingRulesTest, NothingIsSaidOfNothing) {
  EXPECT_TRUE(findings_of({}).empty());
  EXPECT_EQ(findings_text({}), "");
}

TEST(FindingRulesTest, TheIdsDiffer) {
  std::vector<std::string_view> ids;
  for (const Rule& rule : finding_rules()) ids.push_back(rule.id);
  std::ranges::sort(ids);
  EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());
}

TEST(FindingsTest, ATraceWithoutStepsIsNotToldByTheStep) {
  ProfileFacts facts = with_ops({op("aten::mm", 0.06), op("aten::mul", 0.02)});
  facts.marks_steps = false;
  facts.busy = 0.137;
  facts.kernels = KernelFacts{.count = 320, .distinct = 45, .short_ones = 300};
  facts.to_device = CopyFacts{.time = Seconds{0.01}, .bytes = Bytes{2e8}, .count = 2};
  facts.communication = CommunicationFacts{.time = Seconds{0.01}, .count = 2};
  const std::string text = findings_text(facts);
  EXPECT_THAT(text, Not(HasSubstr("ms a step")));
  EXPECT_THAT(text, Not(HasSubstr("of the step")));
  EXPECT_THAT(text, HasSubstr("worked 13.7 % of the trace"));
  EXPECT_THAT(text, HasSubstr("what binds a step is not known"));
  EXPECT_FALSE(bound_of(facts)) << "start-up waits for no launch";
  EXPECT_THAT(text, Not(HasSubstr("fewer launches")));
}

TEST(FindingsTest, OfSeveralDevicesTheBusiestIsNamedAsSuch) {
  ProfileFacts facts = with_busy(0.9);
  facts.other_devices = OtherDevices{.devices = 4, .least_busy = 0.12};
  EXPECT_THAT(findings_of(facts).at(0).text,
              HasSubstr("the busiest of 4 devices worked 90.0 % of the step (90.00 ms of 100.00 "
                        "ms), the least busy 12.0 %."));
}

TEST(FindingsTest, BytesThatNobodyToldAreNotZero) {
  ProfileFacts facts = bare();
  facts.to_device = CopyFacts{.time = Seconds{0.01}, .merged = Seconds{0.01}, .count = 2};
  const std::string text = findings_of(facts).at(0).text;
  EXPECT_THAT(text, HasSubstr("2 a step, 10.00 ms (10.0 % of the step); how many bytes is not"));
  EXPECT_THAT(text, Not(HasSubstr("GB/s")));
}

TEST(FindingsTextTest, EndsInTheThreeTargetsThatWinMost) {
  ProfileFacts facts = with_ops({op("aten::mul", 0.02), op("aten::mm", 0.03),
                                 op("aten::scaled_dot_product_attention", 0.01)});
  facts.busy = 0.6;
  const std::string text = findings_text(facts);
  EXPECT_THAT(text, HasSubstr("Top 3 optimization targets"));
  EXPECT_THAT(text, HasSubstr("1. fewer launches, larger batch"));
  EXPECT_THAT(text, HasSubstr("2. kernel fusion"));
  EXPECT_THAT(text, HasSubstr("3. flash attention"));
  EXPECT_THAT(text, HasSubstr("at most 1.67x"));
}

TEST(FindingsTest, NamesOfOtherPeoplesFilesSteerNoTerminalAndStayShort) {
  const std::string hostile = "gemm\x1b[31m\r\xff" + std::string(5'000'000, 'x');
  ProfileFacts facts = with_ops({op(hostile, 0.06), op("müller", 0.03)});
  facts.waits = WaitFacts{.held = Seconds{0.01}, .held_count = 1, .op = hostile};
  facts.memory =
      MemoryFacts{.peak = Bytes{100}, .phase = "forward", .module = hostile, .op = hostile};
  const std::string text = findings_text(facts);
  EXPECT_LT(text.size(), 5000);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(text.find('\xff'), std::string::npos);
  EXPECT_THAT(text, HasSubstr("gemm [31m"));
  EXPECT_THAT(text, HasSubstr("müller"));
}

}  // namespace
}  // namespace ridgeline
