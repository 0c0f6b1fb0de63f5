#include "trace/analysis_facts.h"

#include <gtest/gtest.h>

#include "trace/made_trace.h"

namespace ridgeline {
namespace {

TEST(AnalysisFactsTest, KernelsStandForOpsWhereNoneIsKnown) {
  MadeTrace made;
  made.device({.name = "gemm", .start = 0, .length = 30'000})
      .device({.name = "vectorized_elementwise_kernel", .start = 60'000, .length = 5'000})
      .device({.name = "vectorized_elementwise_kernel", .start = 95'000, .length = 5'000});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  EXPECT_TRUE(facts.on_gpu);
  EXPECT_DOUBLE_EQ(share_of(facts, OpKind::Matmul), 0.75);
  EXPECT_DOUBLE_EQ(share_of(facts, OpKind::Elementwise), 0.25);
  ASSERT_TRUE(facts.kernels);
  EXPECT_EQ(facts.kernels->count, 3);
  EXPECT_EQ(facts.kernels->distinct, 2);
  EXPECT_EQ(facts.kernels->short_ones, 2);
  EXPECT_DOUBLE_EQ(facts.kernels->median.count(), 5e-6);
  ASSERT_TRUE(facts.busy);
  EXPECT_DOUBLE_EQ(*facts.busy, 0.4);
}

TEST(AnalysisFactsTest, CopiesAreNoKernels) {
  MadeTrace made;
  made.device({.name = "gemm", .start = 0, .length = 100})
      .device({.name = "Memcpy HtoD (Pinned -> Device)",
               .start = 200,
               .length = 50,
               .kind = EventKind::Memcpy});
  made.trace.events.set_bytes(1000);
  const ProfileFacts facts = facts_of(analyse(made.trace));
  EXPECT_EQ(facts.kernels->count, 1);
  ASSERT_TRUE(facts.to_device);
  EXPECT_EQ(facts.to_device->bytes.count, 1000);
  EXPECT_FALSE(facts.on_device);
}

TEST(AnalysisFactsTest, CallsOfPyTorchsLoaderAreTheWaitForData) {
  MadeTrace made;
  made.host({.name = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
             .start = 0,
             .length = 60'000,
             .kind = EventKind::UserAnnotation})
      .device({.name = "gemm", .start = 70'000, .length = 30'000});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  ASSERT_TRUE(facts.data);
  EXPECT_DOUBLE_EQ(facts.data->wait.count(), 60e-6);
  EXPECT_DOUBLE_EQ(facts.data->compute.count(), 40e-6);
}

TEST(AnalysisFactsTest, AnEmptyTraceTellsNothing) {
  const ProfileFacts facts = facts_of(analyse(MadeTrace().trace));
  EXPECT_FALSE(facts.on_gpu);
  EXPECT_TRUE(facts.ops.empty());
  EXPECT_FALSE(facts.kernels);
  EXPECT_FALSE(facts.busy);
}

}  // namespace
}  // namespace ridgeline
