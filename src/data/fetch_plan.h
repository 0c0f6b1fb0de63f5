#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/download.h"

namespace ridgeline {

// What `fetch` can be told beyond the source's name.
struct FetchOptions {
  std::filesystem::path to{};
  std::string url{};     // a mirror: the file, a folder (ends in '/'), or the Hub's endpoint
  std::string layout{};  // CIFAR-10: "python" (the default) or "binary"
  std::string revision{"main"};        // of the Hub: branch, tag or commit
  std::vector<std::string> include{};  // globs over the names on the Hub; empty: all
  std::vector<std::string> exclude{};
  std::string hub_endpoint{"https://huggingface.co"};
  std::string hub_token{};
};

struct FetchItem {
  std::string name{};  // relative to the folder
  DownloadRequest request{};
};

// Files to bring, and what they are.
struct FetchPlan {
  std::string what{};
  std::vector<FetchItem> items{};
  // What the Hub listed, to be kept beside the files for later checks; empty for other sources.
  std::filesystem::path list_file{};
  std::string list{};
};

// The known data sets and weights: "cifar10", "resnet18-weights", ... Throws Error(BadInput) naming
// the nearest for anything else, and for a flag that the source has no use for.
[[nodiscard]] FetchPlan plan_fixed(std::string_view source, const FetchOptions& options);
[[nodiscard]] std::vector<std::string_view> fixed_sources();

}  // namespace ridgeline
