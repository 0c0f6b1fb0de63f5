#include <ATen/ops/empty.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cuda/plugin.h"

namespace ridgeline {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using MemoryHistoryTest = PluginTest;

TEST_F(MemoryHistoryTest, ASnapshotIsAPickleThatHoldsWhatWasAllocated) {
  ASSERT_EQ(backend().memory_history_obstacle(), std::nullopt);
  backend().record_memory_history(true);
  const at::Tensor kept = at::empty({3 << 20}, at::TensorOptions(at::kCUDA).dtype(at::kByte));
  const std::string snapshot = backend().memory_snapshot();
  backend().record_memory_history(false);
  EXPECT_THAT(snapshot, StartsWith("\x80"));  // a pickle's first opcode, and its last
  EXPECT_THAT(snapshot, EndsWith("."));
  for (const char* key : {"segments", "device_traces", "allocated_size"})
    EXPECT_THAT(snapshot, HasSubstr(key));
}

TEST_F(MemoryHistoryTest, NothingIsRecordedOnceItIsOff) {
  const auto size = [] { return backend().memory_snapshot().size(); };
  backend().record_memory_history(true);
  backend().record_memory_history(false);
  const std::size_t before = size();
  for (int i = 0; i < 100; ++i)
    (void)at::empty({1 << 10}, at::TensorOptions(at::kCUDA).dtype(at::kByte));
  EXPECT_LT(size(), before + 4096);
}

}  // namespace
}  // namespace ridgeline
