#pragma once

#include <cupti.h>

#include "core/library.h"

namespace ridgeline {

// What we call of CUPTI. Torch brings the library; it is found when it is asked for, so that a
// machine without it can still do everything else.
struct Cupti {
  decltype(&cuptiSubscribe) subscribe{};
  decltype(&cuptiUnsubscribe) unsubscribe{};
  decltype(&cuptiEnableCallback) enable_callback{};
  decltype(&cuptiActivityRegisterCallbacks) register_buffers{};
  decltype(&cuptiActivityRegisterTimestampCallback) register_clock{};
  decltype(&cuptiActivityEnable) enable_activity{};
  decltype(&cuptiActivityDisable) disable_activity{};
  decltype(&cuptiActivityFlushAll) flush{};
  decltype(&cuptiActivityGetNextRecord) next_record{};
  decltype(&cuptiActivityGetNumDroppedRecords) dropped_records{};
  decltype(&cuptiGetGraphNodeId) graph_node_id{};
  decltype(&cuptiGetDeviceId) device_id{};
  decltype(&cuptiGetStreamIdEx) stream_id{};
  decltype(&cuptiFinalize) finalize{};
  decltype(&cuptiGetResultString) result_string{};

  // Throws Error(Device) with the reason.
  void check(CUptiResult result, const char* what) const;
};

// Throws Error(Device) where there is none.
[[nodiscard]] Library open_cupti();

// Loaded once. Throws Error(Device) where there is none.
[[nodiscard]] const Cupti& cupti();

}  // namespace ridgeline
