#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/units.h"

namespace ridgeline {

struct ProgressOptions {
  bool enabled = true;
  std::size_t total = 0;  // items; 0 when unknown, then there is no ETA
  // For tests; by default standard error, the steady clock, and whether the stream is a terminal.
  std::FILE* stream = nullptr;
  std::function<Seconds()> now = {};
  std::optional<bool> terminal = {};
  std::size_t columns = 0;  // 0: the terminal's width
};

// One line, redrawn at most ten times a second, on a terminal only. It uses no colour, so NO_COLOR
// has nothing to switch off.
class Progress {
 public:
  explicit Progress(ProgressOptions options);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void begin(std::string_view what);
  void update(double fraction_of_item);
  void finish_item();
  void clear();  // before anything else is printed

 private:
  void draw();
  [[nodiscard]] std::string line() const;

  std::FILE* stream_;
  std::function<Seconds()> now_;
  std::size_t total_;
  std::size_t columns_;
  bool active_;
  bool drawn_ = false;
  std::size_t finished_ = 0;
  double fraction_ = 0;
  std::string what_;
  Seconds started_{};
  std::optional<Seconds> last_drawn_;
};

}  // namespace ridgeline
