#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline {

inline constexpr std::size_t kCifarSide = 32;
inline constexpr std::size_t kCifarPlane = kCifarSide * kCifarSide;
inline constexpr std::size_t kCifarImage = 3 * kCifarPlane;
inline constexpr std::size_t kCifarMostImages = 10'000;  // in one batch
inline constexpr std::size_t kCifarBatches = 6;          // five to train, then the test batch
enum class CifarLayout { Binary, Pickle };

// "data_batch_1.bin" ... "test_batch.bin", or the same without ".bin".
[[nodiscard]] std::string cifar_file(CifarLayout layout, std::size_t batch);

// One batch file taken apart: planes of red, green and blue, one image every `stride` bytes.
struct CifarBatch {
  const std::byte* first = nullptr;
  std::size_t stride = kCifarImage;
  std::vector<int> labels;
  std::shared_ptr<const void> owner;
};

struct CifarFile {
  CifarLayout layout = CifarLayout::Binary;
  std::size_t batch = 0;
  std::string source;  // for errors
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};
// Throws Error(BadInput) with source and offset unless it holds 1 to 10,000 whole images with
// labels from 0 to 9.
[[nodiscard]] CifarBatch parse_cifar_batch(const CifarFile& file);

// Whether a batch with this md5 is the original file.
[[nodiscard]] bool is_published_cifar(CifarLayout layout, std::size_t batch, std::string_view md5);

// The images of a batch as rows of RGB, one after the other, to `out`.
void interleave_cifar_batch(const CifarBatch& batch, std::uint8_t* out);

}  // namespace ridgeline
