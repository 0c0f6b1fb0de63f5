#include "trace/event_message.h"

#include <gtest/gtest.h>

#include "trace/crc32c.h"

namespace ridgeline {
namespace {

using namespace std::string_literals;

TEST(EventMessageTest, TheFileVersionIsTheOneReadersExpect) {
  EXPECT_EQ(file_version_event(1.0).encoded(),
            "\x09\x00\x00\x00\x00\x00\x00\xf0\x3f\x1a\x0d"
            "brain.Event:2"s);
}

TEST(EventMessageTest, AScalarIsASimpleValueWithItsTag) {
  EXPECT_EQ(scalar_event({.wall_s = 1.0, .step = 3}, "a", 1.0F).encoded(),
            "\x09\x00\x00\x00\x00\x00\x00\xf0\x3f\x10\x03\x2a\x0a\x0a\x08\x0a\x01"
            "a"
            "\x15\x00\x00\x80\x3f"s);
}

TEST(EventMessageTest, ARecordHoldsLengthDataAndTheChecksumOfEach) {
  const WireMessage event = WireMessage().integer(1, 1);
  std::string expected = "\x02\0\0\0\0\0\0\0"s;
  append_little_endian(expected, masked_crc32c("\x02\0\0\0\0\0\0\0"s), 4);
  expected += "\x08\x01";
  append_little_endian(expected, masked_crc32c("\x08\x01"), 4);
  EXPECT_EQ(framed(event), expected);
}

TEST(EventMessageTest, SessionEventsNameTheirPluginAndKeepEveryType) {
  const HParams values{{"lr", 0.5}, {"amp", true}, {"model", std::string("resnet18")}};
  const std::string start = session_start_event(1.0, values).encoded();
  EXPECT_NE(start.find("_hparams_/session_start_info"), std::string::npos);
  EXPECT_NE(start.find("\x0a\x07hparams"), std::string::npos);
  EXPECT_NE(start.find("\x0a\x0f\x0a\x02lr\x12\x09\x11"s), std::string::npos);
  EXPECT_NE(start.find("\x0a\x09\x0a\x03"
                       "amp\x12\x02\x20\x01"s),
            std::string::npos);
  EXPECT_NE(start.find("\x12\x0a\x1a\x08resnet18"), std::string::npos);
  const std::string experiment = experiment_event(1.0, values, {"test/accuracy"}).encoded();
  EXPECT_NE(experiment.find("\x2a\x11\x0a\x0f\x12\x0dtest/accuracy"), std::string::npos);
  EXPECT_NE(session_end_event(1.0, SessionEnd::Failure).encoded().find("\x22\x0b\x08\x02\x11"),
            std::string::npos);
}

}  // namespace
}  // namespace ridgeline
