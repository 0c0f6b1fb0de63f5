#include <map>

#include <fmt/format.h>

#include "core/atomic_file.h"
#include "core/malformed.h"
#include "data/safetensors.h"
#include "data/strict_json.h"

namespace ridgeline {
namespace {

constexpr Bytes kLargestIndex{64 * 1024 * 1024};
constexpr std::size_t kDeepest = 16;  // "metadata" holds whatever its writer liked

// {"metadata": {...}, "weight_map": {"name": "model-00001-of-00002.safetensors", ...}}
class IndexListener final : public JsonListener {
 public:
  explicit IndexListener(std::string_view source) : source_(source) {}

  void object(Keys keys) override {
    if (keys.empty()) is_object_ = true;
    if (keys.size() == 1 && keys[0] == "weight_map") has_map_ = true;
    if (keys.size() > 1) refuse_in_map(keys);
  }
  void array(Keys keys) override { refuse_in_map(keys); }
  void whole_number(Keys keys, std::uint64_t /*value*/) override { refuse_in_map(keys); }
  void other(Keys keys) override { refuse_in_map(keys); }
  void text(Keys keys, std::string& value) override {
    if (keys.size() != 2 || keys[0] != "weight_map") return refuse_in_map(keys);
    if (!stays_inside(value)) {
      throw malformed(source_, fmt::format("tensor {} is said to lie in {}, outside the folder",
                                           in_quotes(keys[1]), in_quotes(value)));
    }
    tensors_of_[value].push_back(keys[1]);
  }

  // File to names, in the order of the files' names.
  [[nodiscard]] const TensorsOfFiles& tensors_of() const {
    if (!is_object_ || !has_map_) throw malformed(source_, "no 'weight_map': this is no index");
    return tensors_of_;
  }

 private:
  void refuse_in_map(Keys keys) const {
    if (keys.empty() || keys[0] != "weight_map") return;
    throw malformed(
        source_, fmt::format("the file of tensor {} is not given as text", in_quotes(keys.back())));
  }

  std::string_view source_;
  bool is_object_ = false;
  bool has_map_ = false;
  TensorsOfFiles tensors_of_;
};

}  // namespace

TensorsOfFiles parse_safetensors_index(std::string_view text, std::string_view source) {
  IndexListener index(source);
  read_json_strictly(text, source, kDeepest, index);
  return index.tensors_of();
}

NamedArrays read_safetensors_index(const std::filesystem::path& path) {
  const std::string source = path.string();
  NamedArrays all;
  for (const auto& [file, names] :
       parse_safetensors_index(read_file(path, kLargestIndex), source)) {
    std::map<std::string, Array> found;
    for (auto& [name, array] : read_safetensors(path.parent_path() / file)) {
      found.emplace(name, std::move(array));
    }
    for (const std::string& name : names) {
      const auto entry = found.find(name);
      if (entry == found.end()) {
        throw malformed(source,
                        fmt::format("tensor {} is not in {}", in_quotes(name), in_quotes(file)));
      }
      all.emplace_back(name, std::move(entry->second));
    }
  }
  return all;
}

}  // namespace ridgeline
