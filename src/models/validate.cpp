#include <string_view>

#include <fmt/format.h>

#include "core/error.h"
#include "models/limits.h"
#include "models/spec.h"

namespace ridgeline {
namespace {

void require_positive(std::string_view what, long value, long most) {
  if (value <= 0) throw bad_input(fmt::format("{} must be positive, not {}", what, value));
  if (value > most) throw bad_input(fmt::format("{} {} is above {}", what, value, most));
}

void check(const TransformerSpec& spec) {
  require_positive("vocabulary size", spec.vocab_size, kMostWords);
  require_positive("model width", spec.d_model, kLargestWidth);
  require_positive("feed-forward width", spec.d_ff, kLargestWidth);
  require_positive("number of layers", spec.num_layers, kMostLayers);
  require_positive("number of heads", spec.num_heads, kLargestWidth);
  require_positive("number of key-value heads", spec.num_kv_heads, kLargestWidth);
  require_positive("context length", spec.context_length, kLongestBatch);
  require_positive("batch size", spec.batch_size, kLongestBatch);
  if (spec.d_model % spec.num_heads != 0) {
    throw bad_input(
        fmt::format("model width {} is not a multiple of {} heads", spec.d_model, spec.num_heads));
  }
  if (spec.num_heads % spec.num_kv_heads != 0) {
    throw bad_input(fmt::format("{} heads cannot share {} key-value heads evenly", spec.num_heads,
                                spec.num_kv_heads));
  }
  if (const long head_dim = spec.d_model / spec.num_heads; head_dim % 2 != 0) {
    throw bad_input(fmt::format("rotary positions need an even head width, not {}", head_dim));
  }
  if (spec.vocab_size < 2) throw bad_input("a vocabulary needs at least 2 tokens");
  if (!(spec.eps > 0) || !(spec.rope_theta > 0)) {
    throw bad_input("epsilon and the rotary base must be positive");
  }
}

void check(const ResNetSpec& spec) {
  require_positive("number of classes", spec.num_classes, kMostWords);
  require_positive("image size", spec.image_size, kLargestImage);
  require_positive("batch size", spec.batch_size, kLongestBatch);
  if (spec.family == ResNetSpec::Family::CifarOptionA) {
    if (spec.depth < 8 || (spec.depth - 2) % 6 != 0) {
      throw bad_input(fmt::format("a CIFAR ResNet has depth 6n + 2, not {}", spec.depth));
    }
    if (spec.stem != ResNetSpec::Stem::Cifar) {
      throw bad_input("a CIFAR ResNet has the CIFAR stem");
    }
  } else if (spec.depth != 18 && spec.depth != 34 && spec.depth != 50) {
    throw bad_input(fmt::format("no ResNet of depth {}; there are 18, 34 and 50", spec.depth));
  }
}

void check(const AttentionSpec& spec) {
  require_positive("batch size", spec.batch_size, kLongestBatch);
  require_positive("number of heads", spec.num_heads, kLargestWidth);
  require_positive("head width", spec.head_dim, kLargestWidth);
  require_positive("context length", spec.context_length, kLongestBatch);
}

void check(const FileSpec& spec) {
  if (spec.path.empty()) throw bad_input("a model file needs a path");
  if (spec.inputs.empty()) {
    throw bad_input(
        fmt::format("{}: say what to feed it, as in --input 8x3x224x224:float32", spec.path));
  }
  for (const InputShape& input : spec.inputs) {
    for (const long size : input.sizes) require_positive("an input's size", size, kLongestBatch);
  }
}

}  // namespace

void validate(const ModelSpec& spec) {
  std::visit([](const auto& known) { check(known); }, spec);
}

}  // namespace ridgeline
