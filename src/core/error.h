#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace ridgeline {

// What ends a job. What is expected (a row that does not fit, a counter that is absent) is a value.
enum class Fault { BadInput, Io, Device, Memory, Internal };
// As rows spell it: "bad_input".
[[nodiscard]] std::string_view name_of(Fault fault);

class Error : public std::runtime_error {
 public:
  Error(Fault fault, const std::string& what) : std::runtime_error(what), fault_(fault) {}
  [[nodiscard]] Fault fault() const noexcept { return fault_; }

 private:
  Fault fault_;
};

[[nodiscard]] inline Error bad_input(const std::string& what) { return {Fault::BadInput, what}; }

[[noreturn]] void broken(const char* claim, const char* file, int line);

// For our own mistakes, never user input. On in Release: a wrong number is worse than a stop.
#define RIDGELINE_CHECK(claim) \
  ((claim) ? static_cast<void>(0) : ::ridgeline::broken(#claim, __FILE__, __LINE__))

}  // namespace ridgeline
