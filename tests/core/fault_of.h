#pragma once

#include <string>

#include <gtest/gtest.h>

#include "core/error.h"

namespace ridgeline {

// The message of the Error that `action` throws; fails the test when it throws none of that kind.
template <class Action>
std::string message_of(Fault fault, Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.fault()), static_cast<int>(fault)) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace ridgeline
