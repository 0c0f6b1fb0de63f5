#include "core/memory.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

constexpr double kMiB = 1024.0 * 1024;
constexpr const char* kMemInfo =
    "MemTotal:        8388608 kB\nMemFree:          100 kB\nMemAvailable:    4194304 kB\n";

TEST(MemoryTextTest, LinesAreFoundByTheirWholeKey) {
  EXPECT_EQ(parse_kilobyte_line(kMemInfo, "MemAvailable"), Bytes{4096 * kMiB});
  EXPECT_EQ(parse_kilobyte_line(kMemInfo, "Mem"), std::nullopt);
  EXPECT_EQ(parse_kilobyte_line("VmRSS:\t  12 kB", "VmRSS"), Bytes{12 * 1024});
  EXPECT_EQ(parse_kilobyte_line("VmRSS:\t  many kB", "VmRSS"), std::nullopt);
  EXPECT_EQ(parse_kilobyte_line("", "VmRSS"), std::nullopt);
}

TEST(MemoryTextTest, NoLimitIsAbsent) {
  EXPECT_EQ(parse_cgroup_bytes("1048576\n"), Bytes{kMiB});
  EXPECT_EQ(parse_cgroup_bytes("max\n"), std::nullopt);
  EXPECT_EQ(parse_cgroup_bytes(""), std::nullopt);
  EXPECT_EQ(parse_memory_stat("anon 5\ninactive_file 7\n", "inactive_file"), Bytes{7});
  EXPECT_EQ(parse_memory_stat("total_inactive_file 7\n", "inactive_file"), std::nullopt);
}

TEST(MemoryTextTest, TheCgroupPathIsThatOfTheController) {
  constexpr const char* kBoth = "5:cpu,memory:/v1/a\n1:name=systemd:/x\n0::/v2/b\n";
  EXPECT_EQ(parse_cgroup_path(kBoth, "memory"), "/v1/a");
  EXPECT_EQ(parse_cgroup_path(kBoth, ""), "/v2/b");
  EXPECT_EQ(parse_cgroup_path(kBoth, "mem"), std::nullopt);
  EXPECT_EQ(parse_cgroup_path("nonsense\n1:\n::\n", "memory"), std::nullopt);
}

TEST(HostMemoryTest, WithoutCgroupsTheMachinesFiguresStand) {
  const TemporaryFolder root;
  root.put("proc/meminfo", kMemInfo);
  root.put("proc/self/status", "VmHWM:  300 kB\nVmRSS:  200 kB\n");
  const HostMemory memory = read_host_memory(root.path());
  EXPECT_EQ(memory.total, Bytes{8192 * kMiB});
  EXPECT_EQ(memory.available, Bytes{4096 * kMiB});
  EXPECT_EQ(memory.resident, Bytes{200 * 1024});
  EXPECT_EQ(memory.peak_resident, Bytes{300 * 1024});
}

TEST(HostMemoryTest, ALimitOfTheAddressSpaceBinds) {
  const TemporaryFolder root;
  root.put("proc/meminfo", kMemInfo);
  root.put("proc/self/status", "VmSize: 1048576 kB\nVmRSS:  200 kB\n");
  root.put("proc/self/limits",
           "Limit                     Soft Limit           Hard Limit           Units\n"
           "Max address space         2147483648           unlimited            bytes\n");
  EXPECT_EQ(read_host_memory(root.path()).total, Bytes{2048 * kMiB});
  EXPECT_EQ(read_host_memory(root.path()).available, Bytes{1024 * kMiB});
  root.put("proc/self/limits", "Max address space         unlimited   unlimited   bytes\n");
  EXPECT_EQ(read_host_memory(root.path()).available, Bytes{4096 * kMiB});
}

TEST(HostMemoryTest, AVersion2LimitBindsAndFileCacheCountsAsFree) {
  const TemporaryFolder root;
  root.put("proc/meminfo", kMemInfo);
  root.put("proc/self/cgroup", "0::/box/job\n");
  root.put("sys/fs/cgroup/box/job/memory.max", "max\n");
  root.put("sys/fs/cgroup/box/job/memory.current", "1048576\n");
  root.put("sys/fs/cgroup/box/memory.max", "1073741824\n");
  root.put("sys/fs/cgroup/box/memory.current", "629145600\n");             // 600 MiB
  root.put("sys/fs/cgroup/box/memory.stat", "inactive_file 104857600\n");  // 100 MiB
  const HostMemory memory = read_host_memory(root.path());
  EXPECT_EQ(memory.total, Bytes{1024 * kMiB});
  EXPECT_EQ(memory.available, Bytes{524 * kMiB});
}

TEST(HostMemoryTest, AVersion1LimitSeenFromInsideAContainerBinds) {
  const TemporaryFolder root;
  root.put("proc/meminfo", kMemInfo);
  root.put("proc/self/cgroup", "4:memory:/docker/0123\n0::/\n");  // the host's path, not ours
  root.put("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
  root.put("sys/fs/cgroup/memory/memory.usage_in_bytes", "2147483648\n");
  const HostMemory memory = read_host_memory(root.path());
  EXPECT_EQ(memory.total, Bytes{1024 * kMiB});
  EXPECT_EQ(memory.available, Bytes{0});
}

TEST(HostMemoryTest, AnUnlimitedVersion1GroupChangesNothing) {
  const TemporaryFolder root;
  root.put("proc/meminfo", kMemInfo);
  root.put("proc/self/cgroup", "4:memory:/\n");
  root.put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  root.put("sys/fs/cgroup/memory/memory.usage_in_bytes", "4096\n");
  EXPECT_EQ(read_host_memory(root.path()).available, Bytes{4096 * kMiB});
}

TEST(HostMemoryTest, AMeminfoThatMakesNoSenseIsAnError) {
  const TemporaryFolder root;
  root.put("proc/meminfo", "MemTotal: lots\n");
  (void)message_of(Fault::Io, [&] { (void)read_host_memory(root.path()); });
}

TEST(HostMemoryTest, ThisMachineAddsUp) {
  const HostMemory memory = read_host_memory();
  EXPECT_GT(memory.total, Bytes{0});
  EXPECT_LE(memory.available, memory.total);
  EXPECT_GT(memory.resident, Bytes{kMiB});
  EXPECT_GE(memory.peak_resident, memory.resident);
}

TEST(HostMemoryTest, ThePeakIsSeenAndCanBeReset) {
  constexpr std::size_t kBig = 64UL << 20;
  const Bytes before = read_host_memory().peak_resident;
  {
    std::vector<char> block(kBig);
    std::fill(block.begin(), block.end(), 'x');
    EXPECT_GE(read_host_memory().resident, Bytes{static_cast<double>(kBig)});
    ASSERT_EQ(block[kBig / 2], 'x');
  }
  EXPECT_GE(read_host_memory().peak_resident, before);
  EXPECT_GE(read_host_memory().peak_resident, Bytes{static_cast<double>(kBig)});
  if (!reset_peak_resident()) GTEST_SKIP() << "this kernel cannot reset the peak";
  const HostMemory memory = read_host_memory();
  EXPECT_LT(memory.peak_resident.count - memory.resident.count, 4 * kMiB);
}

}  // namespace
}  // namespace ridgeline
