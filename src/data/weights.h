#pragma once

#include <filesystem>

#include "data/value.h"

namespace ridgeline {

// The tensors of a model from whatever holds them: a safetensors file, the index of a sharded one,
// or a file of torch.save (the dictionary of tensors itself, or its entry `model`, `state_dict` or
// `model_state_dict`). Told apart by content, not by name. A prefix that every name has because the
// model was wrapped (`module.`, `_orig_mod.`) is taken off. Throws Error(BadInput) with the path.
[[nodiscard]] NamedArrays read_weights(const std::filesystem::path& path);

// The same from a checkpoint that is read already.
[[nodiscard]] NamedArrays weights_in(const Value& checkpoint, std::string_view source);

}  // namespace ridgeline
