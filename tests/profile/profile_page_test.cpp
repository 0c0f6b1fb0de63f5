#include "profile/profile_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/sample_recording.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;
using testing::sample_recording;
using testing::WithDevice;

Page sample_page(const ProfilePage& profile, WithDevice device = WithDevice::No) {
  return profile_page(profile, profile_tables(sample_recording(device), {}));
}

TEST(ProfilePageTest, HasFindingsPictureAndTables) {
  const Page page = sample_page({.title = "a model",
                                 .findings = "- one\n- two <b>\n\nTop 1\n1. fuse\n",
                                 .cost = "Profiling cost 1.01x.",
                                 .flames = "<svg></svg>"});
  ASSERT_EQ(page.sections.size(), 5U);
  EXPECT_EQ(page.sections[0].body,
            "<ul>\n<li>one</li>\n<li>two &lt;b&gt;</li>\n</ul>\n<p>Top 1</p>\n<p>1. fuse</p>\n");
  EXPECT_THAT(page.sections[1].body, HasSubstr("<svg></svg>"));
  EXPECT_THAT(page.sections[2].body, HasSubstr("aten::mm"));
  EXPECT_THAT(page.sections[3].body, HasSubstr("layers.1"));
  EXPECT_THAT(html_page(page, {}), HasSubstr("Profiling cost 1.01x."));
}

TEST(ProfilePageTest, KernelsHaveATableOfTheirOwn) {
  const Page page = sample_page({.title = "a model"}, WithDevice::Yes);
  ASSERT_EQ(page.sections.size(), 4U);
  EXPECT_EQ(page.sections[2].id, "kernels");
  EXPECT_THAT(page.sections[2].body, HasSubstr("gemm_kernel"));
}

TEST(ProfilePageTest, WhatIsNotKnownHasNoSection) {
  const Page page = sample_page({.title = "a model"});
  EXPECT_EQ(page.sections.size(), 3U);
}

}  // namespace
}  // namespace ridgeline
