#include "cuda/cupti_library.h"

#include <fmt/format.h>

#include "core/error.h"

namespace ridgeline {
namespace {

Cupti load() {
  const Library library = open_cupti();
  Cupti cupti;
  const auto find = [&]<class Function>(Function& function, const char* name) {
    function = library.symbol<Function>(name);
  };
  find(cupti.subscribe, "cuptiSubscribe");
  find(cupti.unsubscribe, "cuptiUnsubscribe");
  find(cupti.enable_callback, "cuptiEnableCallback");
  find(cupti.register_buffers, "cuptiActivityRegisterCallbacks");
  find(cupti.register_clock, "cuptiActivityRegisterTimestampCallback");
  find(cupti.enable_activity, "cuptiActivityEnable");
  find(cupti.disable_activity, "cuptiActivityDisable");
  find(cupti.flush, "cuptiActivityFlushAll");
  find(cupti.next_record, "cuptiActivityGetNextRecord");
  find(cupti.dropped_records, "cuptiActivityGetNumDroppedRecords");
  find(cupti.graph_node_id, "cuptiGetGraphNodeId");
  find(cupti.device_id, "cuptiGetDeviceId");
  find(cupti.stream_id, "cuptiGetStreamIdEx");
  find(cupti.finalize, "cuptiFinalize");
  find(cupti.result_string, "cuptiGetResultString");
  return cupti;
}

}  // namespace

// The major version is that of the CUDA whose headers this was compiled with.
Library open_cupti() {
  const std::string name = fmt::format("libcupti.so.{}", CUPTI_API_VERSION / 10000);
  try {
    return Library::open(name);
  } catch (const Error& error) {
    throw Error(Fault::Device, fmt::format("CUPTI cannot be loaded: {}", error.what()));
  }
}

void Cupti::check(CUptiResult result, const char* what) const {
  if (result == CUPTI_SUCCESS) return;
  const char* text = nullptr;
  result_string(result, &text);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
    text = "another profiler has CUPTI in this process (ncu, nsys or PyTorch's)";
  throw Error(Fault::Device,
              fmt::format("CUPTI, {}: {}", what, text != nullptr ? text : "unknown error"));
}

const Cupti& cupti() {
  static const Cupti loaded = load();
  return loaded;
}

}  // namespace ridgeline
