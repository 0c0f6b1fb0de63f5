#include "trace/event_file.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/atomic_file.h"
#include "core/fault_of.h"
#include "core/file_size_limit.h"
#include "core/temporary_folder.h"
#include "trace/crc32c.h"

namespace ridgeline {
namespace {

EventFileOptions at(const std::filesystem::path& folder) {
  return {.folder = folder, .wall_clock = [] { return 1700000000.25; }};
}

std::string content(const EventFile& file) { return read_file(file.path(), Bytes{1e7}); }

std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) {
    value = (value << 8U) | static_cast<unsigned char>(bytes.at(at + i));
  }
  return value;
}

// The data of each record, every length and checksum verified.
std::vector<std::string> records(std::string_view bytes) {
  std::vector<std::string> found;
  while (!bytes.empty()) {
    const std::uint64_t length = little_endian(bytes, 0, 8);
    EXPECT_EQ(little_endian(bytes, 8, 4), masked_crc32c(bytes.substr(0, 8)));
    const std::string_view data = bytes.substr(12, length);
    EXPECT_EQ(little_endian(bytes, 12 + length, 4), masked_crc32c(data));
    found.emplace_back(data);
    bytes.remove_prefix(16 + length);
  }
  return found;
}

TEST(EventFileTest, ItIsNamedAsTensorBoardLooksForItAndStartsWithTheVersion) {
  const TemporaryFolder folder;
  const EventFile file(at(folder.path() / "run"));
  EXPECT_TRUE(file.path().filename().string().starts_with("events.out.tfevents.1700000000."));
  EXPECT_EQ(records(content(file)), std::vector{file_version_event(1700000000.25).encoded()});
}

TEST(EventFileTest, TwoFilesOfOneSecondDoNotShareAName) {
  const TemporaryFolder folder;
  const EventFile first(at(folder.path()));
  const EventFile second(at(folder.path()));
  EXPECT_NE(first.path(), second.path());
}

TEST(EventFileTest, RecordsAreThereAfterAFlush) {
  const TemporaryFolder folder;
  EventFile file(at(folder.path()));
  file.scalar("loss", 7, 0.5);
  file.text("notes", 0, "*fine*");
  EXPECT_EQ(records(content(file)).size(), 1U);
  file.flush();
  const auto found = records(content(file));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[1], scalar_event({1700000000.25, 7}, "loss", 0.5F).encoded());
  EXPECT_EQ(found[2], text_event({1700000000.25, 0}, "notes", "*fine*").encoded());
}

TEST(EventFileTest, ManyRecordsDoNotWaitForAFlush) {
  const TemporaryFolder folder;
  EventFile file(at(folder.path()));
  for (int step = 0; step < 2000; ++step) file.scalar("loss", step, 1.0);
  EXPECT_GT(records(content(file)).size(), 1000U);
}

TEST(EventFileTest, TheDestructorFlushes) {
  const TemporaryFolder folder;
  std::filesystem::path path;
  {
    EventFile file(at(folder.path()));
    path = file.path();
    file.scalar("loss", 1, 1.0);
  }
  EXPECT_EQ(records(read_file(path, Bytes{1e6})).size(), 2U);
}

TEST(EventFileTest, ValuesBeyondAFloatBecomeInfinities) {
  const TemporaryFolder folder;
  EventFile file(at(folder.path()));
  file.scalar("x", 0, 1e300);
  file.scalar("x", 1, -1e300);
  file.scalar("x", 2, std::nan(""));
  file.flush();
  const auto found = records(content(file));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(found.at(1), scalar_event({1700000000.25, 0}, "x", kInfinity).encoded());
  EXPECT_EQ(found.at(2), scalar_event({1700000000.25, 1}, "x", -kInfinity).encoded());
}

TEST(EventFileTest, ASessionIsThreeRecords) {
  const TemporaryFolder folder;
  EventFile file(at(folder.path()));
  file.start_session({{"lr", 0.1}}, {"loss"});
  EXPECT_EQ(records(content(file)).size(), 3U);
  file.end_session(SessionEnd::Success);
  EXPECT_EQ(records(content(file)).back(),
            session_end_event(1700000000.25, SessionEnd::Success).encoded());
}

TEST(EventFileTest, SettingsThatAreNoFiniteNumbersBecomeWords) {
  const TemporaryFolder folder;
  EventFile file(at(folder.path()));
  file.start_session({{"clip", std::numeric_limits<double>::infinity()}}, {});
  EXPECT_EQ(records(content(file)).back(),
            session_start_event(1700000000.25, {{"clip", std::string("inf")}}).encoded());
}

TEST(EventFileTest, AFullDiskLeavesWholeRecordsAndLosesNothing) {
  const TemporaryFolder folder;
  EventFile file(at(folder.path()));
  for (int step = 0; step < 100; ++step) file.scalar("loss", step, 1.0);
  {
    const FileSizeLimit limit(500);
    const std::string message = message_of(Fault::Io, [&] { file.flush(); });
    EXPECT_NE(message.find(file.path().string()), std::string::npos);
  }
  EXPECT_EQ(records(content(file)).size(), 1U);
  file.flush();
  EXPECT_EQ(records(content(file)).size(), 101U);
}

TEST(EventFileTest, AFolderThatCannotBeMadeIsAnError) {
  const TemporaryFolder folder;
  folder.put("file", "x");
  message_of(Fault::Io, [&] { const EventFile file(at(folder.path() / "file" / "run")); });
}

}  // namespace
}  // namespace ridgeline
