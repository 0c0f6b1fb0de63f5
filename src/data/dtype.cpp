#include "data/dtype.h"

#include <array>

#include "core/error.h"

namespace ridgeline {
namespace {

struct DTypeFacts {
  DType dtype;
  std::string_view name;
  std::size_t bits;
};

constexpr std::array kDTypes{
    DTypeFacts{DType::U8, "U8", 8},          DTypeFacts{DType::I8, "I8", 8},
    DTypeFacts{DType::I16, "I16", 16},       DTypeFacts{DType::I32, "I32", 32},
    DTypeFacts{DType::I64, "I64", 64},       DTypeFacts{DType::F16, "F16", 16},
    DTypeFacts{DType::BF16, "BF16", 16},     DTypeFacts{DType::F32, "F32", 32},
    DTypeFacts{DType::F64, "F64", 64},       DTypeFacts{DType::Bool, "BOOL", 8},
    DTypeFacts{DType::U16, "U16", 16},       DTypeFacts{DType::U32, "U32", 32},
    DTypeFacts{DType::U64, "U64", 64},       DTypeFacts{DType::F8E4M3, "F8_E4M3", 8},
    DTypeFacts{DType::F8E5M2, "F8_E5M2", 8}, DTypeFacts{DType::C64, "C64", 64},
    DTypeFacts{DType::F8E8M0, "F8_E8M0", 8}, DTypeFacts{DType::F6E2M3, "F6_E2M3", 6},
    DTypeFacts{DType::F6E3M2, "F6_E3M2", 6}, DTypeFacts{DType::F4, "F4", 4},
};

const DTypeFacts& facts_of(DType dtype) {
  const auto& facts = kDTypes.at(static_cast<std::size_t>(dtype));
  RIDGELINE_CHECK(facts.dtype == dtype);
  return facts;
}

}  // namespace

std::size_t bits_of(DType dtype) { return facts_of(dtype).bits; }

std::size_t size_of(DType dtype) { return (bits_of(dtype) + 7) / 8; }

std::string_view name_of(DType dtype) { return facts_of(dtype).name; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (const DTypeFacts& facts : kDTypes) {
    if (facts.name == name) return facts.dtype;
  }
  return std::nullopt;
}

}  // namespace ridgeline
