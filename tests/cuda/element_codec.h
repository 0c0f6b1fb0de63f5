#pragma once

#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda/kernels/batch_norm.h"

// Numbers as the device stores them, and back.
namespace ridgeline::kernels {

inline std::size_t size_of(Element element) { return element == Element::Fp32 ? 4 : 2; }

// The largest relative rounding error of a stored element.
inline double rounding(Element element) {
  return element == Element::Bf16 ? 0x1p-8 : element == Element::Fp16 ? 0x1p-11 : 0x1p-22;
}

inline std::vector<unsigned char> encode(const std::vector<double>& values, Element element) {
  std::vector<unsigned char> bytes(values.size() * size_of(element));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<float>(values[i]);
    unsigned char* to = bytes.data() + i * size_of(element);
    if (element == Element::Fp32) {
      std::memcpy(to, &value, sizeof value);
    } else if (element == Element::Bf16) {
      const __nv_bfloat16 narrow = __float2bfloat16_rn(value);
      std::memcpy(to, &narrow, sizeof narrow);
    } else {
      const __half narrow = __float2half_rn(value);
      std::memcpy(to, &narrow, sizeof narrow);
    }
  }
  return bytes;
}

inline std::vector<double> decode(const std::vector<unsigned char>& bytes, Element element) {
  std::vector<double> values(bytes.size() / size_of(element));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const unsigned char* from = bytes.data() + i * size_of(element);
    if (element == Element::Fp32) {
      float value = 0;
      std::memcpy(&value, from, sizeof value);
      values[i] = static_cast<double>(value);
    } else if (element == Element::Bf16) {
      __nv_bfloat16 narrow;
      std::memcpy(&narrow, from, sizeof narrow);
      values[i] = static_cast<double>(__bfloat162float(narrow));
    } else {
      __half narrow;
      std::memcpy(&narrow, from, sizeof narrow);
      values[i] = static_cast<double>(__half2float(narrow));
    }
  }
  return values;
}

// Random values as the device will see them, that is, rounded to the element.
inline std::vector<double> random_values(std::size_t count, double mean, Element element,
                                         unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(mean, 1.0);
  std::vector<double> values(count);
  for (double& value : values) value = normal(random);
  return decode(encode(values, element), element);
}

}  // namespace ridgeline::kernels
