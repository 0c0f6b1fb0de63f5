#include "cuda/cupti_counters.h"

#include "core/error.h"
#include "core/library.h"
#include "cuda/cupti_library.h"

namespace ridgeline {
namespace {

CuptiCounters load() {
  const Library library = open_cupti();
  CuptiCounters cupti;
  const auto find = [&]<class Function>(Function& function, const char* name) {
    function = library.symbol<Function>(name);
  };
  find(cupti.initialise, "cuptiProfilerInitialize");
  find(cupti.chip_name, "cuptiDeviceGetChipName");
  find(cupti.host_initialise, "cuptiProfilerHostInitialize");
  find(cupti.host_deinitialise, "cuptiProfilerHostDeinitialize");
  find(cupti.host_add_metrics, "cuptiProfilerHostConfigAddMetrics");
  find(cupti.host_config_size, "cuptiProfilerHostGetConfigImageSize");
  find(cupti.host_config, "cuptiProfilerHostGetConfigImage");
  find(cupti.host_passes, "cuptiProfilerHostGetNumOfPasses");
  find(cupti.host_evaluate, "cuptiProfilerHostEvaluateToGpuValues");
  find(cupti.host_range_name, "cuptiProfilerHostGetRangeName");
  find(cupti.enable, "cuptiRangeProfilerEnable");
  find(cupti.disable, "cuptiRangeProfilerDisable");
  find(cupti.data_size, "cuptiRangeProfilerGetCounterDataSize");
  find(cupti.data_initialise, "cuptiRangeProfilerCounterDataImageInitialize");
  find(cupti.set_config, "cuptiRangeProfilerSetConfig");
  find(cupti.start, "cuptiRangeProfilerStart");
  find(cupti.stop, "cuptiRangeProfilerStop");
  find(cupti.decode, "cuptiRangeProfilerDecodeData");
  find(cupti.data_info, "cuptiRangeProfilerGetCounterDataInfo");
  return cupti;
}

}  // namespace

const CuptiCounters& cupti_counters() {
  static const CuptiCounters loaded = [] {
    try {
      return load();
    } catch (const Error& error) {
      throw Error(Fault::Device, error.what());
    }
  }();
  return loaded;
}

}  // namespace ridgeline
