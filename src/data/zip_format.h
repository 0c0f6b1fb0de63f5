#pragma once

#include <cstddef>
#include <cstdint>

namespace ridgeline::zip {

// Signatures, fixed sizes and marks of the zip format (APPNOTE 6.3), as far as stored files go.
inline constexpr std::uint32_t kLocalSignature = 0x04034b50;
inline constexpr std::uint32_t kCentralSignature = 0x02014b50;
inline constexpr std::uint32_t kEndSignature = 0x06054b50;
inline constexpr std::uint32_t kEnd64Signature = 0x06064b50;
inline constexpr std::uint32_t kLocatorSignature = 0x07064b50;
inline constexpr std::size_t kLocalSize = 30;
inline constexpr std::size_t kCentralSize = 46;
inline constexpr std::size_t kEndSize = 22;
inline constexpr std::size_t kEnd64Size = 56;
inline constexpr std::size_t kLocatorSize = 20;
inline constexpr std::size_t kLongestComment = 65535;
// A 32- or 16-bit field that holds this has its value in the zip64 part.
inline constexpr std::uint32_t kIn64 = 0xffffffff;
inline constexpr std::uint16_t kIn64Short = 0xffff;
inline constexpr std::uint16_t kExtra64 = 0x0001;
inline constexpr std::uint16_t kExtraPadding = 0x4246;  // "FB", as torch pads
inline constexpr std::uint16_t kFlagEncrypted = 0x0001;
inline constexpr std::uint16_t kFlagSizesFollow = 0x0008;
inline constexpr std::uint16_t kFlagUtf8 = 0x0800;
inline constexpr std::uint16_t kVersion64 = 45;
inline constexpr std::uint16_t kVersion = 20;

}  // namespace ridgeline::zip
