#include "cuda/wait_calls.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

ApiCall runtime(CUpti_CallbackId id) { return {CUPTI_CB_DOMAIN_RUNTIME_API, id}; }
ApiCall driver(CUpti_CallbackId id) { return {CUPTI_CB_DOMAIN_DRIVER_API, id}; }

TEST(WaitCallsTest, ALaunchIsNoWait) {
  for (const ApiCall& call : kDriverKernelCalls) EXPECT_FALSE(wait_of(call));
  for (const ApiCall& call : kOtherWorkCalls) EXPECT_FALSE(wait_of(call));
}

TEST(WaitCallsTest, ANumberMeansOneCallInEachDomain) {
  EXPECT_EQ(wait_of(runtime(CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020)),
            SyncKind::Stream);
  EXPECT_FALSE(wait_of(driver(CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020)));
  EXPECT_EQ(wait_of(driver(CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize)), SyncKind::Context);
}

TEST(WaitCallsTest, AStreamIsReadWhereTheCallNamesOne) {
  const auto stream = reinterpret_cast<CUstream>(0x10);
  const cudaStreamSynchronize_v3020_params whole{.stream = stream};
  EXPECT_EQ(stream_of_wait(runtime(CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020), &whole),
            stream);
  const cuStreamWaitEvent_params waits{.hStream = stream, .hEvent = nullptr, .Flags = 0};
  EXPECT_EQ(stream_of_wait(driver(CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent), &waits), stream);
  EXPECT_FALSE(
      stream_of_wait(runtime(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020), nullptr));
}

}  // namespace
}  // namespace ridgeline
