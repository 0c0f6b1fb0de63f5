#include "trace/crc32c.h"

#include <string>

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

// RFC 3720, appendix B.4, and the check value of the CRC catalogue.
TEST(Crc32cTest, GivesThePublishedValues) {
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  std::string rising;
  for (char byte = 0; byte < 32; ++byte) rising.push_back(byte);
  EXPECT_EQ(crc32c(rising), 0x46dd794eU);
}

TEST(Crc32cTest, TheMaskRotatesAndAdds) {
  const std::uint32_t crc = 0xe3069283U;
  EXPECT_EQ(masked_crc32c("123456789"), ((crc >> 15U) | (crc << 17U)) + 0xa282ead8U);
  EXPECT_EQ(masked_crc32c(""), 0xa282ead8U);
}

}  // namespace
}  // namespace ridgeline
