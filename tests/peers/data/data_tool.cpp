// Lets the Python tests drive our readers and writers of files:
//   data_tool show FILE            a file of torch.save as JSON; tensors with their bytes in hex
//   data_tool copy FILE OUT        a file of torch.save read and written again
//   data_tool pack FILE OUT        the weights in FILE as a file of torch.save
//   data_tool unpack FILE OUT      the weights in FILE as safetensors
//   data_tool table FILE           a table of text (CSV or Parquet) as JSON
//   data_tool rows OUT             the tiny-llama workshop's rows: 20 steps of 8 x 129 tokens,
//   int64 data_tool cifar PATH OUT       CIFAR-10: labels (a byte each), then pixels, train before
//   test

#include <cstdio>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/atomic_file.h"
#include "core/error.h"
#include "data/cifar10.h"
#include "data/image_array.h"
#include "data/safetensors.h"
#include "data/table_file.h"
#include "data/text.h"
#include "data/torch_file.h"
#include "data/weights.h"

namespace ridgeline {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Value& value);
Json held_json(std::monostate /*nothing*/) { return nullptr; }
Json held_json(const Array& array) {
  std::string hex;
  for (const std::byte byte : array.bytes) {
    hex += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  }
  return {{"dtype", name_of(array.dtype)}, {"shape", array.shape}, {"hex", hex}};
}
Json held_json(const List& list) {
  Json items = Json::array();
  for (const Value& item : list) items.push_back(json_of(item));
  return items;
}
// Pairs, because keys may be numbers.
Json held_json(const Dict& dict) {
  Json items = Json::array();
  for (const auto& [key, item] : dict) {
    Json name;
    std::visit([&](const auto& held) { name = held; }, key);
    items.push_back({name, json_of(item)});
  }
  return {{"dict", items}};
}
template <class Held>
Json held_json(const Held& held) {
  return held;
}
Json json_of(const Value& value) {
  return std::visit([](const auto& held) { return held_json(held); }, value.held);
}

void pack(const std::string& file, const std::string& out) {
  Dict dict;
  for (auto& [name, array] : read_weights(file)) dict.emplace_back(name, Value{std::move(array)});
  write_torch_file(out, Value{std::move(dict)});
}

int write_cifar(const std::string& path, const std::string& out) {
  const auto data = load_cifar10(path);
  if (!data) {
    fmt::print(stderr, "nothing there\n");
    return 3;
  }
  std::string labels;
  std::string pixels;
  for (const ImageSet* set : {data->train.get(), data->test.get()}) {
    const auto& content = dynamic_cast<const ImageArray&>(*set).content();
    for (const int label : content.labels) labels += static_cast<char>(label);
    pixels.append(content.pixels.begin(), content.pixels.end());
  }
  write_file_atomically(out, labels + pixels);
  fmt::print("{}\n", data->description);
  return 0;
}

void write_rows(const std::string& out) {
  constexpr std::size_t kSteps = 20;
  constexpr std::size_t kRows = 8;
  constexpr std::size_t kContext = 128;
  const auto source = make_random_tokens({.context = kContext, .vocab = 1000, .seed = 42});
  std::vector<std::int64_t> tokens(kRows * (kContext + 1));
  std::string bytes;
  for (std::size_t step = 0; step < kSteps; ++step) {
    source->fill(step, kRows, kContext, tokens.data());
    bytes.append(reinterpret_cast<const char*>(tokens.data()), tokens.size() * sizeof(tokens[0]));
  }
  write_file_atomically(out, bytes);
}

int run(const std::string& command, const std::string& file, const std::string& out) {
  if (command == "cifar") return write_cifar(file, out);
  if (command == "table") {
    const CsvContent table = read_table_file(file);
    fmt::print("{}\n", Json{{"header", table.header}, {"rows", table.rows}}.dump());
  }
  if (command == "rows") write_rows(file);
  if (command == "show") fmt::print("{}\n", json_of(read_torch_file(file)).dump());
  if (command == "copy") write_torch_file(out, read_torch_file(file));
  if (command == "pack") pack(file, out);
  if (command == "unpack") write_safetensors(out, read_weights(file), {{"format", "pt"}});
  return 0;
}

}  // namespace
}  // namespace ridgeline

int main(int count, char** words) {
  if (count < 3) return 2;
  try {
    return ridgeline::run(words[1], words[2], count > 3 ? words[3] : "");
  } catch (const ridgeline::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
