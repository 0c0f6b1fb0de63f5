#include "cli/first_failure.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "core/error.h"

namespace ridgeline {
namespace {

TEST(FirstFailureTest, WhatFollowsIsDoneAndTheFirstIsTold) {
  FirstFailure failure(nullptr);
  failure.tell();
  failure.attempt([] { throw std::out_of_range("first"); });
  bool done = false;
  failure.attempt([&] { done = true; });
  failure.attempt([] { throw bad_input("second"); });
  EXPECT_TRUE(done);
  EXPECT_THROW(failure.tell(), std::out_of_range);
}

TEST(FirstFailureTest, ThatOfTheRunComesBeforeAll) {
  FirstFailure failure(std::make_exception_ptr(std::bad_alloc()));
  failure.attempt([] { throw bad_input("an output"); });
  EXPECT_THROW(failure.tell(), std::bad_alloc);
}

}  // namespace
}  // namespace ridgeline
