#include "cuda/launch_stream.h"

#include <type_traits>

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

const auto kStream = reinterpret_cast<CUstream>(0x40);

template <class Parameters, class Value>
Parameters with(Value Parameters::*member, std::type_identity_t<Value> value) {
  Parameters parameters{};
  parameters.*member = value;
  return parameters;
}

TEST(LaunchStreamTest, ALaunchOfTheDriverNamesItsStream) {
  const auto plain = with(&cuLaunchKernel_params::hStream, kStream);
  const auto cooperative = with(&cuLaunchCooperativeKernel_params::hStream, kStream);
  const auto config = with(&CUlaunchConfig::hStream, kStream);
  const auto extended = with(&cuLaunchKernelEx_params::config, &config);
  const auto stream_of = [](CUpti_CallbackId id, const void* parameters) {
    return stream_of_launch(CUPTI_CB_DOMAIN_DRIVER_API, id, parameters);
  };
  EXPECT_EQ(stream_of(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &plain), kStream);
  EXPECT_EQ(stream_of(CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, &cooperative), kStream);
  EXPECT_EQ(stream_of(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, &extended), kStream);
}

TEST(LaunchStreamTest, ALaunchOfTheRuntimeNamesItsStream) {
  const auto plain = with(&cudaLaunchKernel_v7000_params::stream, kStream);
  const auto cooperative = with(&cudaLaunchCooperativeKernel_v9000_params::stream, kStream);
  const auto config = with(&cudaLaunchConfig_t::stream, kStream);
  const auto extended = with(&cudaLaunchKernelExC_v11060_params::config, &config);
  const auto stream_of = [](CUpti_CallbackId id, const void* parameters) {
    return stream_of_launch(CUPTI_CB_DOMAIN_RUNTIME_API, id, parameters);
  };
  EXPECT_EQ(stream_of(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, &plain), kStream);
  EXPECT_EQ(stream_of(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000, &cooperative),
            kStream);
  EXPECT_EQ(stream_of(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060, &extended), kStream);
}

}  // namespace
}  // namespace ridgeline
