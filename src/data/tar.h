#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/inflater.h"

namespace ridgeline {

struct TarMember {
  std::string name;
  std::uint64_t size = 0;
};

// The files of a .tar or .tar.gz, from front to back, never all in memory. Folders and attributes
// (pax headers of times and owners) are passed over. Refused with Error(BadInput), source and
// place: members that leave their folder, links and devices, names or sizes given in extension
// headers, damaged headers, an end in the middle.
class TarReader {
 public:
  // `bytes` must outlive it.
  TarReader(std::span<const std::byte> bytes, const std::string& source);

  // The next file; what was not read of the one before is passed over. Absent at the end.
  [[nodiscard]] std::optional<TarMember> next();
  // The whole of the current file, once. Throws when it has more than `limit` bytes.
  [[nodiscard]] std::vector<std::byte> read(std::uint64_t limit);

 private:
  void skip(std::uint64_t size);
  void drain();
  void check_pax(std::uint64_t size);
  [[nodiscard]] bool read_header(std::span<std::byte> header);
  void fill(std::span<std::byte> out);

  Inflater inflater_;
  std::string source_;
  std::uint64_t at_ = 0;    // in the unpacked bytes
  std::uint64_t left_ = 0;  // of the current file, padding included
  TarMember member_;
  std::uint64_t members_ = 0;
};

}  // namespace ridgeline
