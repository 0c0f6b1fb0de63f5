#include "engine/backward.h"

#include <ATen/CachedTensorUtils.h>
#include <ATen/Functions.h>
#include <ATen/TensorSubclassLikeUtils.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
#include "engine/scope.h"

namespace ridgeline {
namespace {

using torch::autograd::Edge;
using torch::autograd::Node;

// A node makes its name anew each time it is asked, some with the demangler's help.
const char* name_of(const Node& node) {
  thread_local std::unordered_map<const std::type_info*, std::string> names;
  const auto [name, is_new] = names.try_emplace(&typeid(node));
  if (is_new) name->second = node.name();
  return name->second.c_str();
}

class [[nodiscard]] NodeScope {
 public:
  explicit NodeScope(const Node& node) : listener_(scope_listener.load(std::memory_order_acquire)) {
    if (listener_ != nullptr) [[unlikely]]
      listener_->enter_node({.name = name_of(node),
                             .sequence = node.sequence_nr(),
                             .forward_thread = node.thread_id()});
  }
  ~NodeScope() {
    if (listener_ != nullptr) [[unlikely]]
      listener_->leave_scope();
  }
  NodeScope(const NodeScope&) = delete;
  NodeScope& operator=(const NodeScope&) = delete;

 private:
  ScopeListener* listener_;
};

bool is_ours_alone(const at::Tensor& tensor) {
  return tensor.has_storage() && tensor.storage().use_count() == 1 &&
         at::caching::adjusted_use_count(tensor) == 1 && tensor.is_non_overlapping_and_dense() &&
         !tensor._is_zerotensor() && !at::isTensorSubclassLike(tensor);
}

void add_to(at::Tensor& sum, at::Tensor&& more) {
  if (!sum.defined()) {
    sum = std::move(more);
  } else if (is_ours_alone(sum)) {
    sum.add_(more);
  } else {
    sum = sum + more;
  }
}

bool has_hooks(Node& node) {
  return !node.pre_hooks().empty() || !node.post_hooks().empty() ||
         !node.tensor_pre_hooks().empty() || !node.retains_grad_hooks().empty();
}

class Backward {
 public:
  void run(const std::vector<Edge>& roots, Tensors&& seeds) {
    count_uses(roots);
    deliver(roots, std::move(seeds));
    while (!ready_.empty()) {
      std::ranges::pop_heap(ready_, made_earlier);
      Ready next = std::move(ready_.back());
      ready_.pop_back();
      const NodeScope scope(*next.node);
      Tensors gradients = evaluate(*next.node, std::move(next.inputs));
      deliver(next.node->next_edges(), std::move(gradients));
    }
    RIDGELINE_CHECK(waiting_.empty());
  }

 private:
  struct Waiting {
    int uses = 0;  // edges into the node that have delivered nothing yet
    Tensors inputs;
  };
  struct Ready {
    std::shared_ptr<Node> node;
    Tensors inputs;
  };
  // The node made last goes first, so that what the forward kept longest is freed soonest. Nodes
  // that only add a gradient to a leaf have the greatest number there is.
  static bool made_earlier(const Ready& one, const Ready& other) {
    return one.node->sequence_nr() < other.node->sequence_nr();
  }

  void count_uses(const std::vector<Edge>& roots) {
    std::vector<Node*> open;
    const auto use = [&](const Edge& edge) {
      if (!edge.is_valid()) return;
      if (waiting_[edge.function.get()].uses++ == 0) open.push_back(edge.function.get());
    };
    std::ranges::for_each(roots, use);
    while (!open.empty()) {
      const Node* const node = open.back();
      open.pop_back();
      std::ranges::for_each(node->next_edges(), use);
    }
  }

  static Tensors evaluate(Node& node, Tensors&& inputs) {
    RIDGELINE_CHECK(!has_hooks(node));
    node.will_release_variables();
    Tensors gradients = node(std::move(inputs));
    torch::autograd::validate_outputs(node.next_edges(), gradients, [&](const std::string& why) {
      return fmt::format("{} returned an {}", node.name(), why);
    });
    node.release_variables();
    return gradients;
  }

  void deliver(const std::vector<Edge>& edges, Tensors&& gradients) {
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (!edges[i].is_valid()) continue;
      const auto found = waiting_.find(edges[i].function.get());
      RIDGELINE_CHECK(found != waiting_.end());
      Waiting& waiting = found->second;
      waiting.inputs.resize(edges[i].function->num_inputs());
      if (gradients[i].defined())
        add_to(waiting.inputs[edges[i].input_nr], std::move(gradients[i]));
      if (--waiting.uses > 0) continue;
      ready_.push_back({edges[i].function, std::move(waiting.inputs)});
      std::ranges::push_heap(ready_, made_earlier);
      waiting_.erase(found);
    }
  }

  std::unordered_map<const Node*, Waiting> waiting_;
  std::vector<Ready> ready_;  // a heap
};

}  // namespace

void differentiate(const Tensors& roots, Tensors seeds) {
  RIDGELINE_CHECK(roots.size() == seeds.size());
  const at::AutoGradMode without_gradients(false);
  std::vector<Edge> edges;
  edges.reserve(roots.size());
  for (const at::Tensor& root : roots) {
    TORCH_CHECK(root.requires_grad(), "what is differentiated has no gradient");
    edges.push_back(torch::autograd::impl::gradient_edge(root));
  }
  torch::autograd::validate_outputs(edges, seeds, [](const std::string& why) { return why; });
  Backward().run(edges, std::move(seeds));
}

}  // namespace ridgeline
