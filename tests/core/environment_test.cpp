#include "core/environment.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace ridgeline {
namespace {

using ::testing::ElementsAre;

TEST(EnvironmentTextTest, TheNameOfTheSystemIsUnquoted) {
  EXPECT_EQ(parse_os_release("ID=x\nPRETTY_NAME=\"Debian 12\"\nA=b\n"), "Debian 12");
  EXPECT_EQ(parse_os_release("PRETTY_NAME=Plain"), "Plain");
  EXPECT_EQ(parse_os_release("NOT_PRETTY_NAME=x"), std::nullopt);
  EXPECT_EQ(parse_os_release("PRETTY_NAME="), std::nullopt);
  EXPECT_EQ(parse_os_release("PRETTY_NAME=\""), "\"");
}

TEST(EnvironmentTextTest, LoadAveragesAreThreeNumbers) {
  EXPECT_THAT(parse_load_average("0.50 1.25 12.00 1/99 4711\n").value(),
              ElementsAre(0.5, 1.25, 12.0));
  EXPECT_EQ(parse_load_average("0.50 1.25"), std::nullopt);
  EXPECT_EQ(parse_load_average("a b c"), std::nullopt);
  EXPECT_EQ(parse_load_average(""), std::nullopt);
}

TEST(EnvironmentTest, WhatIsNotKnownIsAbsent) {
  const nlohmann::json object = to_json(Environment{});
  EXPECT_FALSE(object.contains("machine"));
  EXPECT_FALSE(object.contains("load_average"));
  EXPECT_FALSE(object["cpu"].contains("governor"));
  EXPECT_FALSE(object["build"].contains("revision"));
  EXPECT_TRUE(object["gpus"].empty());
}

TEST(EnvironmentTest, AGpuIsWrittenWithUnits) {
  Environment environment;
  GpuReport gpu;
  gpu.facts.name = "H200";
  gpu.facts.memory_total = {1024};
  gpu.facts.compute_major = 9;
  gpu.facts.compute_minor = 0;
  gpu.state = GpuState{.sm_clock_mhz = 1980,
                       .throttle_reasons = {"power cap"},
                       .foreign_processes = {{.pid = 42, .memory = Bytes{7}}}};
  environment.gpus.push_back(gpu);
  const nlohmann::json object = to_json(environment)["gpus"][0];
  EXPECT_EQ(object["name"], "H200");
  EXPECT_EQ(object["memory_total_bytes"], 1024);
  EXPECT_EQ(object["compute_capability"], "9.0");
  EXPECT_EQ(object["state"]["sm_clock_mhz"], 1980);
  EXPECT_FALSE(object["state"].contains("temperature_c"));
  EXPECT_EQ(object["state"]["throttle_reasons"][0], "power cap");
  EXPECT_EQ(object["state"]["foreign_processes"][0]["memory_bytes"], 7);
  EXPECT_FALSE(object["state"]["foreign_processes"][0].contains("name"));
}

TEST(EnvironmentTest, ThisMachineIsDescribed) {
  const nlohmann::json object = read_environment();
  EXPECT_FALSE(object["kernel"].get<std::string>().empty());
  EXPECT_GT(object["memory"]["total_bytes"].get<double>(), 0);
  EXPECT_EQ(object["gpus"].empty(), object.contains("no_gpu_reason"));
  EXPECT_TRUE(object["build"].contains("compiler"));
}

TEST(BuildInfoTest, VersionCompilerAndTypeAreKnown) {
  const BuildInfo build = build_info();
  EXPECT_THAT(std::string(build.version), ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_FALSE(build.compiler.empty());
  EXPECT_FALSE(build.build_type.empty());
  EXPECT_THAT(std::string(build.revision), ::testing::MatchesRegex("([0-9a-f]{12,40}(-dirty)?)?"));
}

}  // namespace
}  // namespace ridgeline
