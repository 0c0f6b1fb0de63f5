#include "core/download.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/display.h"
#include "core/error.h"
#include "core/format.h"
#include "core/http.h"
#include "core/part_file.h"
#include "core/retry.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

// Less than this between two drops is no progress: a server that gives a byte a time would hold us
// for ever.
constexpr std::uint64_t kWorthwhile = 1U << 16U;

// If-Range takes no weak tag: two versions may share one.
std::string validator_of(const HttpHead& head) {
  if (!head.etag.empty() && !head.etag.starts_with("W/")) return head.etag;
  return head.last_modified;
}

Bytes as_bytes(std::uint64_t count) { return Bytes{static_cast<double>(count)}; }

class Transfer {
 public:
  Transfer(const DownloadRequest& request, const DownloadOptions& options)
      : request_(request), options_(options), part_(request.to) {}

  DownloadResult run() {
    bring();
    std::string wrong = fault_of_part();
    if (!wrong.empty() && resumed_from_ > 0) {
      // The old part may be of another version of the file: once more, from the start.
      forget_part();
      bring();
      wrong = fault_of_part();
    }
    if (!wrong.empty()) {
      part_.remove();
      throw failure(wrong + "; the wrong file was removed");
    }
    part_.finish();
    return {.was_there = false, .bytes = part_.size(), .resumed_from = resumed_from_};
  }

 private:
  enum class Outcome { Done, Again, StartOver };

  [[nodiscard]] Error failure(const std::string& why) const {
    return {Fault::Io, fmt::format("{}: {}", printable(request_.url), why)};
  }

  void forget_part() {
    part_.start_over({});
    resumed_from_ = 0;
  }

  void bring() {
    if (!may_resume()) forget_part();
    resumed_from_ = part_.size();
    if (part_.size() > 0 && part_.size() == request_.size) return;
    int idle = 0;
    std::uint64_t furthest = part_.size();  // starting over and over again is no progress either
    bool started_over = false;
    for (;;) {
      const Outcome outcome = try_once();
      if (outcome == Outcome::Done) return;
      if (outcome == Outcome::StartOver) {
        if (std::exchange(started_over, true)) throw failure("the server refuses to start over");
        forget_part();
        continue;
      }
      idle = part_.size() >= furthest + kWorthwhile ? 0 : idle + 1;
      furthest = std::max(furthest, part_.size());
      if (idle > options_.retries) throw failure(gave_up());
      wait_before_retry(std::max(idle, 1), options_.backoff, asked_to_wait_);
      asked_to_wait_.reset();
      if (!may_resume()) forget_part();
    }
  }

  // With neither the server's word for the version nor a checksum at the end, two versions could
  // be joined unnoticed.
  [[nodiscard]] bool may_resume() const {
    if (part_.size() == 0 || (request_.size && part_.size() > *request_.size)) return false;
    const PartOrigin origin = part_.origin();
    return origin.url == request_.url && (!origin.validator.empty() || request_.checksum);
  }

  Outcome try_once() {
    const std::uint64_t offset = part_.size();
    HttpRequest get{.url = request_.url,
                    .bearer_token = request_.bearer_token,
                    .headers = {},
                    .connect_timeout = options_.connect_timeout,
                    .stall_timeout = options_.stall_timeout};
    if (offset > 0) {
      get.headers.push_back(fmt::format("Range: bytes={}-", offset));
      const std::string validator = part_.origin().validator;
      if (!validator.empty()) get.headers.push_back("If-Range: " + validator);
    }
    bool begun = false;
    bool wrong_range = false;
    const HttpResult result =
        http_get(get, {.on_body = [&](const HttpHead& head, std::string_view bytes) {
                   wrong_range = head.status == 206 && head.range_start != offset;
                   if (wrong_range) return false;
                   if (!std::exchange(begun, true)) begin(head);
                   take(bytes);
                   return true;
                 }});
    if (wrong_range) return Outcome::StartOver;
    if (result.end == HttpResult::End::Whole && result.head.status == 200 && !begun)
      begin(result.head);  // an empty file
    return judge(result, offset);
  }

  void begin(const HttpHead& head) {
    if (head.status != 206) {
      resumed_from_ = 0;
      part_.start_over({.url = request_.url, .validator = validator_of(head)});
    }
    total_ = request_.size;
    if (!total_ && head.length) total_ = part_.size() + *head.length;
    std::error_code code;
    const fs::space_info space = fs::space(part_.path(), code);
    if (code || !total_ || *total_ <= part_.size()) return;
    const std::uint64_t missing = *total_ - part_.size();
    if (space.available < missing) {
      throw failure(fmt::format("no space: {} to come, {} free on the disk of '{}'",
                                format_bytes(as_bytes(missing)),
                                format_bytes(as_bytes(space.available)), request_.to.string()));
    }
  }

  void take(std::string_view bytes) {
    if (request_.size && part_.size() + bytes.size() > *request_.size) {
      part_.remove();
      throw failure(
          fmt::format("the file is larger than the {} bytes it should have", *request_.size));
    }
    part_.append(bytes);
    if (options_.progress) options_.progress(part_.size(), total_);
  }

  Outcome judge(const HttpResult& result, std::uint64_t offset) {
    const long status = result.head.status;
    switch (result.end) {
      case HttpResult::End::Stopped:
        throw failure("interrupted" + kept());
      case HttpResult::End::Refused:
        throw failure(result.problem);
      case HttpResult::End::Dropped:
        problem_ = result.problem;
        return Outcome::Again;
      case HttpResult::End::Whole:
        break;
    }
    if (status == 200 || (status == 206 && offset > 0)) return Outcome::Done;
    if (status == 416 && offset > 0) return Outcome::StartOver;
    problem_ = words_of_status(status);
    if (!may_pass(status)) throw failure(problem_);
    asked_to_wait_ = result.head.retry_after;
    return Outcome::Again;
  }

  [[nodiscard]] std::string kept() const {
    if (part_.size() == 0) return "";
    return fmt::format("; {} are kept in '{}', the same command goes on",
                       format_bytes(as_bytes(part_.size())), part_.path().string());
  }

  [[nodiscard]] std::string gave_up() const {
    return fmt::format("{} ({} attempts brought nothing new){}", problem_, options_.retries + 1,
                       kept());
  }

  // What is wrong with a complete part; empty when nothing is.
  [[nodiscard]] std::string fault_of_part() const {
    if (request_.size && part_.size() != *request_.size)
      return fmt::format("{} bytes came, {} expected", part_.size(), *request_.size);
    if (!request_.checksum) return {};
    const std::string sum = sum_of_file(request_.checksum->kind, part_.path());
    if (matches(*request_.checksum, sum)) return {};
    return fmt::format("its {} is {}, expected {}", name_of(request_.checksum->kind), sum,
                       request_.checksum->hex);
  }

  const DownloadRequest& request_;
  const DownloadOptions& options_;
  PartFile part_;
  std::optional<std::uint64_t> total_;
  std::uint64_t resumed_from_ = 0;
  std::string problem_;
  std::optional<Seconds> asked_to_wait_;
};

}  // namespace

bool is_downloaded(const DownloadRequest& request) {
  std::error_code code;
  if (!fs::is_regular_file(request.to, code)) return false;
  if (request.size && fs::file_size(request.to, code) != *request.size) return false;
  return !request.checksum ||
         matches(*request.checksum, sum_of_file(request.checksum->kind, request.to));
}

DownloadResult download(const DownloadRequest& request, const DownloadOptions& options) {
  if (is_downloaded(request))
    return {.was_there = true, .bytes = fs::file_size(request.to), .resumed_from = 0};
  return Transfer(request, options).run();
}

}  // namespace ridgeline
