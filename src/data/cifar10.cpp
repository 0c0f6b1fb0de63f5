#include "data/cifar10.h"

#include <algorithm>
#include <array>
#include <future>

#include <fmt/format.h>

#include "core/malformed.h"
#include "core/mapped_file.h"
#include "core/md5.h"
#include "data/cifar10_batch.h"
#include "data/image_array.h"
#include "data/tar.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kFolders{"cifar-10-batches-bin", "cifar-10-batches-py"};
constexpr std::array<std::string_view, 2> kArchives{"cifar-10-binary", "cifar-10-python"};
constexpr std::uint64_t kLargestMember = 128U << 20U;

// Sums of some of the batches, in this order.
struct Sums {
  std::vector<std::size_t> batches;
  std::future<std::vector<std::string>> md5;
};

// The sums are waited for last: nothing but a word in the description depends on them.
struct Reading {
  std::array<std::future<CifarBatch>, kCifarBatches> batches;
  std::vector<Sums> sums;
};

Sums start_sums(std::vector<CifarFile> files) {
  Sums sums;
  for (const CifarFile& file : files) sums.batches.push_back(file.batch);
  sums.md5 = std::async(std::launch::async, [files = std::move(files)] {
    std::vector<std::span<const std::byte>> contents;
    for (const CifarFile& file : files) contents.push_back(file.bytes);
    return md5_of_each(contents);
  });
  return sums;
}

std::future<CifarBatch> start_parsing(CifarFile file) {
  return std::async(std::launch::async,
                    [file = std::move(file)] { return parse_cifar_batch(file); });
}

struct Pixels {
  std::vector<std::uint8_t> train;
  std::vector<std::uint8_t> test;
};

// The system hands out and clears memory page by page, a sixth of all the time. Done while the
// batches are being checked; how many images there are is known only after that, so this is a
// guess.
Pixels make_room(std::span<const std::size_t> file_sizes) {
  const auto room = [](std::size_t size) {
    return std::min(size / kCifarImage, kCifarMostImages) * kCifarImage;
  };
  Pixels pixels;
  std::size_t train = 0;
  for (const std::size_t size : file_sizes.first(kCifarBatches - 1)) train += room(size);
  pixels.train.resize(train);
  pixels.test.resize(room(file_sizes.back()));
  return pixels;
}

std::unique_ptr<ImageSet> join(std::span<const CifarBatch> batches, std::string origin,
                               std::vector<std::uint8_t> pixels) {
  ImageArray::Content content{.height = static_cast<int>(kCifarSide),
                              .width = static_cast<int>(kCifarSide),
                              .pixels = std::move(pixels),
                              .labels = {},
                              .classes = {"airplane", "automobile", "bird", "cat", "deer", "dog",
                                          "frog", "horse", "ship", "truck"},
                              .origin = std::move(origin)};
  for (const CifarBatch& batch : batches) {
    content.labels.insert(content.labels.end(), batch.labels.begin(), batch.labels.end());
  }
  content.pixels.resize(content.labels.size() * kCifarImage);
  std::vector<std::future<void>> running;
  std::uint8_t* out = content.pixels.data();
  for (const CifarBatch& batch : batches) {
    running.push_back(
        std::async(std::launch::async, [&batch, out] { interleave_cifar_batch(batch, out); }));
    out += batch.labels.size() * kCifarImage;
  }
  for (auto& task : running) task.get();
  return std::make_unique<ImageArray>(std::move(content));
}

std::string unpublished(std::vector<Sums>& sums, CifarLayout layout) {
  std::vector<std::size_t> others;
  for (Sums& some : sums) {
    const std::vector<std::string> md5 = some.md5.get();
    for (std::size_t i = 0; i < md5.size(); ++i) {
      if (!is_published_cifar(layout, some.batches[i], md5[i])) others.push_back(some.batches[i]);
    }
  }
  std::ranges::sort(others);
  std::string names;
  for (const std::size_t batch : others)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", cifar_file(layout, batch));
  return names;
}

ImageData finish(Reading& reading, CifarLayout layout, Pixels pixels) {
  std::vector<CifarBatch> parsed;
  for (auto& batch : reading.batches) parsed.push_back(batch.get());
  const std::span<const CifarBatch> batches(parsed);
  ImageData data;
  data.kind = "CIFAR-10";
  data.train = join(batches.first(kCifarBatches - 1), "CIFAR-10 train", std::move(pixels.train));
  data.test = join(batches.last(1), "CIFAR-10 test", std::move(pixels.test));
  data.description = fmt::format("CIFAR-10, {} layout, {} + {} images",
                                 layout == CifarLayout::Binary ? "binary" : "pickle",
                                 data.train->size(), data.test->size());
  const std::string others = unpublished(reading.sums, layout);
  if (!others.empty()) data.description += "; not the published files: " + others;
  return data;
}

Error incomplete(const fs::path& where, CifarLayout layout, std::span<const std::size_t> missing) {
  std::string names;
  for (const std::size_t batch : missing) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", cifar_file(layout, batch));
  }
  return malformed(where.string(),
                   fmt::format("CIFAR-10 in {} layout is not complete: {} missing",
                               layout == CifarLayout::Binary ? "binary" : "pickle", names));
}

std::vector<std::size_t> missing_in(const fs::path& folder, CifarLayout layout) {
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < kCifarBatches; ++i) {
    std::error_code ignored;
    if (!fs::exists(folder / cifar_file(layout, i), ignored)) missing.push_back(i);
  }
  return missing;
}

ImageData load_folder(const fs::path& folder, CifarLayout layout) {
  Reading reading;
  std::vector<CifarFile> files;
  std::array<std::size_t, kCifarBatches> sizes{};
  for (std::size_t i = 0; i < kCifarBatches; ++i) {
    const auto file = MappedFile::open(folder / cifar_file(layout, i));
    files.push_back({.layout = layout,
                     .batch = i,
                     .source = file->path().string(),
                     .bytes = file->bytes(),
                     .owner = file});
    reading.batches.at(i) = start_parsing(files.back());
    sizes[i] = file->bytes().size();
  }
  constexpr std::ptrdiff_t kHalf = kCifarBatches / 2;
  reading.sums.push_back(start_sums({files.begin(), files.begin() + kHalf}));
  reading.sums.push_back(start_sums({files.begin() + kHalf, files.end()}));
  return finish(reading, layout, make_room(sizes));
}

// Which batch a member is, by the last part of its name.
std::optional<std::pair<CifarLayout, std::size_t>> batch_of(const std::string& member) {
  const std::string name = fs::path(member).filename().string();
  for (const auto layout : {CifarLayout::Binary, CifarLayout::Pickle}) {
    for (std::size_t i = 0; i < kCifarBatches; ++i) {
      if (name == cifar_file(layout, i)) return std::pair(layout, i);
    }
  }
  return std::nullopt;
}

ImageData load_archive(const fs::path& path) {
  const auto archive = MappedFile::open(path);
  TarReader tar(archive->bytes(), path.string());
  Reading reading;
  std::optional<CifarLayout> layout;
  while (const auto member = tar.next()) {
    const auto found = batch_of(member->name);
    if (!found) continue;
    const auto [kind, batch] = *found;
    if (layout.value_or(kind) != kind || reading.batches.at(batch).valid()) {
      throw malformed(path.string(),
                      fmt::format("{} is one batch too many", in_quotes(member->name)));
    }
    layout = kind;
    const auto content = std::make_shared<const std::vector<std::byte>>(tar.read(kLargestMember));
    const CifarFile file{.layout = kind,
                         .batch = batch,
                         .source = fmt::format("{}: {}", path.string(), member->name),
                         .bytes = *content,
                         .owner = content};
    reading.batches.at(batch) = start_parsing(file);
    reading.sums.push_back(start_sums({file}));
  }
  if (!layout) throw malformed(path.string(), "no batch of CIFAR-10 in this archive");
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < kCifarBatches; ++i) {
    if (!reading.batches.at(i).valid()) missing.push_back(i);
  }
  if (!missing.empty()) throw incomplete(path, *layout, missing);
  return finish(reading, *layout, {});
}

}  // namespace

std::optional<ImageData> load_cifar10(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::nullopt;
  if (!fs::is_directory(path, ignored)) return load_archive(path);
  std::optional<Error> partial;
  for (const auto layout : {CifarLayout::Binary, CifarLayout::Pickle}) {
    for (const fs::path& folder : {path, path / kFolders.at(static_cast<std::size_t>(layout))}) {
      const auto missing = missing_in(folder, layout);
      if (missing.empty()) return load_folder(folder, layout);
      if (missing.size() < kCifarBatches && !partial) partial = incomplete(folder, layout, missing);
    }
  }
  for (const std::string_view stem : kArchives) {
    for (const std::string_view ending : {".tar.gz", ".tar"}) {
      const fs::path archive = path / fmt::format("{}{}", stem, ending);
      if (fs::exists(archive, ignored)) return load_archive(archive);
    }
  }
  if (partial) throw *partial;
  return std::nullopt;
}

}  // namespace ridgeline
