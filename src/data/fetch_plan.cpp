#include "data/fetch_plan.h"

#include <array>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"

namespace ridgeline {
namespace {

// One file that everyone has agreed on. The canonical places say the sums: the data set's page, and
// for weights the eight digits in the file's name.
struct KnownFile {
  std::string_view source;
  std::string_view layout;  // where a source comes in several
  std::string_view what;
  std::string_view folder;
  std::string_view name;
  Checksum::Kind kind;
  std::string_view sum;
  std::uint64_t size;  // 0: not known
};

constexpr std::string_view kToronto = "https://www.cs.toronto.edu/~kriz/";
constexpr std::string_view kPyTorch = "https://download.pytorch.org/models/";
constexpr auto kMd5 = Checksum::Kind::Md5;
constexpr auto kSha256 = Checksum::Kind::Sha256;

constexpr std::array kKnownFiles{
    KnownFile{"cifar10", "python", "CIFAR-10, Python layout", kToronto, "cifar-10-python.tar.gz",
              kMd5, "c58f30108f718f92721af3b95e74349a", 170498071},
    KnownFile{"cifar10", "binary", "CIFAR-10, binary layout", kToronto, "cifar-10-binary.tar.gz",
              kMd5, "c32a1d4ab5d03f1284b67883e8d87530", 170052171},
    KnownFile{"resnet18-weights", "", "ResNet-18, torchvision's IMAGENET1K_V1", kPyTorch,
              "resnet18-f37072fd.pth", kSha256, "f37072fd", 0},
    KnownFile{"resnet34-weights", "", "ResNet-34, torchvision's IMAGENET1K_V1", kPyTorch,
              "resnet34-b627a593.pth", kSha256, "b627a593", 0},
    KnownFile{"resnet50-weights", "", "ResNet-50, torchvision's IMAGENET1K_V2", kPyTorch,
              "resnet50-11ad3fa6.pth", kSha256, "11ad3fa6", 0},
};

// A mirror's URL tells the layout too: it names one of the archives.
std::string wanted_layout(std::string_view source, const FetchOptions& options) {
  if (!options.layout.empty()) return options.layout;
  for (const KnownFile& file : kKnownFiles) {
    if (file.source == source && options.url.ends_with(file.name)) return std::string(file.layout);
  }
  return source == "cifar10" ? "python" : "";
}

std::string url_of(const KnownFile& file, const std::string& mirror) {
  if (mirror.empty()) return fmt::format("{}{}", file.folder, file.name);
  return mirror.ends_with('/') ? fmt::format("{}{}", mirror, file.name) : mirror;
}

FetchPlan plan_of(const KnownFile& file, const FetchOptions& options) {
  FetchItem item{
      .name = std::string(file.name),
      .request = {.url = url_of(file, options.url),
                  .to = options.to / file.name,
                  .checksum = Checksum{.kind = file.kind, .hex = std::string(file.sum)}}};
  if (file.size != 0) item.request.size = file.size;
  return {.what = std::string(file.what), .items = {std::move(item)}};
}

[[noreturn]] void refuse_source(std::string_view source) {
  const auto near = nearest(source, fixed_sources());
  throw bad_input(
      fmt::format("cannot fetch '{}'{}; there are cifar10, resnet18-weights, resnet34-weights, "
                  "resnet50-weights, hf:OWNER/NAME and hf:datasets/OWNER/NAME",
                  source, near ? fmt::format(" (did you mean '{}'?)", *near) : ""));
}

}  // namespace

std::vector<std::string_view> fixed_sources() {
  std::vector<std::string_view> names;
  for (const KnownFile& file : kKnownFiles) {
    if (names.empty() || names.back() != file.source) names.push_back(file.source);
  }
  return names;
}

FetchPlan plan_fixed(std::string_view source, const FetchOptions& options) {
  const std::string layout = wanted_layout(source, options);
  bool known = false;
  for (const KnownFile& file : kKnownFiles) {
    known = known || file.source == source;
    if (file.source == source && file.layout == layout) return plan_of(file, options);
  }
  if (!known) refuse_source(source);
  throw bad_input(source == "cifar10"
                      ? fmt::format("--layout '{}': CIFAR-10 comes as python or binary", layout)
                      : fmt::format("--layout is for cifar10, not for {}", source));
}

}  // namespace ridgeline
