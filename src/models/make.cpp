#include "models/make.h"

#include "models/families.h"
#include "models/file_model.h"

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
                            std::uint64_t seed) {
  return identify_model_file(spec.path) == FileKind::TorchScript ? load_script_file(spec, seed)
                                                                 : load_aoti_file(spec, seed);
}

}  // namespace

std::unique_ptr<Model> make_model(const ModelSpec& spec, const ModelContext& context,
                                  std::uint64_t seed) {
  validate(spec);
  return std::visit([&](const auto& known) { return make(known, context, seed); }, spec);
}

}  // namespace ridgeline
