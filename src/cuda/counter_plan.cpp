#include "cuda/counter_plan.h"

#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "cuda/cupti_library.h"

namespace ridgeline {
namespace {

CUpti_Profiler_Host_Object* make_host(const CuptiCounters& cupti, const std::string& chip) {
  CUpti_Profiler_Host_Initialize_Params params{};
  params.structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE;
  params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  params.pChipName = chip.c_str();
  if (cupti.host_initialise(&params) != CUPTI_SUCCESS)
    throw Error(Fault::Device, fmt::format("CUPTI knows no counters of the chip '{}'", chip));
  return params.pHostObject;
}

void release_host(const CuptiCounters& cupti, CUpti_Profiler_Host_Object* host) noexcept {
  CUpti_Profiler_Host_Deinitialize_Params params{};
  params.structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE;
  params.pHostObject = host;
  cupti.host_deinitialise(&params);
}

CUptiResult add_metrics(const CuptiCounters& cupti, CUpti_Profiler_Host_Object* host,
                        std::span<const char*> names) {
  CUpti_Profiler_Host_ConfigAddMetrics_Params params{};
  params.structSize = CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE;
  params.pHostObject = host;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  return cupti.host_add_metrics(&params);
}

bool is_supported(const CuptiCounters& cupti, const std::string& chip, const char* name) {
  CUpti_Profiler_Host_Object* const host = make_host(cupti, chip);
  const CUptiResult result = add_metrics(cupti, host, {&name, 1});
  release_host(cupti, host);
  return result == CUPTI_SUCCESS;
}

std::vector<std::uint8_t> config_of(const CuptiCounters& cupti, CUpti_Profiler_Host_Object* host) {
  CUpti_Profiler_Host_GetConfigImageSize_Params size{};
  size.structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE;
  size.pHostObject = host;
  ridgeline::cupti().check(cupti.host_config_size(&size), "planning counters");
  std::vector<std::uint8_t> image(size.configImageSize);
  CUpti_Profiler_Host_GetConfigImage_Params params{};
  params.structSize = CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE;
  params.pHostObject = host;
  params.configImageSize = image.size();
  params.pConfigImage = image.data();
  ridgeline::cupti().check(cupti.host_config(&params), "planning counters");
  return image;
}

std::size_t passes_of(const CuptiCounters& cupti, std::vector<std::uint8_t>& config) {
  CUpti_Profiler_Host_GetNumOfPasses_Params params{};
  params.structSize = CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE;
  params.configImageSize = config.size();
  params.pConfigImage = config.data();
  ridgeline::cupti().check(cupti.host_passes(&params), "counting passes");
  return params.numOfPasses;
}

}  // namespace

CounterPlan::CounterPlan(const std::string& chip, std::span<const std::string> metrics)
    : cupti_(cupti_counters()), host_(make_host(cupti_, chip)) {
  try {
    // Asked one by one, for one that the chip has not refuses them all; added together, for only
    // then do they share passes.
    for (const std::string& metric : metrics) {
      const bool known = is_supported(cupti_, chip, metric.c_str());
      (known ? metrics_ : unsupported_).push_back(metric);
    }
    if (metrics_.empty())
      throw Error(Fault::Device, fmt::format("the chip '{}' has none of the counters", chip));
    for (const std::string& metric : metrics_) names_.push_back(metric.c_str());
    cupti().check(add_metrics(cupti_, host_, names_), "planning counters");
    config_ = config_of(cupti_, host_);
    passes_ = passes_of(cupti_, config_);
  } catch (...) {
    release_host(cupti_, host_);
    throw;
  }
}

CounterPlan::~CounterPlan() { release_host(cupti_, host_); }

std::vector<double> CounterPlan::evaluate(std::span<const std::uint8_t> image, std::size_t range) {
  std::vector<double> values(metrics_.size(), std::nan(""));
  CUpti_Profiler_Host_EvaluateToGpuValues_Params params{};
  params.structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE;
  params.pHostObject = host_;
  params.pCounterDataImage = image.data();
  params.counterDataImageSize = image.size();
  params.rangeIndex = range;
  params.ppMetricNames = names_.data();
  params.numMetrics = names_.size();
  params.pMetricValues = values.data();
  cupti().check(cupti_.host_evaluate(&params), "evaluating counters");
  return values;
}

}  // namespace ridgeline
