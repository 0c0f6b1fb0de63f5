#include "profile/sync_text.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace ridgeline {
namespace {

// Who waits for an event tells neither the stream it was recorded on nor that call: -1, as PyTorch
// writes what it does not know.
constexpr const char* kEventArguments =
    R"("wait_on_stream": -1, "wait_on_cuda_event_record_corr_id": -1, )";

}  // namespace

std::vector<std::int32_t> sync_tracks(const std::vector<SyncRecord>& syncs) {
  std::map<std::uint32_t, std::vector<Nanoseconds>> busy_until;  // by device, of each track
  std::vector<std::int32_t> tracks;
  for (const SyncRecord& sync : syncs) {
    auto& ends = busy_until[sync.device];
    const auto is_free = [&](Nanoseconds end) { return end <= sync.start; };
    auto track = std::ranges::find_if(ends, is_free);
    if (track == ends.end()) track = ends.insert(ends.end(), 0);
    *track = sync.end;
    tracks.push_back(-1 - static_cast<std::int32_t>(track - ends.begin()));
  }
  return tracks;
}

std::string sync_arguments(const SyncRecord& sync) {
  std::string text = fmt::format(R"("External id": {}, "cuda_sync_kind": "{}", )", sync.external_id,
                                 name_of(sync.kind));
  const bool of_event = sync.kind == SyncKind::Event || sync.kind == SyncKind::StreamWaitsForEvent;
  if (of_event) text += kEventArguments;
  if (sync.stream)
    text +=
        fmt::format(R"("{}": {}, )", of_event ? "waiting_stream" : "wait_on_stream", *sync.stream);
  return text + fmt::format(R"("stream": -1, "correlation": {}, "device": {}, "context": {})",
                            sync.correlation, sync.device, sync.context);
}

RuntimeCall call_of(SyncKind kind) {
  switch (kind) {
    case SyncKind::Event:
      return {"cudaEventSynchronize", 137};
    case SyncKind::Stream:
      return {"cudaStreamSynchronize", 131};
    case SyncKind::Context:
      return {"cudaDeviceSynchronize", 165};
    case SyncKind::StreamWaitsForEvent:
      break;
  }
  return {};
}

}  // namespace ridgeline
