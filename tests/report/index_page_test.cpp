#include "report/index_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(IndexPageTest, EntriesLinkToTheirReportsAndCarryTheirNotes) {
  const std::string page = index_page(
      "Mine",
      {{.title = "look"}, {.title = "time", .link = "2-bench/report.html", .note = "exit code 3"}});
  EXPECT_THAT(page, HasSubstr("<h1>Mine</h1>"));
  EXPECT_THAT(page, HasSubstr("<li>look</li>"));
  EXPECT_THAT(page, HasSubstr("<a href=\"2-bench/report.html\">time</a> (exit code 3)"));
}

TEST(IndexPageTest, WhatComesFromOutsideIsEscaped) {
  const std::string page = index_page("<script>alert(\"1\") & more</script>",
                                      {{.title = "a<b>&c", .link = "1-\"bench/report.html"}});
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&quot;1&quot;) &amp; more&lt;/script&gt;"));
  EXPECT_THAT(page, HasSubstr("a&lt;b&gt;&amp;c"));
  EXPECT_THAT(page, HasSubstr("href=\"1-&quot;bench/report.html\""));
}

}  // namespace
}  // namespace ridgeline
