#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/atomic_file.h"
#include "core/error.h"
#include "report/json_schema.h"
#include "report/run_document.h"
#include "report/sample_rows.h"

namespace ridgeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Json& schema() {
  static const Json json = Json::parse(read_file("docs/run.schema.json", {1e6}));
  return json;
}

bool reader_accepts(const Json& document) {
  try {
    static_cast<void>(parse_run(document.dump(), "run.json"));
    return true;
  } catch (const Error&) {
    return false;
  }
}

TEST(RunSchemaTest, ProducedDocumentsFit) {
  EXPECT_THAT(testing::schema_faults(run_json(testing::full_run()), schema()), IsEmpty());
  EXPECT_THAT(testing::schema_faults(run_json({}), schema()), IsEmpty());
}

TEST(RunSchemaTest, FaultsAreFound) {
  Json bad = run_json(testing::full_run());
  bad["rows"][0]["phases"]["total"]["median_s"] = "1";
  EXPECT_THAT(testing::schema_faults(bad, schema()),
              ElementsAre("/rows/0/phases/total/median_s: is not \"number\""));
}

void collect_paths(const Json& value, const Json::json_pointer& at,
                   std::vector<Json::json_pointer>& paths) {
  paths.push_back(at);
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) collect_paths(inner, at / key, paths);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) collect_paths(value[i], at / i, paths);
  }
}

// The published schema and the reader must agree, so each value of a document is replaced by one of
// every other type and removed, and both are asked.
TEST(RunSchemaTest, TheReaderAndTheSchemaAgree) {
  RunDocument run = testing::full_run();
  Json row = testing::without_samples(run.rows[0]);
  row["phases"] = {{"total", testing::stats(0.1)}};
  run.rows = {row, run.rows.back()};
  run.warmup_study->at("points") = {{{"warmup_steps", 1}, {"time", row["phases"]["total"]}}};
  run.notes = {"a note"};
  run.peaks = {{"machine", "box"},
               {"threads", 2},
               {"notes", {"a note"}},
               {"peaks",
                {{{"name", "fp32"},
                  {"flop_per_s", 1.5e12},
                  {"bytes_per_s", 1.5e9},
                  {"low_per_s", 1.4e12},
                  {"high_per_s", 1.6e12},
                  {"samples", 11},
                  {"threads", 2},
                  {"reached_with", "a shape"}}}}};
  const Json good = run_json(run);
  std::vector<Json::json_pointer> paths;
  collect_paths(good, Json::json_pointer(), paths);
  const std::vector<Json> others{Json("text"),  Json(-1),      Json(1.5),
                                 Json(true),    Json::array(), Json::object(),
                                 Json(nullptr), Json({1}),     Json({"a"})};
  int refused = 0;
  for (const auto& path : paths) {
    for (const Json& other : others) {
      Json changed = good;
      changed[path] = other;
      const bool fits = testing::schema_faults(changed, schema()).empty();
      ASSERT_EQ(reader_accepts(changed), fits) << path.to_string() << " = " << other;
      refused += fits ? 0 : 1;
    }
    if (path.empty() || !good[path.parent_pointer()].is_object()) continue;
    Json lacking = good;
    lacking[path.parent_pointer()].erase(path.back());
    ASSERT_EQ(reader_accepts(lacking), testing::schema_faults(lacking, schema()).empty())
        << "without " << path.to_string();
  }
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace ridgeline
