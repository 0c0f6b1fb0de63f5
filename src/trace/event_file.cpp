#include "trace/event_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <limits>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/io_error.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostPending = 1U << 16U;

double system_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// The host becomes part of a file name; a name of the machine with a slash in it would not do.
std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name.front() == '\0') return "localhost";
  std::string host(name.data());
  std::ranges::replace(host, '/', '_');
  return host;
}

// A double beyond float's range becomes an infinity, not undefined behaviour.
float narrowed(double value) {
  constexpr double kMost = std::numeric_limits<float>::max();
  if (value > kMost) return std::numeric_limits<float>::infinity();
  if (value < -kMost) return -std::numeric_limits<float>::infinity();
  return static_cast<float>(value);
}

// TensorBoard hands settings on as JSON, which has no infinities: one would spoil the whole table.
HParams with_finite_numbers(HParams values) {
  for (auto& [name, value] : values) {
    const auto* number = std::get_if<double>(&value);
    if (number != nullptr && !std::isfinite(*number)) value = fmt::format("{}", *number);
  }
  return values;
}

}  // namespace

EventFile::EventFile(const EventFileOptions& options)
    : wall_clock_(options.wall_clock ? options.wall_clock : system_seconds) {
  std::error_code code;
  fs::create_directories(options.folder, code);
  if (code) throw io_error("make the folder", options.folder, code.value());
  const double now = wall_clock_();
  constexpr int kAttempts = 1000;
  for (int n = 0; n < kAttempts && !file_.is_open(); ++n) {
    path_ = options.folder /
            fmt::format("events.out.tfevents.{:010.0f}.{}.{}.{}", now, host_name(), ::getpid(), n);
    // TensorBoard finds the file by "tfevents" in its name and reads it as it grows.
    file_ = FileDescriptor(
        ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666));
    if (!file_.is_open() && errno != EEXIST) throw io_error("write", path_, errno);
  }
  if (!file_.is_open()) throw io_error("write", path_, EEXIST);
  append(file_version_event(now));
  flush();
}

EventFile::~EventFile() {
  try {
    flush();
  } catch (const Error&) {
    // A destructor has nobody to tell.
  }
}

void EventFile::scalar(std::string_view tag, std::int64_t step, double value) {
  append(scalar_event({.wall_s = wall_clock_(), .step = step}, tag, narrowed(value)));
}

void EventFile::text(std::string_view tag, std::int64_t step, std::string_view markdown) {
  append(text_event({.wall_s = wall_clock_(), .step = step}, tag, markdown));
}

void EventFile::start_session(const HParams& values, const std::vector<std::string>& metric_tags) {
  const double now = wall_clock_();
  const HParams finite = with_finite_numbers(values);
  append(experiment_event(now, finite, metric_tags));
  append(session_start_event(now, finite));
  flush();
}

void EventFile::end_session(SessionEnd how) {
  append(session_end_event(wall_clock_(), how));
  flush();
}

void EventFile::flush() {
  if (pending_.empty()) return;
  if (!write_all(file_, pending_)) {
    const int reason = errno;
    // Half a record would spoil all that follow it: cut it off, or write no more.
    if (::ftruncate(file_.number(), static_cast<off_t>(written_)) != 0) file_.close();
    throw io_error("write", path_, reason);
  }
  written_ += pending_.size();
  pending_.clear();
}

void EventFile::append(const WireMessage& event) {
  pending_ += framed(event);
  if (pending_.size() >= kMostPending) flush();
}

}  // namespace ridgeline
