#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"

namespace ridgeline {

struct HttpRequest {
  std::string url{};           // http or https
  std::string bearer_token{};  // sent to the URL's own origin, never after a redirect elsewhere
  std::vector<std::string> headers{};
  Seconds connect_timeout{30};
  Seconds stall_timeout{60};  // a connection that brings nothing for this long is dead
};

// The answer that counts, after all redirects.
struct HttpHead {
  long status = 0;
  std::string etag{};
  std::string last_modified{};
  std::optional<std::uint64_t> length{};       // of this body
  std::optional<std::uint64_t> range_start{};  // of a partial answer
  std::optional<Seconds> retry_after{};
};

struct HttpResult {
  enum class End {
    Whole,    // an answer came completely, whatever its status
    Dropped,  // worth another try
    Refused,  // not worth one: TLS, no such host, a redirect we do not follow
    Stopped,  // on_body said so, or the user
  };
  End end = End::Refused;
  HttpHead head{};
  std::string problem{};  // what went wrong; empty for Whole and Stopped
};

struct HttpEvents {
  // A piece of the body of an answer with a status of 2xx; false stops the transfer.
  std::function<bool(const HttpHead&, std::string_view)> on_body{};
};

// One GET through libcurl, which is loaded when first needed: the program starts without it and
// its many libraries, and is packaged without them. Proxies come from the environment as curl
// reads it. Stops when interrupted() becomes true. Error(Io) when there is no libcurl.
[[nodiscard]] HttpResult http_get(const HttpRequest& request, const HttpEvents& events);

// Why an answer of this status is no success, in words: "404 Not Found".
[[nodiscard]] std::string words_of_status(long status);

}  // namespace ridgeline
