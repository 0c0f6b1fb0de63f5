#include "trace/chrome_trace.h"

#include <gmock/gmock.h>

#include "core/fault_of.h"
#include "core/gzip.h"
#include "stats/random.h"
#include "trace/hostile_trace.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;

Trace parse(std::string_view text) {
  return parse_chrome_trace(std::as_bytes(std::span(text)), "test.json");
}

std::string slices(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text +=
        fmt::format(R"({{"ph":"X","name":"n{}","cat":"cpu_op","pid":1,"tid":1,"ts":{},"dur":1}},)",
                    i % 10, i * 2);
  }
  text.pop_back();
  return text;
}

TEST(ChromeTraceTest, EveryFieldOfAGoodTraceArrives) {
  const Trace trace = parse(kGoodTrace);
  const EventTable& events = trace.events;
  ASSERT_EQ(events.size(), 6U);
  EXPECT_EQ(trace.rank, 3);
  EXPECT_EQ(trace.world_size, 8);
  EXPECT_EQ(trace.devices, std::vector<std::string>{"GPU µ"});
  EXPECT_EQ(events.kind(0), EventKind::UserAnnotation);
  EXPECT_EQ(events.name_text(1), "aten::\"mm\"");
  EXPECT_EQ(events.start_ns(1), 101500);
  EXPECT_EQ(events.duration_ns(1), 20250);
  EXPECT_EQ(events.external(1), 7U);
  EXPECT_EQ(events.track(0), events.track(1)) << "a thread written as text is the same thread";
  EXPECT_EQ(events.kind(2), EventKind::Runtime);
  EXPECT_EQ(events.correlation(2), 5U);
  EXPECT_EQ(events.kind(3), EventKind::Kernel);
  EXPECT_EQ(events.duration_ns(3), 8001);
  EXPECT_EQ(events.track(3), (Track{.device = true, .process = 0, .thread = 7}));
  EXPECT_EQ(events.bytes(4), 4096);
  EXPECT_EQ(events.bytes(3), std::nullopt);
  EXPECT_EQ(events.name_text(5), "outer");
  EXPECT_EQ(events.duration_ns(5), 1000);
  ASSERT_EQ(events.memory.size(), 1U);
  EXPECT_EQ(events.memory[0].allocated, 1024);
  EXPECT_EQ(trace.notes.untimed, 1U);
  EXPECT_EQ(trace.notes.malformed + trace.notes.without_time + trace.notes.unclosed_slices, 0U);
  EXPECT_FALSE(trace.notes.stopped);
  EXPECT_EQ(trace.notes.text_bytes, kGoodTrace.size() - 1) << "all but the last brace";
}

TEST(ChromeTraceTest, GzipAndBareArraysAreTraces) {
  EXPECT_EQ(parse(gzip_of(kGoodTrace)).events.size(), 6U);
  EXPECT_EQ(parse("[" + slices(3) + "]").events.size(), 3U);
  const Trace open = parse("[" + slices(3) + ",\n");
  EXPECT_EQ(open.events.size(), 3U);
  EXPECT_FALSE(open.notes.stopped) << "the format allows a bare array to stay open";
  EXPECT_EQ(parse("\xef\xbb\xbf[]").events.size(), 0U);
}

TEST(ChromeTraceTest, ATruncatedTraceGivesWhatCameBeforeAndSaysWhereItStopped) {
  const std::string whole = "{\"traceEvents\": [" + slices(20000) + "]}";
  const Trace cut = parse(std::string_view(whole).substr(0, whole.size() / 2));
  EXPECT_GT(cut.events.size(), 9000U);
  ASSERT_TRUE(cut.notes.stopped);
  EXPECT_TRUE(cut.notes.cut_off);
  EXPECT_THAT(*cut.notes.stopped, HasSubstr("ends early"));
  EXPECT_GT(cut.notes.text_bytes, whole.size() / 2 - 200);
  const std::string packed = gzip_of(whole);
  const Trace half = parse(std::string_view(packed).substr(0, packed.size() / 2));
  EXPECT_GT(half.events.size(), 5000U);
  EXPECT_THAT(half.notes.stopped.value_or(""), HasSubstr("gzip data ends early"));
  EXPECT_TRUE(half.notes.cut_off);
  const std::string bare = gzip_of("[" + slices(20000) + "]");
  EXPECT_TRUE(parse(std::string_view(bare).substr(0, bare.size() / 2)).notes.cut_off);
  const Trace after = parse("{\"traceEvents\": [" + slices(3) + "], \"traceName\": \"x");
  EXPECT_TRUE(after.notes.stopped);
  EXPECT_FALSE(after.notes.cut_off) << "all events are there";
}

TEST(ChromeTraceTest, WhatARecordingHadNoRoomForIsTakenFromItsHeader) {
  const auto notes = [](std::string_view ours) {
    return parse("{\"ridgeline\": " + std::string(ours) + ", \"traceEvents\": [" + slices(1) + "]}")
        .notes;
  };
  const TraceNotes told = notes(
      R"({"ops_beyond_limit": 12, "more": [1], "allocations_beyond_limit": 3, "device_beyond_limit": 4})");
  EXPECT_EQ(told.ops_beyond_limit, 12U);
  EXPECT_EQ(told.allocations_beyond_limit, 3U);
  EXPECT_EQ(told.device_beyond_limit, 4U);
  EXPECT_FALSE(told.has_all_ops() || told.has_all_allocations() || told.has_all_device_work());
  EXPECT_TRUE(notes(R"({})").has_all());
  for (const char* const odd :
       {R"("text")", "[7]", "7", "null", R"({"ops_beyond_limit": -5})",
        R"({"ops_beyond_limit": {"a": 1}})", R"({"ops_beyond_limit": "many"})",
        R"({"ops_beyond_limit": 1e300})"})
    EXPECT_TRUE(notes(odd).has_all()) << odd;
  EXPECT_EQ(notes(R"({"ops_beyond_limit": 2, "ops_beyond_limit": 7})").ops_beyond_limit, 7U);
}

TEST(ChromeTraceTest, WhatFollowsTheGzipDataAndIsNoneIsTold) {
  const std::string packed = gzip_of(kGoodTrace);
  EXPECT_FALSE(parse(packed + std::string(512, '\0')).notes.stopped) << "padding";
  const Trace trace = parse(packed + "garbage");
  EXPECT_EQ(trace.events.size(), 6U);
  EXPECT_EQ(trace.notes.stopped, "7 bytes after the gzip data are no gzip");
  EXPECT_FALSE(trace.notes.cut_off);
  const std::string_view all = kGoodTrace;
  const Trace parts =
      parse(gzip_of(std::string(all.substr(0, 100))) + gzip_of(std::string(all.substr(100))));
  EXPECT_EQ(parts.events.size(), 6U);
  EXPECT_FALSE(parts.notes.stopped);
}

TEST(ChromeTraceTest, DamagedEventsAreSkippedAndCounted) {
  const Trace trace = parse(R"([{"ph":"X" "ts":1}, 17, "text", [1,2], {"ts":1,"dur":1},
    {"ph":"X","name":"a","ts":1,"dur":1}, {"ph":"X","name":"b","ts":1},
    {"ph":"X","name":"c","ts":NaN,"dur":1}, {"ph":"X","name":"d","ts":1e300,"dur":1},
    {"ph":"X","name":"e","ts":1,"dur":-1}, {"ph":"X","name":"f","ts":{"a":1},"dur":[1]},
    {"ph":"X","name":"g","ts":2e3,"dur":1.0004,"args":7}])");
  ASSERT_EQ(trace.events.size(), 2U);
  EXPECT_EQ(trace.events.start_ns(1), 2000000);
  EXPECT_EQ(trace.events.duration_ns(1), 1000);
  EXPECT_EQ(trace.notes.malformed, 5U);
  EXPECT_EQ(trace.notes.without_time, 5U);
}

TEST(ChromeTraceTest, ControlCharactersAndWrongEscapesInNamesPass) {
  const Trace trace = parse("[{\"ph\":\"X\",\"name\":\"a\nb\\q\\u12\x01\",\"ts\":1,\"dur\":1}]");
  ASSERT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.events.name_text(0), "a\nb\\q\\u12\x01");
}

TEST(ChromeTraceTest, SlicesAreJoinedPerThreadInOrderOfTimeAndOpenOnesCounted) {
  const Trace trace = parse(R"([{"ph":"E","pid":1,"tid":1,"ts":9},
    {"ph":"B","name":"inner","pid":1,"tid":1,"ts":2}, {"ph":"B","name":"outer","pid":1,"tid":1,"ts":1},
    {"ph":"E","pid":1,"tid":1,"ts":5}, {"ph":"B","name":"open","pid":1,"tid":2,"ts":1},
    {"ph":"E","pid":1,"tid":3,"ts":1}])");
  ASSERT_EQ(trace.events.size(), 2U);
  EXPECT_EQ(trace.events.name_text(0), "inner");
  EXPECT_EQ(trace.events.duration_ns(0), 3000);
  EXPECT_EQ(trace.events.duration_ns(1), 8000);
  EXPECT_EQ(trace.notes.unclosed_slices, 2U);
}

TEST(ChromeTraceTest, AMillionBracketsAreNoDepth) {
  const std::string deep(1'000'000, '[');
  const Trace trace =
      parse("{\"x\": " + deep + std::string(deep.size(), ']') + ", \"traceEvents\": [" + slices(2) +
            ",{\"ph\":\"X\",\"args\":" + deep + "]}");
  EXPECT_EQ(trace.events.size(), 2U);
  EXPECT_TRUE(trace.notes.stopped);
}

TEST(ChromeTraceTest, AValueLongerThanTheWindowIsPassedOver) {
  const std::string longish(70'000'000, 'x');
  const Trace trace =
      parse("{\"note\": \"" + longish + "\", \"traceEvents\": [{\"ph\":\"X\",\"name\":\"" +
            longish + "\",\"ts\":1,\"dur\":1}," + slices(2) + "]}");
  EXPECT_EQ(trace.events.size(), 2U);
  EXPECT_EQ(trace.notes.too_long, 1U);
  EXPECT_FALSE(trace.notes.stopped);
}

TEST(ChromeTraceTest, WhatIsNoTraceIsRefusedWithOneLine) {
  const auto refusal = [](std::string_view text) {
    return message_of(Fault::BadInput, [&] { (void)parse(text); });
  };
  EXPECT_THAT(refusal(""), HasSubstr("test.json"));
  EXPECT_THAT(refusal("hello"), HasSubstr("neither { nor ["));
  EXPECT_THAT(refusal("{\"a\": 1}"), HasSubstr("no traceEvents"));
  EXPECT_THAT(refusal("{\"traceEvents\": 3}"), HasSubstr("no traceEvents"));
  EXPECT_THAT(refusal("\x1f\x8b garbage"), HasSubstr("the gzip data"));
}

TEST(ChromeTraceTest, ABombIsRefused) {
  const std::string bomb = gzip_of("{" + std::string(3'000'000, ' '));
  ASSERT_LT(bomb.size(), 15'000U);
  EXPECT_THAT(message_of(Fault::BadInput,
                         [&] {
                           (void)parse_chrome_trace(std::as_bytes(std::span(bomb)), "test.json",
                                                    {.least_text_limit = 10'000});
                         }),
              HasSubstr("unpacks to more than"));
}

TEST(ChromeTraceTest, EveryPrefixAndMutationIsReadOrRefused) {
  const std::string good(kGoodTrace);
  const auto check = [](const std::string& text) {
    return survives_as_trace(std::as_bytes(std::span(text)));
  };
  for (std::size_t size = 0; size <= good.size(); ++size)
    ASSERT_TRUE(check(good.substr(0, size))) << size;
  constexpr std::string_view kNasty = "\"\\{}[],:e-.0\x01\xff";
  const std::string packed = gzip_of(good);
  for (std::uint64_t round = 0; round < 4000; ++round) {
    Random random(round, 5);
    std::string text = round % 4 == 0 ? packed : good;
    for (std::uint64_t count = random.below(4) + 1; count > 0; --count) {
      const auto at = static_cast<std::size_t>(random.below(text.size()));
      switch (random.below(4)) {
        case 0:
          text[at] = kNasty[random.below(kNasty.size())];
          break;
        case 1:
          text.erase(at, random.below(20) + 1);
          break;
        case 2:
          text.insert(at, text.substr(random.below(text.size()), random.below(60)));
          break;
        default:
          text[at] = static_cast<char>(text[at] ^ (1U << random.below(8)));
          break;
      }
      if (text.empty()) text = "{";
    }
    ASSERT_TRUE(check(text)) << "round " << round;
  }
}

}  // namespace
}  // namespace ridgeline
