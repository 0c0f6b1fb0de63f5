#include "trace/trace_folder.h"

#include <gmock/gmock.h>

#include "core/fault_of.h"
#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

TEST(TraceFolderTest, FilesThatCouldBeTracesComeInOrderOfName) {
  const TemporaryFolder folder;
  for (const char* const name :
       {"b.pt.trace.json.gz", "a.json", "c.sqlite", "d.txt", "json", "e.gz", "sub/f.json"})
    folder.put(name, "");
  const auto at = [&](const char* name) { return folder.path() / name; };
  EXPECT_THAT(trace_files_in(folder.path()),
              testing::ElementsAre(at("a.json"), at("b.pt.trace.json.gz"), at("c.sqlite")));
}

TEST(TraceFolderTest, AFolderThatIsNotThereIsAnError) {
  EXPECT_THAT(message_of(Fault::Io, [] { (void)trace_files_in("/no/such/folder"); }),
              testing::HasSubstr("/no/such/folder"));
}

}  // namespace
}  // namespace ridgeline
