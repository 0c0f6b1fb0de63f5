#include "cuda/launched_function.h"

#include <set>

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

const auto kFunction = reinterpret_cast<CUfunction>(0x7000'0000'1240);

template <class Parameters>
Parameters launching(CUfunction function) {
  Parameters parameters{};
  parameters.f = function;
  return parameters;
}

TEST(LaunchedFunctionTest, ALaunchOfTheDriverIsToldByItsKernel) {
  const auto plain = launching<cuLaunchKernel_params>(kFunction);
  const auto extended = launching<cuLaunchKernelEx_params>(kFunction);
  const auto cooperative = launching<cuLaunchCooperativeKernel_params>(kFunction);
  const auto of = [](CUpti_CallbackId id, const void* parameters) {
    return launched_by({CUPTI_CB_DOMAIN_DRIVER_API, id}, parameters);
  };
  EXPECT_EQ(of(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &plain), 0x7000'0000'1240);
  EXPECT_EQ(of(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, &extended), 0x7000'0000'1240);
  EXPECT_EQ(of(CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, &cooperative), 0x7000'0000'1240);
}

TEST(LaunchedFunctionTest, AnyOtherCallIsToldByItself) {
  std::set<std::uint64_t> seen;
  for (const ApiCall& call : kOtherWorkCalls) seen.insert(launched_by(call, nullptr));
  EXPECT_EQ(seen.size(), kOtherWorkCalls.size());
}

}  // namespace
}  // namespace ridgeline
