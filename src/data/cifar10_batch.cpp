#include "data/cifar10_batch.h"

#include <array>

#include <fmt/format.h>

#include "core/malformed.h"
#include "data/pickle.h"

namespace ridgeline {
namespace {

constexpr std::int64_t kClasses = 10;
constexpr std::size_t kRecord = 1 + kCifarImage;

// Of the published files. Those of the pickles are torchvision's, too; those of the binary files
// were taken from files whose images and labels equal the pickles'.
constexpr std::array<std::array<std::string_view, kCifarBatches>, 2> kPublished{
    {{"5dd7e06a14cb22eb9f671a540d1b7c25", "5ea93a67294ea407fff1d09f752e9692",
      "942cd6a4bcdd0dd3c604fbe906cb4421", "ae636b3ba5c66a11e91e8cb52e771fcb",
      "53f37980c15c3d472c316c40844f3f0d", "803d5f7f4d78ea53de84dbe85f74fb6d"},
     {"c99cafc152244af753f735de768cd75f", "d4bba439e000b95fd0a9bffe97cbabec",
      "54ebc095f3ab1f0389bbae665268c751", "634d18415352ddfa80567beed471001a",
      "482c414d41f54cd18b22e5b47cb7c3cb", "40351d587109b95175f43aff81a1287e"}}};

void check_count(std::size_t images, const std::string& source) {
  if (images == 0) throw malformed(source, "no images in it");
  if (images > kCifarMostImages) {
    throw malformed(source, fmt::format("{} images; a batch of CIFAR-10 has at most {}", images,
                                        kCifarMostImages));
  }
}

CifarBatch parse_binary(const CifarFile& file) {
  if (file.bytes.size() % kRecord != 0) {
    throw malformed(file.source, file.bytes.size() / kRecord * kRecord,
                    fmt::format("cut short or not CIFAR-10: {} bytes are not a multiple of {}",
                                file.bytes.size(), kRecord));
  }
  CifarBatch batch{
      .first = file.bytes.data() + 1, .stride = kRecord, .labels = {}, .owner = file.owner};
  const std::size_t count = file.bytes.size() / kRecord;
  check_count(count, file.source);
  batch.labels.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto label = std::to_integer<int>(file.bytes[i * kRecord]);
    if (label >= kClasses) {
      throw malformed(file.source, i * kRecord,
                      fmt::format("image {} has the label {}; CIFAR-10 has 0 to 9", i, label));
    }
    batch.labels.push_back(label);
  }
  return batch;
}

const Array& pixels_in(const Value& content, const std::string& source) {
  const Value* const data = find(content, "data");
  const auto* const array = data == nullptr ? nullptr : std::get_if<Array>(&data->held);
  if (array == nullptr || array->dtype != DType::U8 || array->shape.size() != 2 ||
      array->shape[1] != static_cast<std::int64_t>(kCifarImage)) {
    throw malformed(source,
                    fmt::format("no 'data' of N x {} bytes: not a batch of CIFAR-10", kCifarImage));
  }
  return *array;
}

CifarBatch parse_pickle(const CifarFile& file) {
  const Value content =
      read_pickle(file.bytes, {.source = file.source, .owner = file.owner, .tensor = {}});
  const Array& pixels = pixels_in(content, file.source);
  const Value* const labels = find(content, "labels");
  const auto* const list = labels == nullptr ? nullptr : std::get_if<List>(&labels->held);
  if (list == nullptr || list->size() != static_cast<std::size_t>(pixels.shape[0])) {
    throw malformed(
        file.source,
        fmt::format("no 'labels' for each of {} images{}", pixels.shape[0],
                    find(content, "fine_labels") != nullptr ? ": this is CIFAR-100" : ""));
  }
  check_count(list->size(), file.source);
  CifarBatch batch{
      .first = pixels.bytes.data(), .stride = kCifarImage, .labels = {}, .owner = pixels.owner};
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto* const label = std::get_if<std::int64_t>(&(*list)[i].held);
    if (label == nullptr || *label < 0 || *label >= kClasses) {
      throw malformed(file.source, fmt::format("image {} has a label that is none of 0 to 9", i));
    }
    batch.labels.push_back(static_cast<int>(*label));
  }
  return batch;
}

void interleave(const std::byte* planes, std::uint8_t* out) {
  const auto* const red = reinterpret_cast<const std::uint8_t*>(planes);
  const std::uint8_t* const green = red + kCifarPlane;
  const std::uint8_t* const blue = green + kCifarPlane;
  for (std::size_t i = 0; i < kCifarPlane; ++i) {
    out[3 * i] = red[i];
    out[3 * i + 1] = green[i];
    out[3 * i + 2] = blue[i];
  }
}

}  // namespace

std::string cifar_file(CifarLayout layout, std::size_t batch) {
  const std::string stem =
      batch + 1 == kCifarBatches ? "test_batch" : fmt::format("data_batch_{}", batch + 1);
  return layout == CifarLayout::Binary ? stem + ".bin" : stem;
}

CifarBatch parse_cifar_batch(const CifarFile& file) {
  return file.layout == CifarLayout::Binary ? parse_binary(file) : parse_pickle(file);
}

bool is_published_cifar(CifarLayout layout, std::size_t batch, std::string_view md5) {
  return kPublished[static_cast<std::size_t>(layout)].at(batch) == md5;
}

void interleave_cifar_batch(const CifarBatch& batch, std::uint8_t* out) {
  for (std::size_t i = 0; i < batch.labels.size(); ++i) {
    interleave(batch.first + i * batch.stride, out + i * kCifarImage);
  }
}

}  // namespace ridgeline
