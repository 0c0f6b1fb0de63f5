#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/atomic_file.h"
#include "core/temporary_folder.h"
#include "data/archive_builder.h"
#include "data/arrays.h"
#include "data/cifar_files.h"
#include "data/hostile_targets.h"
#include "data/picture_files.h"
#include "data/zip_store.h"

namespace ridgeline {

struct HostileSeed {
  std::string_view name;  // of the reader
  HostileTarget target = nullptr;
  std::string content;  // a small good file
};

// Good files made by our own writers, to begin from.
inline std::vector<HostileSeed> hostile_seeds() {
  using namespace std::string_literals;
  const TemporaryFolder folder;
  const auto path = folder.path() / "seed";
  const auto content = [&] { return read_file(path, {1e6}); };
  write_safetensors(path,
                    {{"a", patterned(DType::F32, {2, 3})},
                     {"b", patterned(DType::U8, {5})},
                     {"none", patterned(DType::BF16, {0})}},
                    {{"format", "pt"}});
  const std::string safetensors = content();
  const Array shared = patterned(DType::F32, {3, 2});
  write_torch_file(path,
                   Value{Dict{{"model"s, Value{Dict{{"w"s, Value{shared}},
                                                    {"tied"s, Value{shared}},
                                                    {"new"s, Value{patterned(DType::U16, {2})}}}}},
                              {"epoch"s, Value{std::int64_t{3}}},
                              {"list"s, Value{List{Value{1.5}, Value{true}, Value{}}}}}});
  const std::string torch = content();
  const ZipStore zip(bytes_of(torch), "seed");
  const auto pickle = zip.bytes(*zip.find("archive/data.pkl"));
  const std::string tar = tar_of(std::array{
      TarSpec{.name = "d/", .content = "", .type = '5'}, TarSpec{.name = "d/a", .content = "one"},
      TarSpec{.name = "pax", .content = "14 mtime=12.5\n", .type = 'x'},
      TarSpec{.name = "d/bb", .content = std::string(600, 'x')}});
  return {{"safetensors", hostile_safetensors, safetensors},
          {"torch_file", hostile_torch_file, torch},
          {"pickle", hostile_pickle,
           std::string(reinterpret_cast<const char*>(pickle.data()), pickle.size())},
          {"pickle", hostile_pickle, pickle_batch(0, 1)},
          {"tar", hostile_tar, tar},
          {"tar", hostile_tar, gzip_of(tar)},
          {"cifar", hostile_cifar, binary_batch(0, 2)},
          {"cifar", hostile_cifar, pickle_batch(0, 1)},
          {"image", hostile_image, jpeg_of(noise_picture(9, 12))},
          {"image", hostile_image, jpeg_of(noise_picture(9, 12), /*progressive=*/true)},
          {"image", hostile_image, png_of(noise_picture(5, 7))},
          {"csv", hostile_csv, "name,text,number\r\na,\"one, \"\"two\"\"\nthree\",1\r\nb,,2\r\n"},
          {"index", hostile_index,
           R"({"metadata": {"total_size": 8}, "weight_map": {"a": "m-1.safetensors",
               "b": "part/m-2.safetensors"}})"},
          {"hub", hostile_hub,
           R"({"sha": "0123456789012345678901234567890123456789", "siblings": [
               {"rfilename": "config.json", "size": 12},
               {"rfilename": "data/a.csv", "size": 9, "lfs": {"size": 9, "sha256":
                "0123456789012345678901234567890123456789012345678901234567890123"}}]})"}};
}

}  // namespace ridgeline
