#include "profile/records.h"

namespace ridgeline {

std::string_view name_of(SyncKind kind) {
  switch (kind) {
    case SyncKind::Stream:
      return "Stream Sync";
    case SyncKind::Context:
      return "Context Sync";
    case SyncKind::StreamWaitsForEvent:
      return "Stream Wait Event";
    case SyncKind::Event:
      break;
  }
  return "Event Sync";
}

}  // namespace ridgeline
