#pragma once

#include <string>

#include "core/http.h"

namespace ridgeline {

struct TextRequest {
  HttpRequest request{};
  Bytes limit{1024.0 * 1024};
  int retries = 2;  // after a dropped connection or a busy server
  Seconds backoff{1};
};

// The body of a 200 answer. Error(Io) naming URL and reason: another status, a failure of the
// connection, more bytes than the limit, an interrupt.
[[nodiscard]] std::string http_text(const TextRequest& text);

}  // namespace ridgeline
