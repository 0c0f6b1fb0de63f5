#include "core/http_text.h"

#include <fmt/format.h>

#include "core/display.h"
#include "core/error.h"
#include "core/format.h"
#include "core/retry.h"

namespace ridgeline {
namespace {

struct Attempt {
  std::string body;
  std::string problem;  // empty when the body is whole
  bool worth_another = false;
  std::optional<Seconds> asked_to_wait;
};

Attempt attempt_once(const TextRequest& text) {
  Attempt attempt;
  bool too_big = false;
  const HttpResult result = http_get(
      text.request, {.on_body = [&](const HttpHead&, std::string_view bytes) {
        too_big = static_cast<double>(attempt.body.size() + bytes.size()) > text.limit.count;
        if (!too_big) attempt.body.append(bytes);
        return !too_big;
      }});
  const long status = result.head.status;
  attempt.asked_to_wait = result.head.retry_after;
  if (too_big) {
    attempt.problem = fmt::format("the answer is larger than {}", format_bytes(text.limit));
  } else if (result.end == HttpResult::End::Stopped) {
    attempt.problem = "interrupted";
  } else if (result.end != HttpResult::End::Whole) {
    attempt.problem = result.problem;
    attempt.worth_another = result.end == HttpResult::End::Dropped;
  } else if (status != 200) {
    attempt.problem = words_of_status(status);
    attempt.worth_another = may_pass(status);
  }
  return attempt;
}

}  // namespace

std::string http_text(const TextRequest& text) {
  for (int number = 0;; ++number) {
    const Attempt attempt = attempt_once(text);
    if (attempt.problem.empty()) return attempt.body;
    if (!attempt.worth_another || number == text.retries) {
      throw Error(Fault::Io, fmt::format("{}: {}", printable(text.request.url), attempt.problem));
    }
    wait_before_retry(number + 1, text.backoff, attempt.asked_to_wait);
  }
}

}  // namespace ridgeline
