#include <array>
#include <string_view>

#include "core/nvml.h"

namespace ridgeline {

std::vector<std::string> throttle_words(std::uint64_t mask) {
  struct Reason {
    std::uint64_t bit;
    std::string_view word;
  };
  // nvml.h, nvmlClocksEventReason*; written out so that the words exist without the header.
  constexpr std::array kReasons{
      Reason{0x002, "application clocks setting"}, Reason{0x004, "power cap"},
      Reason{0x008, "hardware slowdown"},          Reason{0x010, "sync boost"},
      Reason{0x020, "software thermal slowdown"},  Reason{0x040, "hardware thermal slowdown"},
      Reason{0x080, "hardware power brake"},       Reason{0x100, "display clock setting"},
  };
  // An idle card lowers its clocks on its own: that holds nothing back.
  constexpr std::uint64_t kIdle = 0x001;
  mask &= ~kIdle;
  std::vector<std::string> words;
  for (const Reason& reason : kReasons) {
    if ((mask & reason.bit) != 0) words.emplace_back(reason.word);
    mask &= ~reason.bit;
  }
  if (mask != 0) words.emplace_back("unknown reason");
  return words;
}

}  // namespace ridgeline
