#include "cuda/counter_refusal.h"

#include "core/error.h"
#include "cuda/cupti_library.h"

namespace ridgeline {
namespace {

// Null where CUPTI's own words serve.
const char* reason(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return "the driver permits hardware counters to administrators only: run as root, or load "
             "the nvidia module with NVreg_RestrictProfilingToAdminUsers=0";
    case CUPTI_ERROR_HARDWARE_BUSY:
      return "another program holds the hardware counters (ncu, DCGM's profiling): end it, or "
             "pause it with `dcgmi profile --pause`";
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    case CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED:
      return "another profiler has CUPTI in this process (ncu, nsys or PyTorch's)";
    case CUPTI_ERROR_NOT_SUPPORTED:
    case CUPTI_ERROR_INVALID_DEVICE:
    case CUPTI_ERROR_INVALID_CHIP_NAME:
      return "this chip has no hardware counters that CUPTI can read";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
    case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
      return "hardware counters cannot be read of a device that is virtual, shared out or in a "
             "confidential mode";
    default:
      return nullptr;
  }
}

}  // namespace

void refuse_counters(CUptiResult result, const char* what) {
  if (const char* const why = reason(result)) throw Error(Fault::Device, why);
  cupti().check(result, what);
  throw Error(Fault::Internal, "refused without a reason");
}

}  // namespace ridgeline
