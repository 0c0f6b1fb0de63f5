#include "core/error.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(ErrorTest, FaultsHaveTheNamesThatRowsRecord) {
  EXPECT_EQ(name_of(Fault::BadInput), "bad_input");
  EXPECT_EQ(name_of(Fault::Io), "io");
  EXPECT_EQ(name_of(Fault::Device), "device");
  EXPECT_EQ(name_of(Fault::Memory), "memory");
  EXPECT_EQ(name_of(Fault::Internal), "internal");
}

TEST(ErrorTest, AFailedCheckNamesItsClaimAndPlace) {
  try {
    RIDGELINE_CHECK(1 > 2);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::Internal);
    EXPECT_NE(std::string(error.what()).find("1 > 2"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("error_test.cpp"), std::string::npos);
  }
}

}  // namespace
}  // namespace ridgeline
