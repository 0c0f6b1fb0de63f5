#include "core/http_text.h"

#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "core/retry.h"

// What needs a server is in tests/cli/e2e_fetch_test.py.

namespace ridgeline {
namespace {

TEST(HttpTextTest, AServerThatIsNotThereIsNamed) {
  const std::string message = message_of(Fault::Io, [] {
    (void)http_text(
        {.request = {.url = "http://127.0.0.1:1/a"}, .retries = 1, .backoff = Seconds{0.001}});
  });
  EXPECT_TRUE(message.starts_with("http://127.0.0.1:1/a: ")) << message;
}

TEST(HttpTextTest, ATokenWithALineBreakIsRefused) {
  message_of(Fault::BadInput, [] {
    (void)http_text({.request = {.url = "http://127.0.0.1:1/a", .bearer_token = "x\r\nEvil: 1"}});
  });
}

TEST(HttpTextTest, AUrlOfAnotherKindIsRefused) {
  message_of(Fault::BadInput, [] { (void)http_text({.request = {.url = "file:///dev/null"}}); });
}

TEST(RetryTest, BusyServersMayPassAndRefusalsDoNot) {
  for (const long status : {408L, 429L, 500L, 503L}) EXPECT_TRUE(may_pass(status));
  for (const long status : {200L, 301L, 400L, 401L, 403L, 404L, 416L}) {
    EXPECT_FALSE(may_pass(status));
  }
}

}  // namespace
}  // namespace ridgeline
