#pragma once

#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

namespace ridgeline {

// What we call of CUPTI to plan, read and evaluate hardware counters.
struct CuptiCounters {
  decltype(&cuptiProfilerInitialize) initialise{};
  decltype(&cuptiDeviceGetChipName) chip_name{};
  decltype(&cuptiProfilerHostInitialize) host_initialise{};
  decltype(&cuptiProfilerHostDeinitialize) host_deinitialise{};
  decltype(&cuptiProfilerHostConfigAddMetrics) host_add_metrics{};
  decltype(&cuptiProfilerHostGetConfigImageSize) host_config_size{};
  decltype(&cuptiProfilerHostGetConfigImage) host_config{};
  decltype(&cuptiProfilerHostGetNumOfPasses) host_passes{};
  decltype(&cuptiProfilerHostEvaluateToGpuValues) host_evaluate{};
  decltype(&cuptiProfilerHostGetRangeName) host_range_name{};
  decltype(&cuptiRangeProfilerEnable) enable{};
  decltype(&cuptiRangeProfilerDisable) disable{};
  decltype(&cuptiRangeProfilerGetCounterDataSize) data_size{};
  decltype(&cuptiRangeProfilerCounterDataImageInitialize) data_initialise{};
  decltype(&cuptiRangeProfilerSetConfig) set_config{};
  decltype(&cuptiRangeProfilerStart) start{};
  decltype(&cuptiRangeProfilerStop) stop{};
  decltype(&cuptiRangeProfilerDecodeData) decode{};
  decltype(&cuptiRangeProfilerGetCounterDataInfo) data_info{};
};

// Loaded once. Throws Error(Device) where there is no CUPTI, or one without these.
[[nodiscard]] const CuptiCounters& cupti_counters();

}  // namespace ridgeline
