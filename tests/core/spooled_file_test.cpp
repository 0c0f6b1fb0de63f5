#include "core/spooled_file.h"

#include <array>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/error.h"
#include "core/mapped_file.h"

namespace ridgeline {
namespace {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return;
    out = FileDescriptor(ends[0]);
    in = FileDescriptor(ends[1]);
  }
  FileDescriptor out{};
  FileDescriptor in{};
};

TEST(SpooledFileTest, WhatAPipeGivesCanBeMapped) {
  Pipe pipe;
  const std::string text(3'000'000, 'x');
  std::jthread writer([&] {
    (void)write_all(pipe.in, text);
    pipe.in.close();
  });
  const SpooledFile spooled(pipe.out, "a pipe");
  const MappedFile file(spooled.path());
  EXPECT_EQ(
      std::string_view(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()),
      text);
}

TEST(SpooledFileTest, AnEmptyPipeIsAnEmptyFile) {
  Pipe pipe;
  pipe.in.close();
  EXPECT_TRUE(MappedFile(SpooledFile(pipe.out, "a pipe").path()).bytes().empty());
}

TEST(SpooledFileTest, WhatCannotBeReadIsAnErrorThatNamesIt) {
  Pipe pipe;
  try {
    const SpooledFile spooled(pipe.in, "that end");  // for writing alone
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_NE(std::string_view(error.what()).find("that end"), std::string_view::npos);
  }
}

}  // namespace
}  // namespace ridgeline
