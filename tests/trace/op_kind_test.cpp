#include "trace/op_kind.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(OpKindTest, TheSpecialComesBeforeTheGeneral) {
  EXPECT_EQ(kind_of_op("aten::addmm"), OpKind::Matmul);
  EXPECT_EQ(kind_of_op("aten::add_"), OpKind::Elementwise);
  EXPECT_EQ(kind_of_op("aten::_fused_adamw_"), OpKind::Optimizer);
  EXPECT_EQ(kind_of_op("aten::scaled_dot_product_attention"), OpKind::Attention);
  EXPECT_EQ(kind_of_op("aten::_softmax"), OpKind::Reduction);
  EXPECT_EQ(kind_of_op("aten::native_batch_norm"), OpKind::Normalisation);
  EXPECT_EQ(kind_of_op("aten::linalg_vector_norm"), OpKind::Reduction);
  EXPECT_EQ(kind_of_op("ConvolutionBackward0"), OpKind::Convolution);
  EXPECT_EQ(kind_of_op("AddmmBackward0"), OpKind::Matmul);
  EXPECT_EQ(kind_of_op("MulBackward0"), OpKind::Elementwise);
  EXPECT_EQ(kind_of_op("aten::copy_"), OpKind::Copy);
  for (const char* const name : {"aten::reshape", "aten::flatten", "aten::contiguous", "aten::to"})
    EXPECT_EQ(kind_of_op(name), OpKind::Copy) << name;
  EXPECT_EQ(kind_of_op("aten::topk"), OpKind::Reduction);
  EXPECT_EQ(kind_of_op("my_range"), OpKind::Other);
  EXPECT_EQ(kind_of_op(""), OpKind::Other);
}

TEST(OpKindTest, KernelsAreKnownByTheirLibrariesNames) {
  EXPECT_EQ(kind_of_op("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cublas"),
            OpKind::Matmul);
  EXPECT_EQ(kind_of_op("nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT"), OpKind::Matmul);
  EXPECT_EQ(kind_of_op("Cijk_Ailk_Bljk_HHS_BH_MT128x128x16"), OpKind::Matmul);
  EXPECT_EQ(kind_of_op("void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64>>"),
            OpKind::Attention);
  EXPECT_EQ(kind_of_op("void cudnn::bn_fw_tr_1C11_kernel_NCHW<float>"), OpKind::Normalisation);
  EXPECT_EQ(kind_of_op("sm80_xmma_fprop_implicit_gemm_f32f32"), OpKind::Convolution);
  EXPECT_EQ(kind_of_op("void at::native::vectorized_elementwise_kernel<4>"), OpKind::Elementwise);
  EXPECT_EQ(kind_of_op("ncclDevKernel_AllReduce_Sum_f32_RING_LL"), OpKind::Communication);
  EXPECT_EQ(kind_of_op("Memcpy HtoD (Pinned -> Device)"), OpKind::Copy);
  EXPECT_EQ(kind_of_op("void cudnn::ops::nchwToNhwcKernel<float>"), OpKind::Copy);
}

TEST(OpKindTest, ProductsOfCudnnAreConvolutionsWhateverIsFusedIntoThem) {
  for (const char* const name :
       {"volta_scudnn_128x64_relu_interior_nn_v1", "ampere_scudnn_128x64_relu_xregs_large_nn_v1",
        "volta_scudnn_128x128_stridedB_splitK_medium_nn_v1",
        "volta_fp16_s884cudnn_fp16_256x64_ldg8_relu_f2f_exp_small_nhwc_tn_v1",
        "turing_h1688cudnn_256x64_sliced1x2_ldg8_relu_exp_small_nhwc_tn_v1",
        "cask_cudnn::computeOffsetsKernel(cask_cudnn::ComputeOffsetsParams)",
        "void cutlass_cudnn_train::Kernel<cutlass_cudnn_train::reduction::kernel::ReduceSplitK>"})
    EXPECT_EQ(kind_of_op(name), OpKind::Convolution) << name;
  EXPECT_EQ(kind_of_op("aten::cudnn_batch_norm"), OpKind::Normalisation);
  EXPECT_EQ(kind_of_op("void cudnn::bn_fw_inf_1C11_kernel_NCHW<float>"), OpKind::Normalisation);
  EXPECT_EQ(kind_of_op("volta_sgemm_128x32_nn"), OpKind::Matmul);
  EXPECT_EQ(kind_of_op("fbgemm::split_embedding_codegen_lookup_function"), OpKind::Embedding);
  EXPECT_EQ(kind_of_op("void fbgemm_gpu::permute_indices_weights_kernel"), OpKind::Other);
  EXPECT_EQ(kind_of_op("void at::native::indexSelectLargeIndex<float>"), OpKind::Embedding);
}

TEST(OpKindTest, CallsOfGlooAreCommunication) {
  EXPECT_EQ(kind_of_op("gloo:all_reduce"), OpKind::Communication);
  EXPECT_EQ(kind_of_op("record_param_comms"), OpKind::Communication);
}

TEST(OpKindTest, AttentionInOneKernelIsToldFromAttentionInMany) {
  EXPECT_TRUE(is_fused_attention("aten::_scaled_dot_product_flash_attention"));
  EXPECT_TRUE(is_fused_attention("void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits>"));
  EXPECT_TRUE(is_fused_attention("fmha_cutlassF_f32_aligned_64x64_rf_sm80"));
  EXPECT_FALSE(is_fused_attention("aten::scaled_dot_product_attention"));
}

TEST(OpKindTest, LayoutChangesAreTold) {
  EXPECT_TRUE(changes_layout("void cudnn::ops::nchwToNhwcKernel<float>"));
  EXPECT_TRUE(changes_layout("aten::contiguous"));
  EXPECT_FALSE(changes_layout("aten::copy_"));
  EXPECT_FALSE(changes_layout("aten::mm"));
}

TEST(OpKindTest, EveryKindHasAName) {
  for (std::size_t i = 0; i < kOpKinds; ++i) EXPECT_FALSE(name_of(static_cast<OpKind>(i)).empty());
  EXPECT_EQ(name_of(OpKind::Other), "other");
}

TEST(OpKindTest, ViewsMoveNoData) {
  for (const char* const name : {"aten::transpose", "aten::transpose_", "TransposeBackward0"}) {
    EXPECT_EQ(kind_of_op(name), OpKind::Other) << name;
    EXPECT_FALSE(changes_layout(name)) << name;
  }
  EXPECT_EQ(kind_of_op("aten::transpose_copy"), OpKind::Copy);
  EXPECT_TRUE(changes_layout("void transpose_readWrite_alignment_kernel<float>"));
  EXPECT_EQ(kind_of_op("aten::conv_transpose2d"), OpKind::Convolution);
  EXPECT_FALSE(changes_layout("aten::conv_transpose2d"));
}

}  // namespace
}  // namespace ridgeline
