#include "profile/whole_ops.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(WholeOpsTest, ViewsAndConversionsAreWholeAndWorkIsNot) {
  for (const char* name :
       {"aten::t", "aten::view", "aten::reshape", "aten::_to_copy", "aten::slice"})
    EXPECT_TRUE(is_whole_op(name)) << name;
  for (const char* name : {"aten::mm", "aten::linear", "aten::to", "aten::copy_", "aten::", "t", "",
                           "mine::t", "aten::tanh", "aten::views"})
    EXPECT_FALSE(is_whole_op(name)) << name;
}

}  // namespace
}  // namespace ridgeline
