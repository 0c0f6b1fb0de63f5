#include "core/cpu.h"

#include <gmock/gmock.h>

#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Two packages of one core with two threads each.
constexpr const char* kIntel =
    "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Some Xeon: fast\nphysical id\t: 0\n"
    "core id\t\t: 0\nflags\t\t: fpu sse4_2 avx avx2 fma amx_bf16 avx512_bf16\n\n"
    "processor\t: 1\nmodel name\t: Another\nphysical id\t: 0\ncore id\t\t: 0\n\n"
    "processor\t: 2\nphysical id\t: 1\ncore id\t\t: 0\n\n"
    "processor\t: 3\nphysical id\t: 1\ncore id\t\t: 0\n";

TEST(CpuTest, CoresAreCountedAcrossPackages) {
  const CpuFacts facts = parse_cpuinfo(kIntel);
  EXPECT_EQ(facts.model, "Some Xeon: fast");
  EXPECT_EQ(facts.vendor, "GenuineIntel");
  EXPECT_EQ(facts.logical_cores, 4);
  EXPECT_EQ(facts.physical_cores, 2);
  EXPECT_THAT(facts.isa, ElementsAre("sse4.2", "avx", "avx2", "fma", "avx512_bf16", "amx_bf16"));
}

TEST(CpuTest, ArmNamesFeaturesAndNoCores) {
  const CpuFacts facts = parse_cpuinfo(
      "processor : 0\nFeatures : fp asimd asimdhp sve bf16\nCPU implementer : 0x41\n"
      "processor : 1\nFeatures : fp asimd\n");
  EXPECT_EQ(facts.physical_cores, 2);
  EXPECT_EQ(facts.vendor, "0x41");
  EXPECT_THAT(facts.isa, ElementsAre("neon", "fp16", "sve", "bf16"));
}

TEST(CpuTest, NonsenseMakesNoFacts) {
  const CpuFacts facts = parse_cpuinfo("\n:::\nflags\nprocessor\n");
  EXPECT_EQ(facts.logical_cores, 0);
  EXPECT_THAT(facts.isa, IsEmpty());
}

TEST(CpuTest, CacheSizesHaveUnits) {
  EXPECT_EQ(parse_cache_size("48K\n"), Bytes{48 * 1024});
  EXPECT_EQ(parse_cache_size("2M"), Bytes{2 * 1024 * 1024});
  EXPECT_EQ(parse_cache_size("512"), Bytes{512});
  EXPECT_EQ(parse_cache_size("2X"), std::nullopt);
  EXPECT_EQ(parse_cache_size("K"), std::nullopt);
  EXPECT_EQ(parse_cache_size("99999999999999999999K"), std::nullopt);
}

TEST(CpuTest, GovernorAndCachesComeFromSysfsWhenThere) {
  const TemporaryFolder root;
  root.put("proc/cpuinfo", kIntel);
  const std::string cpu = "sys/devices/system/cpu/cpu0/";
  root.put(cpu + "cpufreq/scaling_governor", "powersave\n");
  root.put(cpu + "cache/index0/level", "1\n");
  root.put(cpu + "cache/index0/size", "48K\n");
  root.put(cpu + "cache/index1/level", "2\n");
  root.put(cpu + "cache/index1/type", "Unified\n");
  root.put(cpu + "cache/index1/size", "2048K\n");
  const CpuFacts facts = read_cpu_facts(root.path());
  EXPECT_EQ(facts.governor, "powersave");
  EXPECT_EQ(facts.l2, Bytes{2048 * 1024});
  EXPECT_EQ(facts.l3, std::nullopt);
}

TEST(CpuTest, Bf16AndFp16AreComputedWhereTheInstructionsAre) {
  const auto cpu_with = [](const char* extension) { return CpuFacts{.isa = {"avx2", extension}}; };
  for (const char* extension : {"avx512_bf16", "amx_bf16", "bf16"}) {
    EXPECT_TRUE(computes_in_bf16(cpu_with(extension))) << extension;
    EXPECT_FALSE(computes_in_fp16(cpu_with(extension))) << extension;
  }
  for (const char* extension : {"avx512_fp16", "amx_fp16", "fp16"}) {
    EXPECT_TRUE(computes_in_fp16(cpu_with(extension))) << extension;
    EXPECT_FALSE(computes_in_bf16(cpu_with(extension))) << extension;
  }
  // Conversions alone are no arithmetic.
  EXPECT_FALSE(computes_in_fp16(cpu_with("f16c")));
}

TEST(CpuTest, ThisMachineHasCores) {
  const CpuFacts facts = read_cpu_facts();
  EXPECT_GE(facts.usable_cores, 1);
  EXPECT_GE(facts.logical_cores, facts.physical_cores);
}

TEST(CpuTest, TheClockIsTheFirstThatIsTold) {
  EXPECT_EQ(parse_cpuinfo("cpu MHz : 2800.5\ncpu MHz : 1200\n").clock_mhz, 2800.5);
  EXPECT_EQ(parse_cpuinfo("cpu MHz : fast\n").clock_mhz, std::nullopt);
  EXPECT_EQ(parse_cpuinfo("cpu MHz : 0\n").clock_mhz, std::nullopt);
}

TEST(CpuTest, CpuListsAreNumbersAndRanges) {
  EXPECT_THAT(parse_cpu_list("0\n"), ElementsAre(0));
  EXPECT_THAT(parse_cpu_list("0-2,8"), ElementsAre(0, 1, 2, 8));
  for (const char* text : {"", "x", "3-1", "1-", "-1", "1,,2", "0-99999999", "1 2"})
    EXPECT_THAT(parse_cpu_list(text), IsEmpty()) << text;
}

TEST(CpuTest, TheFirstDataCacheAndWhoSharesTheThirdComeFromSysfs) {
  const TemporaryFolder root;
  root.put("proc/cpuinfo", kIntel);
  const std::string cache = "sys/devices/system/cpu/cpu0/cache/";
  root.put(cache + "index0/level", "1\n");
  root.put(cache + "index0/type", "Instruction\n");
  root.put(cache + "index0/size", "32K\n");
  root.put(cache + "index1/level", "1\n");
  root.put(cache + "index1/type", "Data\n");
  root.put(cache + "index1/size", "48K\n");
  root.put(cache + "index2/level", "3\n");
  root.put(cache + "index2/size", "32M\n");
  root.put(cache + "index2/shared_cpu_list", "0-7,64-71\n");
  const CpuFacts facts = read_cpu_facts(root.path());
  EXPECT_EQ(facts.l1, Bytes{48 * 1024});
  EXPECT_EQ(facts.l3, Bytes{32 * 1024 * 1024});
  EXPECT_EQ(facts.l3_cores, 16);
}

TEST(CpuTest, SiblingsComeAfterAllCores) {
  const std::vector<int> usable = cores_apart("/nowhere");
  ASSERT_FALSE(usable.empty());
  const TemporaryFolder root;
  // All are siblings of the first: the order stays, whatever this machine has.
  for (const int cpu : usable)
    root.put("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list",
             "0-1023\n");
  EXPECT_EQ(cores_apart(root.path()), usable);
  if (usable.size() < 3) return;
  const std::string pair = std::to_string(usable[0]) + "," + std::to_string(usable[1]);
  for (const int i : {0, 1})
    root.put("sys/devices/system/cpu/cpu" + std::to_string(usable[static_cast<std::size_t>(i)]) +
                 "/topology/thread_siblings_list",
             pair);
  root.put(
      "sys/devices/system/cpu/cpu" + std::to_string(usable[2]) + "/topology/thread_siblings_list",
      std::to_string(usable[2]));
  EXPECT_EQ(cores_apart(root.path())[1], usable[2]);
}

}  // namespace
}  // namespace ridgeline
