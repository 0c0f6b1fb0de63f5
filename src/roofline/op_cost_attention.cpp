#include <algorithm>
#include <array>
#include <cmath>

#include "roofline/op_model.h"

namespace ridgeline {
namespace {

// Of softmax: subtract, exponential, sum, quotient, and the scale of the scores.
constexpr double kSoftmaxFlop = 5;

struct Heads {
  double count{};  // batch × heads of the queries
  double queries{};
  double keys{};
  double head_dim{};
  double value_dim{};
};

// The kernels of flash and efficient attention take [batch, context, heads, head_dim].
enum class Layout { HeadsFirst, ContextFirst };

std::optional<Heads> heads_of(const OpInput* q, const OpInput* k, const OpInput* v, Layout layout) {
  if (q == nullptr || k == nullptr || v == nullptr) return std::nullopt;
  for (const OpInput* const tensor : {q, k, v}) {
    if (tensor->sizes.size() != 4) return std::nullopt;
  }
  const auto size = [](const OpInput* tensor, std::size_t place) {
    return static_cast<double>(tensor->sizes[place]);
  };
  const std::size_t heads = layout == Layout::HeadsFirst ? 1 : 2;
  const std::size_t context = 3 - heads;
  return Heads{.count = size(q, 0) * size(q, heads),
               .queries = size(q, context),
               .keys = size(k, context),
               .head_dim = size(q, 3),
               .value_dim = size(v, 3)};
}

// Pairs of a query and a key of one head that are computed. A causal mask hides the later ones, and
// the fused kernels pass over tiles that are hidden as a whole.
double pairs_of(const Heads& heads, bool causal, double tile) {
  const double rows = std::ceil(heads.queries / tile);
  const double columns = std::ceil(heads.keys / tile);
  if (!causal) return rows * columns * tile * tile;
  const double square = std::min(rows, columns);
  const double tiles = square * (square + 1) / 2 + std::max(0.0, rows - columns) * columns;
  return tiles * tile * tile;
}

// Whether the call says "causal": a truth value at `place`.
std::optional<bool> causal_at(const OpCall& call, std::size_t place) {
  const auto number = call.number(place);
  return number ? std::optional(*number != 0) : std::nullopt;
}

// Where in the op's inputs things stand; `causal` is a truth value, or a kind of mask of which 0 is
// none. The forward's result and its sums come to the backward in two places.
struct Places {
  std::size_t causal{};
  Layout layout = Layout::HeadsFirst;
  std::size_t result{};
  std::size_t sums{};
  double tile = 1;  // queries and keys that a kernel computes together, hidden or not
  // Products in tf32 on tensor cores in place of each one of fp32; 0: fp32 is computed as such.
  double tf32_products = 0;
};

OpWork products_of(const OpInput& q, double flop, double bytes, const Places& places,
                   const OpCostOptions& options) {
  if (q.type != "Float" || places.tf32_products == 0)
    return product_work(q.type, flop, bytes, options);
  OpWork work = product_work(q.type, 0, bytes, options);
  work.flop[index_of(ComputePath::TensorTf32)].count = places.tf32_products * flop;
  return work;
}

// q kᵀ and p v: a multiply-add a pair and dimension each.
std::optional<OpWork> attend(const OpCall& call, const Places& places,
                             const OpCostOptions& options) {
  const auto heads = heads_of(call.tensor(0), call.tensor(1), call.tensor(2), places.layout);
  const auto causal = causal_at(call, places.causal);
  if (!heads || !causal) return std::nullopt;
  const OpInput& q = *call.tensor(0);
  const double pairs = heads->count * pairs_of(*heads, *causal, places.tile);
  const double result = heads->count * heads->queries * heads->value_dim * width_of(q.type);
  const double sums = heads->count * heads->queries * width_of("Float");
  OpWork work = products_of(q, 2 * pairs * (heads->head_dim + heads->value_dim),
                            q.bytes().count + call.tensor(1)->bytes().count +
                                call.tensor(2)->bytes().count + result + sums,
                            places, options);
  work.flop[index_of(vector_path(q.type))].count += kSoftmaxFlop * pairs;
  return work;
}

// Five products where the forward has two: the scores once more, and gradients of v, p, q and k.
std::optional<OpWork> attend_backward(const OpCall& call, const Places& places,
                                      const OpCostOptions& options) {
  const auto heads = heads_of(call.tensor(1), call.tensor(2), call.tensor(3), places.layout);
  const auto causal = causal_at(call, places.causal);
  if (!heads || !causal || call.tensor(0) == nullptr) return std::nullopt;
  const OpInput& q = *call.tensor(1);
  const double pairs = heads->count * pairs_of(*heads, *causal, places.tile);
  const double inputs =
      q.bytes().count + call.tensor(2)->bytes().count + call.tensor(3)->bytes().count;
  double bytes = 2 * inputs + call.tensor(0)->bytes().count;  // read, and their gradients written
  for (const std::size_t place : {places.result, places.sums}) {
    if (const OpInput* const tensor = call.tensor(place)) bytes += tensor->bytes().count;
  }
  OpWork work = products_of(q, 2 * pairs * (3 * heads->head_dim + 2 * heads->value_dim), bytes,
                            places, options);
  work.flop[index_of(vector_path(q.type))].count += 2 * kSoftmaxFlop * pairs;
  return work;
}

constexpr auto kFirst = Layout::ContextFirst;

// As hardware counters found them on an H200 (docs/roofline.md): cuDNN's kernels compute tiles of
// 128, the efficient ones of 64, in fp32 as three products of tf32.
constexpr double kCudnnTile = 128;
constexpr double kEfficientTile = 64;
constexpr double kTf32Products = 3;

template <Places kPlaces>
std::optional<OpWork> forward(const OpCall& call, const OpModel&, const OpCostOptions& options) {
  return attend(call, kPlaces, options);
}

template <Places kPlaces>
std::optional<OpWork> backward(const OpCall& call, const OpModel&, const OpCostOptions& options) {
  return attend_backward(call, kPlaces, options);
}

constexpr OpModel delegating(std::string_view name, decltype(OpModel::work) work) {
  return {.name = name, .role = OpRole::Delegates, .work = work};
}
constexpr OpModel working(std::string_view name, decltype(OpModel::work) work) {
  return {.name = name, .role = OpRole::Works, .work = work};
}

// The outer op of each pair is what autograd sees, the inner one launches the kernel.
constexpr std::array kModels{
    delegating("aten::scaled_dot_product_attention", forward<Places{.causal = 5}>),
    delegating("aten::_scaled_dot_product_attention_math", forward<Places{.causal = 5}>),
    working("aten::_scaled_dot_product_flash_attention_for_cpu", forward<Places{.causal = 4}>),
    working("aten::_scaled_dot_product_flash_attention_for_cpu_backward",
            backward<Places{.causal = 7, .result = 4, .sums = 5}>),
    delegating("aten::_scaled_dot_product_flash_attention", forward<Places{.causal = 4}>),
    delegating("aten::_scaled_dot_product_flash_attention_backward",
               backward<Places{.causal = 11, .result = 4, .sums = 5}>),
    working("aten::_flash_attention_forward", forward<Places{.causal = 8, .layout = kFirst}>),
    working("aten::_flash_attention_backward",
            backward<Places{.causal = 11, .layout = kFirst, .result = 4, .sums = 5}>),
    delegating("aten::_scaled_dot_product_efficient_attention", forward<Places{.causal = 6}>),
    delegating("aten::_scaled_dot_product_efficient_attention_backward",
               backward<Places{.causal = 11, .result = 5, .sums = 6}>),
    working("aten::_efficient_attention_forward", forward<Places{.causal = 9,
                                                                 .layout = kFirst,
                                                                 .tile = kEfficientTile,
                                                                 .tf32_products = kTf32Products}>),
    working("aten::_efficient_attention_backward",
            backward<Places{.causal = 14,
                            .layout = kFirst,
                            .result = 5,
                            .sums = 10,
                            .tile = kEfficientTile,
                            .tf32_products = kTf32Products}>),
    delegating("aten::_scaled_dot_product_cudnn_attention", forward<Places{.causal = 6}>),
    delegating("aten::_scaled_dot_product_cudnn_attention_backward",
               backward<Places{.causal = 14, .result = 4, .sums = 5}>),
    working("aten::_cudnn_attention_forward", forward<Places{.causal = 10, .tile = kCudnnTile}>),
    working("aten::_cudnn_attention_backward",
            backward<Places{.causal = 14, .result = 4, .sums = 5, .tile = kCudnnTile}>),
};

}  // namespace

std::span<const OpModel> attention_models() { return kModels; }

}  // namespace ridgeline
