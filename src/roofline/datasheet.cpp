#include "roofline/datasheet.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/error.h"
#include "core/text.h"

namespace ridgeline {
namespace {

struct Sheet {
  std::string_view name;
  std::string_view source;
  double gb_per_s;
  // TFLOP/s in the order of ComputePath; 0 where there is none or it is not printed.
  std::array<double, kComputePaths> tera;
};

// In the columns: fp64, fp32, fp16, bf16 | tensor: fp64, tf32, fp16, bf16, fp8, int8.
// clang-format off
constexpr std::array kSheets{
    Sheet{"V100-SXM2", "NVIDIA V100 datasheet", 900,
          {7.8, 15.7, 31.4, 0, 0, 0, 125, 0, 0, 0}},
    Sheet{"V100-PCIe", "NVIDIA V100 datasheet", 900,
          {7, 14, 28, 0, 0, 0, 112, 0, 0, 0}},
    Sheet{"T4", "NVIDIA T4 datasheet", 320,
          {0, 8.1, 0, 0, 0, 0, 65, 0, 0, 130}},
    Sheet{"A100-40GB", "NVIDIA A100 datasheet", 1555,
          {9.7, 19.5, 78, 39, 19.5, 156, 312, 312, 0, 624}},
    Sheet{"A100-80GB-PCIe", "NVIDIA A100 datasheet", 1935,
          {9.7, 19.5, 78, 39, 19.5, 156, 312, 312, 0, 624}},
    Sheet{"A100-80GB-SXM", "NVIDIA A100 datasheet", 2039,
          {9.7, 19.5, 78, 39, 19.5, 156, 312, 312, 0, 624}},
    Sheet{"A30", "NVIDIA A30 datasheet", 933,
          {5.2, 10.3, 0, 0, 10.3, 82, 165, 165, 0, 330}},
    Sheet{"A10", "NVIDIA A10 datasheet", 600,
          {0, 31.2, 0, 0, 0, 62.5, 125, 125, 0, 250}},
    Sheet{"A40", "NVIDIA A40 datasheet", 696,
          {0, 37.4, 0, 0, 0, 74.8, 149.7, 149.7, 0, 299.3}},
    Sheet{"RTX-A6000", "NVIDIA RTX A6000 datasheet", 768,
          {0, 38.7, 0, 0, 0, 77.4, 154.8, 154.8, 0, 309.7}},
    Sheet{"RTX-3090", "NVIDIA Ampere GA102 whitepaper", 936,
          {0.56, 35.6, 35.6, 35.6, 0, 35.6, 71, 71, 0, 284}},
    Sheet{"L4", "NVIDIA L4 datasheet", 300,
          {0, 30.3, 0, 0, 0, 60, 121, 121, 242.5, 242.5}},
    Sheet{"L40", "NVIDIA L40 datasheet", 864,
          {0, 90.5, 0, 0, 0, 90.5, 181, 181, 362, 362}},
    Sheet{"L40S", "NVIDIA L40S datasheet", 864,
          {0, 91.6, 0, 0, 0, 183, 362, 362, 733, 733}},
    Sheet{"RTX-4090", "NVIDIA Ada GPU architecture whitepaper", 1008,
          {1.29, 82.6, 82.6, 82.6, 0, 82.6, 165.2, 165.2, 330.3, 660.6}},
    Sheet{"H100-PCIe", "NVIDIA H100 datasheet", 2000,
          {26, 51, 0, 0, 51, 378, 756, 756, 1513, 1513}},
    Sheet{"H100-SXM", "NVIDIA H100 datasheet", 3350,
          {34, 67, 134, 134, 67, 494, 989, 989, 1979, 1979}},
    Sheet{"H200", "NVIDIA H200 datasheet", 4800,
          {34, 67, 134, 134, 67, 494, 989, 989, 1979, 1979}},
    Sheet{"B200", "NVIDIA HGX B200 and DGX B200 datasheets, a GPU of eight", 8000,
          {37, 75, 0, 0, 37, 1125, 2250, 2250, 4500, 4500}},
};
// clang-format on

// What people call a card whose sheet has several.
struct Nickname {
  std::string_view word;
  std::string_view name;
};
constexpr std::array kNicknames{Nickname{"a100", "A100-80GB-SXM"},
                                Nickname{"a10080gb", "A100-80GB-SXM"},
                                Nickname{"a100sxm440gb", "A100-40GB"},
                                Nickname{"a100pcie40gb", "A100-40GB"},
                                Nickname{"a100sxm480gb", "A100-80GB-SXM"},
                                Nickname{"h100", "H100-SXM"},
                                Nickname{"h10080gbhbm3", "H100-SXM"},
                                Nickname{"h100sxm5", "H100-SXM"},
                                Nickname{"h200sxm", "H200"},
                                Nickname{"v100", "V100-SXM2"},
                                Nickname{"teslat4", "T4"},
                                Nickname{"teslav100sxm216gb", "V100-SXM2"},
                                Nickname{"teslav100sxm232gb", "V100-SXM2"},
                                Nickname{"4090", "RTX-4090"},
                                Nickname{"3090", "RTX-3090"},
                                Nickname{"geforcertx4090", "RTX-4090"},
                                Nickname{"geforcertx3090", "RTX-3090"}};

std::string plain(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') result += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) result += c;
  }
  if (result.starts_with("nvidia")) result.erase(0, 6);
  return result;
}

Ceilings ceilings_of(const Sheet& sheet) {
  Ceilings ceilings{.machine = std::string(sheet.name), .source = std::string(sheet.source)};
  for (std::size_t i = 0; i < kComputePaths; ++i) {
    if (sheet.tera[i] > 0) ceilings.compute[i] = FlopPerSecond{sheet.tera[i] * 1e12};
  }
  ceilings.bandwidth[index_of(MemoryLevel::Dram)] = BytesPerSecond{sheet.gb_per_s * 1e9};
  return ceilings;
}

const Sheet* find_sheet(std::string_view name) {
  const std::string wanted = plain(name);
  const auto same = [&](const Sheet& sheet) { return plain(sheet.name) == wanted; };
  if (const auto* const sheet = std::ranges::find_if(kSheets, same); sheet != kSheets.end())
    return sheet;
  const auto* const nickname = std::ranges::find(kNicknames, wanted, &Nickname::word);
  if (nickname == kNicknames.end()) return nullptr;
  return std::ranges::find(kSheets, nickname->name, &Sheet::name);
}

}  // namespace

std::vector<std::string_view> datasheet_names() {
  std::vector<std::string_view> names;
  for (const Sheet& sheet : kSheets) names.push_back(sheet.name);
  return names;
}

Ceilings datasheet(std::string_view name) {
  const Sheet* const sheet = find_sheet(name);
  if (sheet == nullptr) throw bad_input(unknown_word("GPU", name, datasheet_names()));
  return ceilings_of(*sheet);
}

std::optional<Ceilings> datasheet_of_device(std::string_view device_name) {
  const Sheet* const sheet = find_sheet(device_name);
  return sheet == nullptr ? std::nullopt : std::optional(ceilings_of(*sheet));
}

}  // namespace ridgeline
