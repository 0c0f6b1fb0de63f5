#include "core/library.h"

#include <gmock/gmock.h>

#include "core/fault_of.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;

TEST(LibraryTest, AFunctionCanBeCalled) {
  const Library library = Library::open("libm.so.6");
  EXPECT_DOUBLE_EQ(library.symbol<double (*)(double)>("sqrt")(9.0), 3.0);
}

TEST(LibraryTest, AMissingLibraryIsToldInTheLoadersWords) {
  EXPECT_THAT(message_of(Fault::Io, [] { (void)Library::open("/no/such/library.so"); }),
              HasSubstr("No such file"));
}

TEST(LibraryTest, AMissingSymbolIsNamed) {
  const Library library = Library::open("libm.so.6", {.global = true});
  EXPECT_EQ(library.find_symbol<void*>("no_such_symbol"), nullptr);
  EXPECT_THAT(message_of(Fault::Io, [&] { (void)library.symbol<void*>("no_such_symbol"); }),
              HasSubstr("no_such_symbol"));
}

}  // namespace
}  // namespace ridgeline
