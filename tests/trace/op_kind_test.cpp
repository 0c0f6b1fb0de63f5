#include "trace/op_kind.h"

#include <vector>

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

struct Named {
  OpKind kind;
  std::vector<const char*> names;
};

TEST(OpKindTest, OpsOfPyTorchAreKnownByTheirWholeNames) {
  const std::vector<Named> table{
      {OpKind::Other,
       {"aten::expand",
        "aten::expand_as",
        "ExpandBackward0",
        "aten::view",
        "aten::t",
        "aten::t_",
        "TBackward0",
        "aten::permute",
        "aten::as_strided",
        "aten::_reshape_alias",
        "aten::detach",
        "aten::detach_",
        "aten::select",
        "aten::slice.Tensor",
        "aten::unsqueeze",
        "aten::conj",
        "aten::empty_strided",
        "aten::_local_scalar_dense",
        "aten::multinomial",
        "aten::split",
        "aten::transpose.int",
        "aten::narrow",
        "aten::broadcast_to"}},
      {OpKind::Elementwise,
       {"aten::exp",
        "aten::exp_",
        "aten::expm1",
        "aten::normal_",
        "aten::uniform_",
        "aten::exponential_",
        "aten::bernoulli_.float",
        "aten::add.Tensor",
        "aten::add_",
        "aten::addcmul_",
        "aten::addcdiv",
        "aten::mul",
        "MulBackward0",
        "aten::threshold_backward",
        "aten::sub",
        "aten::rsub",
        "aten::div_",
        "aten::where",
        "aten::clamp_min",
        "aten::gelu",
        "aten::gelu_backward",
        "aten::silu_",
        "aten::native_dropout_backward",
        "aten::zero_",
        "aten::fill_",
        "aten::tanh_backward",
        "aten::eq",
        "aten::ne",
        "aten::lerp_",
        "prims::mul",
        "aten::mse_loss",
        "aten::binary_cross_entropy_with_logits",
        "autograd::engine::evaluate_function: MulBackward0"}},
      {OpKind::Matmul, {"aten::mm",         "aten::bmm",
                        "aten::addmm",      "aten::addmv",
                        "aten::addmv_",     "aten::addbmm",
                        "aten::baddbmm_",   "aten::mv",
                        "aten::dot",        "aten::outer",
                        "aten::linear",     "aten::einsum",
                        "aten::matmul",     "aten::_int_mm",
                        "aten::_scaled_mm", "BmmBackward0",
                        "MvBackward0",      "mkldnn::_linear_pointwise",
                        "MyMatmulBackward", "autograd::engine::evaluate_function: AddmmBackward0"}},
      {OpKind::Reduction,
       {"aten::sum",
        "aten::sum.dim_IntList",
        "aten::mean",
        "aten::norm",
        "aten::_foreach_norm",
        "aten::linalg_vector_norm",
        "aten::_softmax",
        "aten::_softmax_backward_data",
        "aten::_log_softmax_backward_data",
        "aten::nll_loss_forward",
        "aten::nll_loss_backward",
        "NllLossBackward0",
        "aten::argmax",
        "aten::amax",
        "aten::cumsum",
        "aten::topk",
        "aten::max_pool2d_with_indices_backward",
        "MaxPool2DWithIndicesBackward0",
        "aten::all",
        "aten::adaptive_avg_pool2d"}},
      {OpKind::Copy,
       {"aten::to", "aten::_to_copy", "ToCopyBackward0", "aten::copy_", "aten::clone", "aten::cat",
        "aten::contiguous", "aten::reshape", "aten::stack", "aten::expand_copy",
        "prims::convert_element_type"}},
      {OpKind::Convolution,
       {"aten::convolution", "aten::_convolution", "aten::convolution_backward", "aten::conv2d",
        "aten::cudnn_convolution", "aten::mkldnn_convolution", "aten::conv_transpose2d"}},
      {OpKind::Normalisation,
       {"aten::native_layer_norm", "aten::native_layer_norm_backward", "aten::batch_norm",
        "NativeBatchNormBackward0", "aten::cudnn_batch_norm_backward", "aten::_fused_rms_norm",
        "aten::native_group_norm", "aten::instance_norm"}},
      {OpKind::Attention,
       {"aten::scaled_dot_product_attention", "aten::_flash_attention_forward",
        "aten::_scaled_dot_product_flash_attention_for_cpu",
        "ScaledDotProductEfficientAttentionBackward0"}},
      {OpKind::Optimizer,
       {"aten::_fused_adamw_", "aten::_fused_adam_.tensor_lr", "aten::_fused_sgd_",
        "aten::_foreach_add_", "aten::_foreach_mul_", "Optimizer.step#AdamW.step"}},
      {OpKind::Embedding,
       {"aten::embedding", "aten::embedding_dense_backward", "EmbeddingBackward0",
        "aten::index_select"}},
      {OpKind::Communication, {"c10d::allreduce_", "_c10d_functional::all_reduce"}}};
  for (const auto& [kind, names] : table) {
    for (const char* const name : names) EXPECT_EQ(kind_of_op(name), kind) << name;
  }
}

TEST(OpKindTest, KernelsOfInductorAreWhatTheirFirstPartSaysWhateverIsFusedIntoThem) {
  const std::vector<Named> table{
      {OpKind::Elementwise,
       {"triton_poi_fused_convolution_relu_3", "triton_poi_fused_add_native_layer_norm_1",
        "triton_poi_fused_mean_pow_12", "triton_poi_fused_0"}},
      {OpKind::Copy,
       {"triton_poi_fused_convert_element_type_0", "triton_poi_fused__to_copy_0",
        "triton_poi_fused_clone_7"}},
      {OpKind::Reduction, {"triton_red_fused_sum_3", "triton_per_fused__softmax_2"}},
      {OpKind::Normalisation, {"triton_per_fused_add_native_layer_norm_4"}},
      {OpKind::Matmul, {"triton_tem_fused_mm_3", "triton_tem_fused_addmm_relu_1"}},
      {OpKind::Convolution, {"triton_tem_fused_convolution_2"}},
      {OpKind::Attention, {"triton_tem_fused_flex_attention_0"}},
      {OpKind::Other, {"triton_of_somebody", "triton_tem_fused_0"}}};
  for (const auto& [kind, names] : table) {
    for (const char* const name : names) EXPECT_EQ(kind_of_op(name), kind) << name;
  }
}

TEST(OpKindTest, AMarkInsideAnotherWordIsNone) {
  EXPECT_EQ(kind_of_op("void convert_kernel<float>"), OpKind::Other);
  EXPECT_EQ(kind_of_op("void at::native::(anonymous namespace)::distribution_elementwise_grid_"
                       "stride_kernel<float, 4, normal_and_transform>"),
            OpKind::Elementwise);
  EXPECT_EQ(kind_of_op("multi_tensor_apply_kernel<TensorListMetadata<1>, LpNormFunctor<float>>"),
            OpKind::Reduction);
}

}  // namespace
}  // namespace ridgeline
