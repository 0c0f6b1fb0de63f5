#include "data/table_file.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TableFileTest : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() / name) << text;
    return folder_.path() / name;
  }
  // Stands for DuckDB: a script that prints what it was asked, or fails.
  std::string program(const std::string& body) {
    const auto path = file("duckdb", "#!/bin/sh\n" + body);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path.string();
  }
  TemporaryFolder folder_;
};

TEST_F(TableFileTest, TextIsReadAsCsvWhateverItsName) {
  const CsvContent table = read_table_file(file("x.parquet", "a,b\n1,2\n"));
  EXPECT_THAT(table.header, ElementsAre("a", "b"));
  EXPECT_THAT(table.rows.at(0), ElementsAre("1", "2"));
}

TEST_F(TableFileTest, ParquetIsAskedOfDuckDbWithItsNameQuoted) {
  const auto path = file("it's.csv", "PAR1....PAR1");
  const CsvContent table =
      read_table_file(path, {.duckdb = program(R"(printf 'query\n"%s"\n' "$5")")});
  EXPECT_THAT(table.rows.at(0).at(0), HasSubstr("it''s.csv')"));
}

TEST_F(TableFileTest, WithoutDuckDbTheMessageSaysHowToGetIt) {
  const auto path = file("x.parquet", "PAR1....PAR1");
  const std::string message =
      message_of(Fault::Io, [&] { (void)read_table_file(path, {.duckdb = "no-such-duckdb"}); });
  EXPECT_THAT(message, HasSubstr("pip install duckdb-cli"));
}

TEST_F(TableFileTest, WhatDuckDbSaysOfABrokenFileIsPassedOn) {
  const auto path = file("x.parquet", "PAR1");
  const std::string message = message_of(Fault::Io, [&] {
    (void)read_table_file(path, {.duckdb = program("echo 'too small' >&2; exit 1")});
  });
  EXPECT_THAT(message, HasSubstr("too small"));
}

}  // namespace
}  // namespace ridgeline
