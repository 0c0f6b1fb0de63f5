#include "data/weights.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/malformed.h"
#include "core/mapped_file.h"
#include "data/safetensors.h"
#include "data/torch_file.h"
#include "data/zip_store.h"

namespace ridgeline {
namespace {

enum class Kind { Safetensors, Index, Torch };

// A safetensors file begins with a length and then '{'; an index is JSON from its first byte.
Kind kind_of(std::span<const std::byte> bytes, std::string_view source) {
  if (looks_like_zip(bytes)) return Kind::Torch;
  if (bytes.size() > 8 && bytes[8] == std::byte{'{'} && bytes[7] == std::byte{0}) {
    return Kind::Safetensors;
  }
  const auto first = std::ranges::find_if(bytes, [](std::byte byte) {
    return byte != std::byte{' '} && byte != std::byte{'\n'} && byte != std::byte{'\r'} &&
           byte != std::byte{'\t'};
  });
  if (first == bytes.end()) throw malformed(source, "the file is empty");
  // Whatever else: the reader of torch's files knows how to convert its old formats.
  return *first == std::byte{'{'} ? Kind::Index : Kind::Torch;
}

bool is_state_dict(const Value& value) {
  const auto* const dict = std::get_if<Dict>(&value.held);
  return dict != nullptr && std::ranges::any_of(*dict, [](const auto& entry) {
           return std::holds_alternative<std::string>(entry.first) &&
                  std::holds_alternative<Array>(entry.second.held);
         });
}

void strip_prefixes(NamedArrays& arrays) {
  constexpr std::array<std::string_view, 2> kPrefixes{"module.", "_orig_mod."};
  bool stripped = true;
  while (stripped && !arrays.empty()) {
    stripped = false;
    for (const std::string_view prefix : kPrefixes) {
      if (!std::ranges::all_of(arrays, [&](const auto& entry) {
            return entry.first.starts_with(prefix) && entry.first.size() > prefix.size();
          })) {
        continue;
      }
      for (auto& [name, array] : arrays) name.erase(0, prefix.size());
      stripped = true;
    }
  }
}

}  // namespace

NamedArrays weights_in(const Value& checkpoint, std::string_view source) {
  // An average before the weights it averages: it is what our training tests and calls best.
  constexpr std::array<std::string_view, 4> kEntries{"ema", "model", "state_dict",
                                                     "model_state_dict"};
  // The entries first: beside them a checkpoint may hold a tensor that is no weight (random state).
  const Value* state = nullptr;
  for (const std::string_view name : kEntries) {
    const Value* const entry = find(checkpoint, name);
    if (state == nullptr && entry != nullptr && is_state_dict(*entry)) state = entry;
  }
  if (state == nullptr && is_state_dict(checkpoint)) state = &checkpoint;
  if (state == nullptr) {
    throw malformed(source,
                    "no tensors by name in it, nor in its 'model', 'state_dict' or "
                    "'model_state_dict'");
  }
  NamedArrays arrays;
  for (const auto& [key, value] : std::get<Dict>(state->held)) {
    const auto* const name = std::get_if<std::string>(&key);
    const auto* const array = std::get_if<Array>(&value.held);
    // A state_dict may hold other things too (a module's extra state); they are no weights.
    if (name != nullptr && array != nullptr) arrays.emplace_back(*name, *array);
  }
  strip_prefixes(arrays);
  return arrays;
}

NamedArrays read_weights(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  NamedArrays arrays;
  switch (kind_of(file->bytes(), path.string())) {
    case Kind::Torch:
      return weights_in(read_torch_file(path), path.string());
    case Kind::Safetensors:
      arrays = read_safetensors(path);
      break;
    case Kind::Index:
      arrays = read_safetensors_index(path);
      break;
  }
  strip_prefixes(arrays);
  return arrays;
}

}  // namespace ridgeline
