#include "data/dtype.h"

#include <array>

#include "core/error.h"

namespace ridgeline {
namespace {

struct DTypeFacts {
  DType dtype;
  std::string_view name;
  std::size_t size;
};

constexpr std::array kDTypes{
    DTypeFacts{DType::U8, "U8", 1},          DTypeFacts{DType::I8, "I8", 1},
    DTypeFacts{DType::I16, "I16", 2},        DTypeFacts{DType::I32, "I32", 4},
    DTypeFacts{DType::I64, "I64", 8},        DTypeFacts{DType::F16, "F16", 2},
    DTypeFacts{DType::BF16, "BF16", 2},      DTypeFacts{DType::F32, "F32", 4},
    DTypeFacts{DType::F64, "F64", 8},        DTypeFacts{DType::Bool, "BOOL", 1},
    DTypeFacts{DType::U16, "U16", 2},        DTypeFacts{DType::U32, "U32", 4},
    DTypeFacts{DType::U64, "U64", 8},        DTypeFacts{DType::F8E4M3, "F8_E4M3", 1},
    DTypeFacts{DType::F8E5M2, "F8_E5M2", 1},
};

const DTypeFacts& facts_of(DType dtype) {
  const auto& facts = kDTypes.at(static_cast<std::size_t>(dtype));
  RIDGELINE_CHECK(facts.dtype == dtype);
  return facts;
}

}  // namespace

std::size_t size_of(DType dtype) { return facts_of(dtype).size; }

std::string_view name_of(DType dtype) { return facts_of(dtype).name; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (const DTypeFacts& facts : kDTypes) {
    if (facts.name == name) return facts.dtype;
  }
  return std::nullopt;
}

}  // namespace ridgeline
