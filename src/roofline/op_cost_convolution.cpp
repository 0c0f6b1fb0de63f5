#include <array>

#include "roofline/op_model.h"

namespace ridgeline {
namespace {

// A list of one number stands for all dimensions.
std::int64_t at(const std::vector<std::int64_t>& list, std::size_t place) {
  return list.size() == 1 ? list.front() : list[place];
}

// Where in the op's inputs these stand; they differ from op to op.
struct Places {
  std::size_t padding;
  std::size_t stride;
  std::size_t dilation;
};

// Elements of the output of an ordinary convolution; absent when the op was not called like one.
std::optional<double> output_elements(const OpCall& call, const Places& places) {
  const OpInput* const x = call.tensor(0);
  const OpInput* const weight = call.tensor(1);
  const auto* const padding = call.list(places.padding);
  const auto* const stride = call.list(places.stride);
  const auto* const dilation = call.list(places.dilation);
  if (x == nullptr || weight == nullptr || padding == nullptr || stride == nullptr ||
      dilation == nullptr || x->sizes.size() < 3 || x->sizes.size() != weight->sizes.size())
    return std::nullopt;
  const std::size_t space = x->sizes.size() - 2;
  double elements = static_cast<double>(x->sizes[0]) * static_cast<double>(weight->sizes[0]);
  for (const auto* const list : {padding, stride, dilation}) {
    if (list->size() != 1 && list->size() != space) return std::nullopt;
  }
  for (std::size_t i = 0; i < space; ++i) {
    const std::int64_t step = at(*stride, i);
    const std::int64_t reach = at(*dilation, i) * (weight->sizes[i + 2] - 1) + 1;
    const std::int64_t padded = x->sizes[i + 2] + 2 * at(*padding, i);
    if (step <= 0 || padded < reach) return std::nullopt;
    elements *= static_cast<double>((padded - reach) / step + 1);
  }
  return elements;
}

// Multiply-adds of an output's element: one for every weight of its channel.
double taps(const OpInput& weight) {
  return weight.elements() / static_cast<double>(weight.sizes[0]);
}

std::optional<OpWork> forward(const OpCall& call, const Places& places,
                              const OpCostOptions& options) {
  const auto outputs = output_elements(call, places);
  if (!outputs) return std::nullopt;
  const OpInput& x = *call.tensor(0);
  const OpInput& weight = *call.tensor(1);
  OpWork work =
      product_work(x.type, 2 * *outputs * taps(weight),
                   x.bytes().count + weight.bytes().count + *outputs * width_of(x.type), options);
  if (const OpInput* const bias = call.tensor(2)) {
    work.bytes.count += bias->bytes().count;
    work.flop[index_of(vector_path(x.type))].count += *outputs;
  }
  return work;
}

// (input, weight, bias, padding, stride, dilation, groups)
std::optional<OpWork> mkldnn(const OpCall& call, const OpModel&, const OpCostOptions& options) {
  return forward(call, {.padding = 3, .stride = 4, .dilation = 5}, options);
}

// (input, weight, padding, stride, dilation, ...)
std::optional<OpWork> cudnn(const OpCall& call, const OpModel&, const OpCostOptions& options) {
  return forward(call, {.padding = 2, .stride = 3, .dilation = 4}, options);
}

// (input, weight, bias, stride, padding, dilation, ...)
std::optional<OpWork> general(const OpCall& call, const OpModel&, const OpCostOptions& options) {
  return forward(call, {.padding = 4, .stride = 3, .dilation = 5}, options);
}

// (input, weight, kernel_size, bias, stride, padding)
std::optional<OpWork> slow(const OpCall& call, const OpModel&, const OpCostOptions& options) {
  OpCall ordered = call;
  if (ordered.inputs.size() < 6) return std::nullopt;
  ordered.inputs = {
      call.inputs[0], call.inputs[1],
      call.inputs[3], call.inputs[4],
      call.inputs[5], {.what = OpInput::What::Value, .numbers = {1}, .is_list = true}};
  return forward(ordered, {.padding = 4, .stride = 3, .dilation = 5}, options);
}

// (grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding,
// groups, output_mask): of the gradients of input, weight and bias those that the mask asks for.
// The first two are convolutions of the forward's size, the third a sum.
std::optional<OpWork> backward(const OpCall& call, const OpModel&, const OpCostOptions& options) {
  const OpInput* const gradient = call.tensor(0);
  const OpInput* const x = call.tensor(1);
  const OpInput* const weight = call.tensor(2);
  const auto* const mask = call.list(10);
  if (gradient == nullptr || x == nullptr || weight == nullptr || mask == nullptr ||
      mask->size() != 3 || weight->sizes.size() < 3 || weight->sizes[0] == 0)
    return std::nullopt;
  const double products = 2 * gradient->elements() * taps(*weight);
  const bool of_input = (*mask)[0] != 0;
  const bool of_weight = (*mask)[1] != 0;
  const bool of_bias = (*mask)[2] != 0;
  double bytes = gradient->bytes().count;
  double flop = 0;
  if (of_input) {
    flop += products;
    bytes += weight->bytes().count + x->bytes().count;  // read the weight, write x's gradient
  }
  if (of_weight) {
    flop += products;
    bytes += x->bytes().count + weight->bytes().count;
  }
  OpWork work = product_work(gradient->type, flop, bytes, options);
  if (of_bias) {
    work.flop[index_of(vector_path(gradient->type))].count += gradient->elements();
    work.bytes.count += static_cast<double>(weight->sizes[0]) * width_of(gradient->type);
  }
  return work;
}

constexpr std::array kModels{
    OpModel{.name = "aten::mkldnn_convolution", .work = mkldnn},
    OpModel{.name = "aten::cudnn_convolution", .work = cudnn},
    OpModel{.name = "aten::_slow_conv2d_forward", .role = OpRole::Delegates, .work = slow},
    OpModel{.name = "aten::thnn_conv2d", .role = OpRole::Delegates, .work = slow},
    OpModel{.name = "aten::conv2d", .role = OpRole::Delegates, .work = general},
    OpModel{.name = "aten::convolution", .role = OpRole::Delegates, .work = general},
    OpModel{.name = "aten::_convolution", .role = OpRole::Delegates, .work = general},
    OpModel{.name = "aten::convolution_backward", .role = OpRole::Works, .work = backward},
};

}  // namespace

std::span<const OpModel> convolution_models() { return kModels; }

}  // namespace ridgeline
