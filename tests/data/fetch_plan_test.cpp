#include "data/fetch_plan.h"

#include <gtest/gtest.h>

#include "core/fault_of.h"

namespace ridgeline {
namespace {

TEST(FetchPlanTest, Cifar10IsThePythonArchiveWithItsSum) {
  const FetchPlan plan = plan_fixed("cifar10", {.to = "d"});
  ASSERT_EQ(plan.items.size(), 1U);
  const DownloadRequest& request = plan.items[0].request;
  EXPECT_EQ(request.url, "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz");
  EXPECT_EQ(request.to, "d/cifar-10-python.tar.gz");
  EXPECT_EQ(request.checksum->hex, "c58f30108f718f92721af3b95e74349a");
  EXPECT_EQ(request.size, 170498071U);
}

TEST(FetchPlanTest, TheLayoutIsAskedForOrReadFromTheMirrorsUrl) {
  EXPECT_EQ(plan_fixed("cifar10", {.to = "d", .layout = "binary"}).items[0].name,
            "cifar-10-binary.tar.gz");
  const FetchPlan plan =
      plan_fixed("cifar10", {.to = "d", .url = "http://mirror/x/cifar-10-binary.tar.gz"});
  EXPECT_EQ(plan.items[0].name, "cifar-10-binary.tar.gz");
  EXPECT_EQ(plan.items[0].request.url, "http://mirror/x/cifar-10-binary.tar.gz");
}

TEST(FetchPlanTest, AMirrorIsAFolderOrTheFile) {
  EXPECT_EQ(plan_fixed("resnet18-weights", {.to = "d", .url = "http://m/w/"}).items[0].request.url,
            "http://m/w/resnet18-f37072fd.pth");
  const auto file = plan_fixed("resnet18-weights", {.to = "d", .url = "http://m/other"}).items[0];
  EXPECT_EQ(file.request.url, "http://m/other");
  EXPECT_EQ(file.request.to, "d/resnet18-f37072fd.pth");
}

TEST(FetchPlanTest, WeightsAreCheckedByTheDigitsInTheirName) {
  for (const char* source : {"resnet18-weights", "resnet34-weights", "resnet50-weights"}) {
    const FetchItem item = plan_fixed(source, {.to = "d"}).items[0];
    ASSERT_TRUE(item.request.checksum.has_value());
    EXPECT_EQ(item.request.checksum->kind, Checksum::Kind::Sha256);
    EXPECT_NE(item.name.find("-" + item.request.checksum->hex + ".pth"), std::string::npos);
  }
}

TEST(FetchPlanTest, UnknownSourcesAndLayoutsAreRefusedWithTheNearest) {
  EXPECT_NE(message_of(Fault::BadInput, [] { (void)plan_fixed("cifar11", {.to = "d"}); })
                .find("did you mean 'cifar10'"),
            std::string::npos);
  message_of(Fault::BadInput, [] { (void)plan_fixed("", {.to = "d"}); });
  message_of(Fault::BadInput, [] { (void)plan_fixed("cifar10", {.to = "d", .layout = "hdf5"}); });
  message_of(Fault::BadInput,
             [] { (void)plan_fixed("resnet18-weights", {.to = "d", .layout = "binary"}); });
}

}  // namespace
}  // namespace ridgeline
