#include "engine/memory_blocks.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>

#include <vector>

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

class Names final : public BlockListener {
 public:
  void name_block(const MemoryBlock& block) noexcept override { blocks.push_back(block); }
  std::vector<MemoryBlock> blocks;
};

TEST(MemoryBlocksTest, ATensorIsNamedByItsStorage) {
  Names names;
  const at::Tensor whole = at::zeros({4, 8}, at::kFloat);
  name_memory(names, whole, MemoryKind::Parameter);
  name_memory(names, whole.narrow(0, 2, 1), MemoryKind::Gradient);
  ASSERT_EQ(names.blocks.size(), 2);
  EXPECT_EQ(names.blocks[0].bytes, 4 * 8 * 4);
  EXPECT_EQ(names.blocks[0].kind, MemoryKind::Parameter);
  EXPECT_FALSE(names.blocks[0].on_device);
  EXPECT_EQ(names.blocks[0].address, reinterpret_cast<std::uint64_t>(whole.data_ptr()));
  EXPECT_EQ(names.blocks[1].address, names.blocks[0].address) << "a view is its whole storage";
  EXPECT_EQ(names.blocks[1].bytes, names.blocks[0].bytes);
}

TEST(MemoryBlocksTest, WhatHasNoMemoryHasNoName) {
  Names names;
  name_memory(names, at::Tensor(), MemoryKind::Input);
  name_memory(names, at::empty({0}), MemoryKind::Input);
  name_memory(names, Tensors{at::Tensor(), at::ones({1})}, MemoryKind::Input);
  name_memory(names, NamedTensors{{"a", at::ones({2})}}, MemoryKind::Buffer);
  ASSERT_EQ(names.blocks.size(), 2);
  EXPECT_EQ(names.blocks[1].kind, MemoryKind::Buffer);
}

TEST(MemoryBlocksTest, EveryKindHasAName) {
  for (std::size_t kind = 0; kind < kMemoryKinds; ++kind)
    EXPECT_STRNE(name_of(static_cast<MemoryKind>(kind)), "");
  EXPECT_STREQ(name_of(MemoryKind::Other), "other");
}

}  // namespace
}  // namespace ridgeline
