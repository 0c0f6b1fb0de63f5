#include "report/run_document.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/atomic_file.h"
#include "core/error.h"
#include "core/temporary_folder.h"
#include "report/sample_rows.h"

namespace ridgeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::string all_lines(const Rows& rows) {
  std::string text;
  for (const Json& row : rows) text += json_line(row);
  return text;
}

template <class Parse>
std::string message_of(Parse&& parse) {
  try {
    static_cast<void>(parse());
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::BadInput);
    return error.what();
  }
  return "no error";
}

std::string run_message(const Json& json) {
  return message_of([&] { return parse_run(json.dump(), "run.json"); });
}

TEST(RunDocumentTest, WhatIsWrittenReadsBack) {
  const RunDocument run = testing::full_run();
  const RunDocument back = parse_run(json_text(run_json(run)), "run.json");
  EXPECT_EQ(run_json(back), run_json(run));
  EXPECT_EQ(back.command, "bench");
  EXPECT_THAT(back.rows, SizeIs(10));
  EXPECT_TRUE(back.warmup_study.has_value());
}

TEST(RunDocumentTest, WhatIsNotKnownIsAbsent) {
  EXPECT_EQ(run_json({}), Json({{"schema_version", 1}, {"rows", Json::array()}}));
}

TEST(RunDocumentTest, RowsReadLineByLine) {
  const Rows rows = testing::full_run().rows;
  const RunDocument run = parse_rows(all_lines(rows), "rows.jsonl");
  EXPECT_EQ(run.rows, rows);
  EXPECT_THAT(run.notes, IsEmpty());
  EXPECT_THAT(parse_rows("", "rows.jsonl").rows, IsEmpty());
  EXPECT_THAT(parse_rows("\n\r\n", "rows.jsonl").rows, IsEmpty());
}

TEST(RunDocumentTest, ACutOffLastRowIsDroppedAndTold) {
  const Rows rows = testing::full_run().rows;
  std::string text = all_lines(rows);
  text.resize(text.size() - 40);
  const RunDocument run = parse_rows(text, "rows.jsonl");
  EXPECT_THAT(run.rows, SizeIs(rows.size() - 1));
  EXPECT_THAT(run.notes, ElementsAre("rows.jsonl:10: the last row was cut off and is left out"));
}

TEST(RunDocumentTest, ALastRowWithoutItsLineEndIsKept) {
  const std::string text = testing::plain_row("small", 1, 128, 0.1).dump();
  const RunDocument run = parse_rows(text, "rows.jsonl");
  EXPECT_THAT(run.rows, SizeIs(1));
  EXPECT_THAT(run.notes, IsEmpty());
}

TEST(RunDocumentTest, RowsCutAtAnyByteGiveTheRowsBeforeTheCut) {
  const Rows rows{testing::without_samples(testing::plain_row("small", 1, 128, 0.1)),
                  testing::unmeasured_row("failed", "µ"),
                  testing::without_samples(testing::step_row("medium", 2, 256, 0.2))};
  const std::string text = all_lines(rows);
  std::vector<std::size_t> ends;
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    ends.push_back(at);
  }
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const RunDocument run = parse_rows(text.substr(0, cut), "rows.jsonl");
    const auto whole = static_cast<std::size_t>(
        std::ranges::count_if(ends, [&](std::size_t end) { return end <= cut; }));
    ASSERT_EQ(run.rows.size(), whole) << "cut at " << cut;
    const bool between = cut == 0 || text[cut - 1] == '\n' || std::ranges::count(ends, cut) > 0;
    ASSERT_EQ(run.notes.size(), between ? 0U : 1U) << "cut at " << cut;
  }
}

TEST(RunDocumentTest, ARunCutAtAnyByteIsAnErrorWithAPosition) {
  RunDocument small;
  small.command = "bench";
  small.rows = {testing::without_samples(testing::plain_row("small", 1, 128, 0.1))};
  const std::string text = json_text(run_json(small));
  for (std::size_t cut = 0; cut + 1 < text.size(); ++cut) {
    const auto message = message_of([&] { return parse_run(text.substr(0, cut), "run.json"); });
    ASSERT_THAT(message, ::testing::MatchesRegex("run\\.json:[0-9]+:[0-9]+: (.|\n)*"));
  }
}

// Bytes changed at random must give a document or an Error, never anything else.
TEST(RunDocumentTest, DamagedFilesAreReadOrRefused) {
  const std::string whole = json_text(run_json(testing::full_run()));
  const std::string lines = all_lines(testing::full_run().rows);
  std::mt19937 random(7);
  const auto damaged = [&](std::string text) {
    for (int i = 0; i < 3; ++i) {
      text[random() % text.size()] = static_cast<char>(random() % 256);
    }
    return text;
  };
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    try {
      static_cast<void>(parse_run(damaged(whole), "run.json"));
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), StartsWith("run.json"));
      ++refused;
    }
    try {
      static_cast<void>(parse_rows(damaged(lines), "rows.jsonl"));
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), StartsWith("rows.jsonl:"));
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(RunDocumentTest, AWrongTypeIsNamedByItsPath) {
  const Json good = run_json(testing::full_run());
  Json bad = good;
  bad["rows"][3]["phases"]["forward"]["mean_s"] = "fast";
  EXPECT_EQ(run_message(bad), "run.json: /rows/3/phases/forward/mean_s: must be a number");
  bad = good;
  bad["rows"][0].erase("outcome");
  EXPECT_EQ(run_message(bad), "run.json: /rows/0/outcome: is missing");
  bad = good;
  bad["rows"][0]["outcome"] = "great";
  EXPECT_EQ(run_message(bad),
            "run.json: /rows/0/outcome: must be one of measured, skipped, failed");
  bad = good;
  bad["rows"][0]["settings"]["batch_size"] = -4;
  EXPECT_EQ(run_message(bad),
            "run.json: /rows/0/settings/batch_size: must be a whole number, 0 or more");
  bad = good;
  bad["rows"][0].erase("phases");
  EXPECT_EQ(run_message(bad), "run.json: /rows/0/phases: is missing from a measured row");
  bad = good;
  bad["warmup_study"]["points"][1].erase("time");
  EXPECT_EQ(run_message(bad), "run.json: /warmup_study/points/1/time: is missing");
  bad = good;
  bad["verdicts"][0]["verdict"] = "maybe";
  EXPECT_THAT(run_message(bad), StartsWith("run.json: /verdicts/0/verdict: must be one of"));
}

TEST(RunDocumentTest, AnotherShapeIsRefused) {
  EXPECT_EQ(run_message(Json::array()), "run.json: must be an object");
  EXPECT_EQ(run_message({{"schema_version", 1}}), "run.json: /rows: is missing");
  EXPECT_EQ(run_message({{"schema_version", 1}, {"rows", 5}}), "run.json: /rows: must be a list");
  EXPECT_EQ(run_message({{"schema_version", 2}, {"rows", Json::array()}}),
            "run.json: /schema_version: is 2; this program reads 1");
}

TEST(RunDocumentTest, ARowThatIsWrongIsNamedByItsLine) {
  const std::string good = json_line(testing::plain_row("small", 1, 128, 0.1));
  EXPECT_EQ(message_of([&] { return parse_rows(good + "{\"label\":\"x\"}\n", "r"); }),
            "r:2: /settings: is missing");
  EXPECT_THAT(message_of([&] { return parse_rows(good + "{oops}\n" + good, "r"); }),
              StartsWith("r:2:2: syntax error"));
}

TEST(RunDocumentTest, DeepNestingAndHugeNumbersAreRefused) {
  const std::string deep(100'000, '[');
  EXPECT_THAT(message_of([&] { return parse_run(deep, "run.json"); }),
              HasSubstr("nested too deeply"));
  EXPECT_THAT(message_of([&] { return parse_rows(deep + "\n", "rows.jsonl"); }),
              HasSubstr("nested too deeply"));
  EXPECT_THAT(message_of([&] { return parse_run("{\"schema_version\":1e999}", "run.json"); }),
              StartsWith("run.json"));
}

TEST(RunDocumentTest, BytesThatAreNoUtf8AreWrittenAsReplacement) {
  EXPECT_EQ(json_line(Json("a\xFF")), "\"a\xEF\xBF\xBD\"\n");
}

TEST(ReadRunTest, TheWholeDocumentIsPreferred) {
  const TemporaryFolder folder;
  write_file_atomically(folder.path() / "rows.jsonl", all_lines(testing::full_run().rows));
  const RunDocument rows = read_run(folder.path());
  EXPECT_THAT(rows.rows, SizeIs(10));
  EXPECT_THAT(rows.notes, ElementsAre(HasSubstr("did not finish")));
  EXPECT_FALSE(rows.command.has_value());
  write_file_atomically(folder.path() / "run.json", json_text(run_json(testing::full_run())));
  EXPECT_EQ(read_run(folder.path()).command, "bench");
}

TEST(ReadRunTest, AFolderWithoutARunIsAnError) {
  const TemporaryFolder folder;
  EXPECT_THROW(static_cast<void>(read_run(folder.path())), Error);
  EXPECT_THROW(static_cast<void>(read_run(folder.path() / "absent")), Error);
  std::filesystem::create_directory(folder.path() / "run.json");
  EXPECT_THROW(static_cast<void>(read_run(folder.path())), Error);
}

}  // namespace
}  // namespace ridgeline
