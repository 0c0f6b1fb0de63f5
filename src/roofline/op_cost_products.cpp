#include <algorithm>
#include <array>

#include "roofline/op_model.h"

namespace ridgeline {
namespace {

double size(const OpInput& tensor, std::size_t from_end) {
  return static_cast<double>(tensor.sizes[tensor.sizes.size() - 1 - from_end]);
}

// A product of `batch` matrices m × k and k × n: two FLOPs a multiply-add.
struct Product {
  double batch = 1;
  double m{};
  double k{};
  double n{};
};

OpWork work_of(const Product& product, const OpInput& a, const OpInput& b,
               const OpCostOptions& options) {
  const double results = product.batch * product.m * product.n;
  return product_work(a.type, 2 * results * product.k,
                      a.bytes().count + b.bytes().count + results * width_of(a.type), options);
}

// Matrices, or as many of them on both sides. `first` is the place of the left one.
std::optional<OpWork> plain_product(const OpCall& call, std::size_t first,
                                    const OpCostOptions& options) {
  const OpInput* const a = call.tensor(first);
  const OpInput* const b = call.tensor(first + 1);
  if (a == nullptr || b == nullptr || a->sizes.size() < 2 || a->sizes.size() != b->sizes.size())
    return std::nullopt;
  if (size(*a, 0) != size(*b, 1)) return std::nullopt;
  Product product{.m = size(*a, 1), .k = size(*a, 0), .n = size(*b, 0)};
  if (product.m * product.k > 0) product.batch = a->elements() / (product.m * product.k);
  return work_of(product, *a, *b, options);
}

std::optional<OpWork> mm(const OpCall& call, const OpModel&, const OpCostOptions& options) {
  return plain_product(call, 0, options);
}

// With something added to the product: a bias row or a whole matrix.
std::optional<OpWork> addmm(const OpCall& call, const OpModel&, const OpCostOptions& options) {
  const OpInput* const added = call.tensor(0);
  auto work = plain_product(call, 1, options);
  if (added == nullptr || !work) return std::nullopt;
  const OpInput& a = *call.tensor(1);
  const OpInput& b = *call.tensor(2);
  work->bytes.count += added->bytes().count;
  Flop& flop = work->flop[index_of(vector_path(a.type))];
  if (size(a, 0) > 0) flop.count += a.elements() / size(a, 0) * size(b, 0);
  return work;
}

// x [..., k] and a weight stored as [n, k].
std::optional<OpWork> linear(const OpCall& call, const OpModel&, const OpCostOptions& options) {
  const OpInput* const x = call.tensor(0);
  const OpInput* const weight = call.tensor(1);
  if (x == nullptr || weight == nullptr || x->sizes.empty() || weight->sizes.size() != 2 ||
      size(*x, 0) != size(*weight, 0) || size(*x, 0) == 0)
    return std::nullopt;
  OpWork work = work_of({.m = x->elements() / size(*x, 0), .k = size(*x, 0), .n = size(*weight, 1)},
                        *x, *weight, options);
  if (const OpInput* const bias = call.tensor(2)) {
    work.bytes.count += bias->bytes().count;
    work.flop[index_of(vector_path(x->type))].count +=
        x->elements() / size(*x, 0) * size(*weight, 1);
  }
  return work;
}

// Batches that are broadcast are multiplied as often as the larger has them.
std::optional<OpWork> matmul(const OpCall& call, const OpModel&, const OpCostOptions& options) {
  const OpInput* const a = call.tensor(0);
  const OpInput* const b = call.tensor(1);
  if (a == nullptr || b == nullptr || a->sizes.empty() || b->sizes.empty()) return std::nullopt;
  const bool row = a->sizes.size() == 1;
  const bool column = b->sizes.size() == 1;
  Product product{.m = row ? 1 : size(*a, 1), .k = size(*a, 0), .n = column ? 1 : size(*b, 0)};
  if (product.k != (column ? size(*b, 0) : size(*b, 1)) || product.k == 0) return std::nullopt;
  const double left = product.m > 0 ? a->elements() / (product.m * product.k) : 0;
  const double right = product.n > 0 ? b->elements() / (product.n * product.k) : 0;
  product.batch = std::max(left, right);
  return work_of(product, *a, *b, options);
}

constexpr std::array kModels{
    OpModel{.name = "aten::mm", .work = mm},
    OpModel{.name = "aten::bmm", .work = mm},
    OpModel{.name = "aten::_int_mm", .work = mm},
    OpModel{.name = "aten::addmm", .work = addmm},
    OpModel{.name = "aten::baddbmm", .work = addmm},
    OpModel{.name = "aten::_addmm_activation", .work = addmm},
    OpModel{.name = "aten::linear", .role = OpRole::Delegates, .work = linear},
    OpModel{.name = "aten::mkldnn_linear", .work = linear},
    OpModel{.name = "aten::matmul", .role = OpRole::Delegates, .work = matmul},
    OpModel{.name = "aten::mv", .role = OpRole::Delegates, .work = matmul},
    OpModel{.name = "aten::dot", .work = matmul},
};

}  // namespace

std::span<const OpModel> product_models() { return kModels; }

}  // namespace ridgeline
