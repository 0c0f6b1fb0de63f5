#include "report/flame_graph.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(FlameGraphTest, ABoxIsAsWideAsItsShare) {
  const std::array stacks{FoldedStack{"step;mm", 75}, FoldedStack{"step;add", 25}};
  const std::string svg = flame_graph_svg(stacks, {.unit = "us", .width = 1020});
  EXPECT_THAT(
      svg,
      HasSubstr(
          "<title>step (100 us, 100.00 %)</title><rect x=\"10.0\" y=\"-36\" width=\"1000.0\""));
  EXPECT_THAT(
      svg,
      HasSubstr("<title>add (25 us, 25.00 %)</title><rect x=\"10.0\" y=\"-54\" width=\"250.0\""));
  EXPECT_THAT(
      svg,
      HasSubstr("<title>mm (75 us, 75.00 %)</title><rect x=\"260.0\" y=\"-54\" width=\"750.0\""));
}

TEST(FlameGraphTest, EqualStacksAreOneBox) {
  const std::array stacks{FoldedStack{"a;b", 1}, FoldedStack{"a;b", 2}};
  EXPECT_THAT(flame_graph_svg(stacks), HasSubstr("<title>b (3 samples, 100.00 %)</title>"));
}

TEST(FlameGraphTest, NamesStayText) {
  const std::array stacks{FoldedStack{"std::vector<int>&\x1b[31m", 1}};
  const std::string svg = flame_graph_svg(stacks, {.title = "<script>"});
  EXPECT_THAT(svg, HasSubstr("std::vector&lt;int&gt;&amp;"));
  EXPECT_THAT(svg, Not(HasSubstr("\x1b")));
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
}

TEST(FlameGraphTest, WhatCannotBeSeenIsLeftOut) {
  const std::array stacks{FoldedStack{"big", 1e6}, FoldedStack{"tiny", 1}, FoldedStack{"none", 0},
                          FoldedStack{"negative", -5}};
  const std::string svg = flame_graph_svg(stacks);
  EXPECT_THAT(svg, HasSubstr(">big"));
  for (const char* name : {"tiny", "none", "negative"}) EXPECT_THAT(svg, Not(HasSubstr(name)));
}

TEST(FlameGraphTest, NothingIsAnEmptyPicture) {
  EXPECT_THAT(flame_graph_svg({}), HasSubstr("</svg>"));
  EXPECT_THAT(flame_graph_svg({}), Not(HasSubstr("nan")));
}

TEST(FlameGraphTest, EndlessRecursionEnds) {
  std::string deep = "f";
  for (int i = 0; i < 100'000; ++i) deep += ";f";
  const std::array stacks{FoldedStack{deep, 1}};
  EXPECT_LT(flame_graph_svg(stacks).size(), 200'000U);
}

}  // namespace
}  // namespace ridgeline
