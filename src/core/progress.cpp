#include "core/progress.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/display.h"
#include "core/format.h"

namespace ridgeline {
namespace {

constexpr Seconds kBetweenDraws{0.1};
constexpr std::size_t kUsualColumns = 80;

bool is_terminal(std::FILE* stream) {
  const char* kind = std::getenv("TERM");
  return ::isatty(::fileno(stream)) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

std::size_t width_of(std::FILE* stream) {
  winsize size{};
  const bool known = ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsualColumns;
}

Seconds steady_now() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace

Progress::Progress(ProgressOptions options)
    : stream_(options.stream == nullptr ? stderr : options.stream),
      now_(options.now ? std::move(options.now) : steady_now),
      total_(options.total),
      columns_(options.columns == 0 ? width_of(stream_) : options.columns),
      active_(options.enabled && options.terminal.value_or(is_terminal(stream_))),
      started_(now_()) {}

Progress::~Progress() { clear(); }

void Progress::begin(std::string_view what) {
  what_ = printable(what);
  fraction_ = 0;
  last_drawn_.reset();
  draw();
}

void Progress::update(double fraction_of_item) {
  fraction_ = std::isfinite(fraction_of_item) ? std::clamp(fraction_of_item, 0.0, 1.0) : 0.0;
  draw();
}

void Progress::finish_item() {
  ++finished_;
  fraction_ = 0;
  draw();
}

void Progress::clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stream_);
  std::fflush(stream_);
  drawn_ = false;
}

void Progress::draw() {
  if (!active_) return;
  const Seconds now = now_();
  if (last_drawn_ && now - *last_drawn_ < kBetweenDraws) return;
  last_drawn_ = now;
  drawn_ = true;
  // One column stays free: a full line would wrap on some terminals.
  fmt::print(stream_, "\r{}\x1b[K", shortened(line(), columns_ - 1));
  std::fflush(stream_);
}

std::string Progress::line() const {
  if (total_ == 0) return what_;
  const double done = static_cast<double>(finished_) + fraction_;
  const double left = static_cast<double>(total_) - done;
  std::string eta;
  if (done > 0 && left > 0) {
    eta = fmt::format(
        ", {} left", format_seconds(Seconds{std::ceil((now_() - started_).count() * left / done)}));
  }
  return fmt::format("[{}/{}] {} {:.0f} %{}", std::min(finished_ + 1, total_), total_, what_,
                     100 * fraction_, eta);
}

}  // namespace ridgeline
