#include "models/make.h"

#include "core/error.h"
#include "models/families.h"

namespace ridgeline {
namespace {

std::unique_ptr<Model> make(const TransformerSpec& spec, const ModelContext& context,
                            std::uint64_t seed) {
  return make_transformer(spec, context, seed);
}
std::unique_ptr<Model> make(const ResNetSpec& spec, const ModelContext& context,
                            std::uint64_t seed) {
  return make_resnet(spec, context, seed);
}
std::unique_ptr<Model> make(const AttentionSpec& spec, const ModelContext& context,
                            std::uint64_t seed) {
  return make_attention(spec, context, seed);
}
std::unique_ptr<Model> make(const FileSpec& spec, const ModelContext& /*context*/,
                            std::uint64_t /*seed*/) {
  throw bad_input(spec.path + ": model files cannot be read yet");
}

}  // namespace

std::unique_ptr<Model> make_model(const ModelSpec& spec, const ModelContext& context,
                                  std::uint64_t seed) {
  validate(spec);
  return std::visit([&](const auto& known) { return make(known, context, seed); }, spec);
}

}  // namespace ridgeline
