#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/atomic_writer.h"
#include "core/error.h"
#include "data/array_view.h"
#include "data/little_endian.h"
#include "data/safetensors.h"

namespace ridgeline {
namespace {

using nlohmann::ordered_json;
using Item = const NamedArrays::value_type*;

std::vector<Item> widest_first(const NamedArrays& arrays) {
  std::vector<Item> items;
  std::set<std::string_view> names{"__metadata__"};
  for (const auto& item : arrays) {
    const auto& [name, array] = item;
    if (!names.insert(name).second) {
      throw bad_input(fmt::format("cannot save two tensors named '{}'", name));
    }
    RIDGELINE_CHECK(byte_count(array.dtype, array.shape) == array.bytes.size());
    items.push_back(&item);
  }
  std::ranges::stable_sort(items, std::ranges::greater{},
                           [](Item item) { return size_of(item->second.dtype); });
  return items;
}

std::string header_of(const std::vector<Item>& items, const Metadata& metadata) {
  ordered_json header = ordered_json::object();
  for (const auto& [key, value] : metadata) header["__metadata__"][key] = value;
  std::uint64_t begin = 0;
  for (const Item item : items) {
    const auto& [name, array] = *item;
    const std::uint64_t end = begin + array.bytes.size();
    header[name] = {
        {"dtype", name_of(array.dtype)}, {"shape", array.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const ordered_json::type_error&) {
    throw bad_input("cannot save a tensor or metadata whose name is not UTF-8");
  }
  // Blanks at its end, so that the data begins aligned.
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, const NamedArrays& arrays,
                       const Metadata& metadata) {
  const std::vector<Item> items = widest_first(arrays);
  const std::string header = header_of(items, metadata);
  std::string length;
  append_number<std::uint64_t>(length, header.size());
  AtomicWriter writer(path);
  writer.write(length);
  writer.write(header);
  for (const Item item : items) writer.write(item->second.bytes);
  writer.commit();
}

}  // namespace ridgeline
