#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "cuda/plugin.h"
#include "roofline/counters.h"

namespace ridgeline {

// Counts the kernels of what a test runs.
class CountersTest : public PluginTest {
 protected:
  static CounterReadings count(std::size_t most_kernels, const std::function<void()>& body,
                               CacheControl cache = CacheControl::None) {
    const std::unique_ptr<DeviceCounters> counters(plugin().make_device_counters(
        {.metrics = roofline_counters(), .most_kernels = most_kernels, .cache = cache}));
    bool more = true;
    while (more) {
      counters->begin_pass();
      body();
      backend().synchronize();
      more = counters->end_pass();
    }
    return counters->finish();
  }
  // All kernels as one.
  static CountedKernel total(const CounterReadings& readings) {
    CountedKernel sum;
    const auto add = [](auto& to, const auto& value) {
      ASSERT_TRUE(value.has_value());
      if (!to)
        to = *value;
      else
        to->count += value->count;
    };
    for (const KernelReadings& kernel : readings.kernels) {
      const CountedKernel one = counted_kernel(kernel.name, readings.metrics, kernel.values);
      for (const ComputePath path : {ComputePath::Fp32, ComputePath::TensorBf16})
        add(sum.flop[index_of(path)], one.flop[index_of(path)]);
      for (const MemoryLevel level : {MemoryLevel::Dram, MemoryLevel::L2, MemoryLevel::L1})
        add(sum.bytes[index_of(level)], one.bytes[index_of(level)]);
    }
    return sum;
  }
};

}  // namespace ridgeline
