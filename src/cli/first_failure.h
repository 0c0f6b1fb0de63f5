#pragma once

#include <exception>
#include <utility>

namespace ridgeline {

// Outputs at the end of a run stand for themselves: after one that fails the next is written still.
// What failed first, the run itself before all of them, is the one to tell.
class FirstFailure {
 public:
  explicit FirstFailure(std::exception_ptr of_the_run) : failure_(std::move(of_the_run)) {}

  template <class Work>
  void attempt(const Work& work) {
    try {
      work();
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
    }
  }
  void tell() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::exception_ptr failure_;
};

}  // namespace ridgeline
