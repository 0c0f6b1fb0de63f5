#include "core/timestamp.h"

#include <chrono>

#include <fmt/format.h>

#include "core/error.h"

namespace ridgeline {
namespace {

std::time_t seconds_now() {
  return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
}

std::tm utc(std::time_t seconds_since_epoch) {
  std::tm parts{};
  RIDGELINE_CHECK(::gmtime_r(&seconds_since_epoch, &parts) != nullptr);
  return parts;
}

}  // namespace

std::string utc_now() { return iso8601(seconds_now()); }

std::string utc_now_compact() { return compact_time(seconds_now()); }

std::int64_t unix_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string iso8601(std::time_t seconds_since_epoch) {
  const std::tm t = utc(seconds_since_epoch);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", t.tm_year + 1900, t.tm_mon + 1,
                     t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec);
}

std::string compact_time(std::time_t seconds_since_epoch) {
  const std::tm t = utc(seconds_since_epoch);
  return fmt::format("{:04}{:02}{:02}-{:02}{:02}{:02}", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday,
                     t.tm_hour, t.tm_min, t.tm_sec);
}

}  // namespace ridgeline
