#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "core/error.h"
#include "cuda/cache_sweep.h"
#include "cuda/counted_ranges.h"
#include "cuda/counter_plan.h"
#include "cuda/counter_refusal.h"
#include "cuda/cuda_runtime.h"
#include "cuda/cupti_counters.h"
#include "cuda/launch_names.h"
#include "profile/device_counters.h"

namespace ridgeline {
namespace {

std::string current_chip(const CuptiCounters& counters) {
  CUpti_Device_GetChipName_Params params{};
  params.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE;
  params.deviceIndex = static_cast<std::size_t>(current_device());
  require_counters(counters.chip_name(&params), "asking for the chip's name");
  return params.pChipName;
}

class RangeCounters final : public DeviceCounters {
 public:
  explicit RangeCounters(const CounterOptions& options)
      : counters_(started()), plan_(current_chip(counters_), options.metrics) {
    if (options.cache == CacheControl::All) sweep_.emplace();
    // Each kernel that empties the caches has a range of its own.
    const std::size_t most_ranges = (sweep_ ? 2 : 1) * options.most_kernels;
    CUpti_RangeProfiler_Enable_Params params{};
    params.structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE;
    params.ctx = current_context();
    require_counters(counters_.enable(&params), "opening the hardware counters");
    profiler_ = params.pRangeProfilerObject;
    try {
      make_room(most_ranges);
      configure(most_ranges);
    } catch (...) {
      close();
      throw;
    }
  }
  ~RangeCounters() override { close(); }
  RangeCounters(const RangeCounters&) = delete;
  RangeCounters& operator=(const RangeCounters&) = delete;

  [[nodiscard]] std::size_t passes() const override { return plan_.passes(); }

  void begin_pass() override {
    // In every pass: values of one that launched other kernels would be mixed in unseen.
    if (sweep_) {
      names_.emplace([this](CUstream stream) { sweep_->launch(stream); });
    } else {
      names_.emplace();
    }
    CUpti_RangeProfiler_Start_Params params{};
    params.structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE;
    params.pRangeProfilerObject = profiler_;
    require_counters(counters_.start(&params), "starting a pass");
    running_ = true;
  }

  bool end_pass() override {
    CUpti_RangeProfiler_Stop_Params params{};
    params.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE;
    params.pRangeProfilerObject = profiler_;
    running_ = false;
    require_counters(counters_.stop(&params), "ending a pass");
    ++passes_made_;
    keep_names();
    return params.isAllPassSubmitted == 0;
  }

  [[nodiscard]] CounterReadings finish() override {
    CUpti_RangeProfiler_DecodeData_Params decoded{};
    decoded.structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE;
    decoded.pRangeProfilerObject = profiler_;
    require_counters(counters_.decode(&decoded), "reading the counters");
    CUpti_RangeProfiler_GetCounterDataInfo_Params info{};
    info.structSize = CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE;
    info.pCounterDataImage = image_.data();
    info.counterDataImageSize = image_.size();
    require_counters(counters_.data_info(&info), "reading the counters");

    CounterReadings readings{.metrics = plan_.metrics(),
                             .unsupported = plan_.unsupported(),
                             .passes = passes_made_,
                             .dropped = decoded.numOfRangeDropped};
    CountedRanges counted{.launched = launched_};
    if (sweep_) counted.swept = sweep_->size();
    counted.ranges.resize(info.numTotalRanges);
    for (std::size_t i = 0; i < info.numTotalRanges; ++i) {
      const std::size_t place = launch_of(i);
      if (place >= counted.ranges.size())
        throw Error(Fault::Device,
                    fmt::format("CUPTI names a range {} of {}", place, counted.ranges.size()));
      counted.ranges[place] = plan_.evaluate(image_, i);
    }
    // A range that was dropped is reported as such, not as one that does not pair.
    if (readings.dropped == 0)
      readings.kernels = kernels_of_ranges(std::move(counted), plan_.metrics());
    return readings;
  }

 private:
  static const CuptiCounters& started() {
    const CuptiCounters& counters = cupti_counters();
    CUpti_Profiler_Initialize_Params params{};
    params.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE;
    require_counters(counters.initialise(&params), "starting the profiler");
    return counters;
  }

  void keep_names() {
    if (!names_) return;
    std::vector<std::string> names = names_->take();
    names_.reset();
    if (sweep_) sweep_->check();
    if (passes_made_ > 1 && names != launched_)
      throw Error(Fault::Device,
                  fmt::format("pass {} launched other kernels than the first", passes_made_));
    launched_ = std::move(names);
  }

  void make_room(std::size_t ranges) {
    CUpti_RangeProfiler_GetCounterDataSize_Params size{};
    size.structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE;
    size.pRangeProfilerObject = profiler_;
    size.pMetricNames = plan_.names();
    size.numMetrics = plan_.metrics().size();
    size.maxNumOfRanges = ranges;
    size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(ranges);
    require_counters(counters_.data_size(&size), "making room for counters");
    image_.resize(size.counterDataSize);
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params params{};
    params.structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE;
    params.pRangeProfilerObject = profiler_;
    params.counterDataSize = image_.size();
    params.pCounterData = image_.data();
    require_counters(counters_.data_initialise(&params), "making room for counters");
  }

  void configure(std::size_t ranges) {
    CUpti_RangeProfiler_SetConfig_Params params{};
    params.structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE;
    params.pRangeProfilerObject = profiler_;
    params.configSize = plan_.config().size();
    params.pConfig = plan_.config().data();
    params.counterDataImageSize = image_.size();
    params.pCounterDataImage = image_.data();
    params.range = CUPTI_AutoRange;
    params.replayMode = CUPTI_UserReplay;
    params.maxRangesPerPass = ranges;
    params.numNestingLevels = 1;
    params.minNestingLevel = 1;
    require_counters(counters_.set_config(&params), "setting the counters up");
  }

  // Ranges are named by the number of their launch.
  std::size_t launch_of(std::size_t range) const {
    CUpti_Profiler_Host_GetRangeName_Params params{};
    params.structSize = CUpti_Profiler_Host_GetRangeName_Params_STRUCT_SIZE;
    params.pCounterDataImage = image_.data();
    params.counterDataImageSize = image_.size();
    params.rangeIndex = range;
    params.delimiter = "/";
    if (counters_.host_range_name(&params) != CUPTI_SUCCESS || params.pRangeName == nullptr)
      return range;
    std::size_t place = range;
    const char* const end = params.pRangeName + std::strlen(params.pRangeName);
    const auto parsed = std::from_chars(params.pRangeName, end, place);
    if (parsed.ec != std::errc() || parsed.ptr != end) place = range;
    std::free(const_cast<char*>(params.pRangeName));  // ours to free, as CUPTI documents
    return place;
  }

  // A pass that failed in the middle was never stopped.
  void close() noexcept {
    if (running_) {
      CUpti_RangeProfiler_Stop_Params stop{};
      stop.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE;
      stop.pRangeProfilerObject = profiler_;
      counters_.stop(&stop);
    }
    CUpti_RangeProfiler_Disable_Params params{};
    params.structSize = CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE;
    params.pRangeProfilerObject = profiler_;
    counters_.disable(&params);
  }

  const CuptiCounters& counters_;
  CounterPlan plan_;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  std::vector<std::uint8_t> image_;
  std::optional<CacheSweep> sweep_;
  std::optional<LaunchNames> names_;  // while a pass runs
  bool running_ = false;
  std::vector<std::string> launched_;
  std::size_t passes_made_ = 0;
};

}  // namespace
}  // namespace ridgeline

extern "C" ridgeline::DeviceCounters* ridgeline_make_device_counters(
    const ridgeline::CounterOptions& options) {
  RIDGELINE_CHECK(options.most_kernels > 0);
  return std::make_unique<ridgeline::RangeCounters>(options).release();
}
