#include "data/zip_writer.h"

#include <algorithm>

#include "core/error.h"
#include "data/little_endian.h"
#include "data/zip_format.h"

namespace ridgeline {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::uint16_t kFirstDay = 0x21;  // 1 January 1980: the same content gives the same file

std::uint32_t short_or_mark(std::uint64_t value, bool in64) {
  return in64 ? zip::kIn64 : static_cast<std::uint32_t>(value);
}

// From "version needed" to the sizes: what local header and directory have in common.
void append_common(std::string& out, const ZipEntry& entry, bool in64) {
  append_number(out, in64 ? zip::kVersion64 : zip::kVersion);
  append_number(out, zip::kFlagUtf8);
  append_number<std::uint16_t>(out, 0);  // stored
  append_number<std::uint16_t>(out, 0);  // midnight
  append_number(out, kFirstDay);
  append_number(out, entry.crc);
  append_number(out, short_or_mark(entry.size, in64));
  append_number(out, short_or_mark(entry.size, in64));
  append_number(out, static_cast<std::uint16_t>(entry.name.size()));
}

std::string local_header(const ZipEntry& entry, bool in64) {
  std::string extra;
  if (in64) {
    append_number(extra, zip::kExtra64);
    append_number<std::uint16_t>(extra, 16);
    append_number(extra, entry.size);
    append_number(extra, entry.size);
  }
  // A padding field (4 bytes and what it needs) brings the data to the next multiple.
  const std::uint64_t unpadded =
      entry.header + zip::kLocalSize + entry.name.size() + extra.size() + 4;
  const auto padding =
      static_cast<std::uint16_t>((kAlignment - unpadded % kAlignment) % kAlignment);
  append_number(extra, zip::kExtraPadding);
  append_number(extra, padding);
  extra.append(padding, 'Z');

  std::string out;
  append_number(out, zip::kLocalSignature);
  append_common(out, entry, in64);
  append_number(out, static_cast<std::uint16_t>(extra.size()));
  return out + entry.name + extra;
}

std::string central_header(const ZipEntry& entry, std::uint64_t first_64_bit) {
  const bool size64 = entry.size >= first_64_bit;
  const bool place64 = entry.header >= first_64_bit;
  std::string extra;
  if (size64 || place64) {
    append_number(extra, zip::kExtra64);
    append_number(extra, static_cast<std::uint16_t>((size64 ? 16 : 0) + (place64 ? 8 : 0)));
    if (size64) {
      append_number(extra, entry.size);
      append_number(extra, entry.size);
    }
    if (place64) append_number(extra, entry.header);
  }
  std::string out;
  append_number(out, zip::kCentralSignature);
  append_number(out, zip::kVersion64);  // made by
  append_common(out, entry, size64);
  append_number(out, static_cast<std::uint16_t>(extra.size()));
  append_number<std::uint16_t>(out, 0);  // comment
  append_number<std::uint16_t>(out, 0);  // disk
  append_number<std::uint16_t>(out, 0);  // attributes
  append_number<std::uint32_t>(out, 0);
  append_number(out, short_or_mark(entry.header, place64));
  return out + entry.name + extra;
}

std::string end64_and_locator(std::uint64_t count, std::uint64_t begin, std::uint64_t size) {
  std::string out;
  append_number(out, zip::kEnd64Signature);
  append_number<std::uint64_t>(out, zip::kEnd64Size - 12);  // of what follows
  append_number(out, zip::kVersion64);
  append_number(out, zip::kVersion64);
  append_number<std::uint32_t>(out, 0);  // disks
  append_number<std::uint32_t>(out, 0);
  for (const std::uint64_t number : {count, count, size, begin}) append_number(out, number);
  append_number(out, zip::kLocatorSignature);
  append_number<std::uint32_t>(out, 0);
  append_number(out, begin + size);
  append_number<std::uint32_t>(out, 1);
  return out;
}

}  // namespace

void ZipWriter::add(std::string_view name, std::span<const std::byte> bytes) {
  RIDGELINE_CHECK(name.size() < zip::kIn64Short);
  ZipEntry entry{.name = std::string(name),
                 .header = writer_.written(),
                 .begin = 0,
                 .size = bytes.size(),
                 .crc = crc32_of(bytes)};
  writer_.write(local_header(entry, entry.size >= options_.first_64_bit));
  entry.begin = writer_.written();
  RIDGELINE_CHECK(entry.begin % kAlignment == 0);
  writer_.write(bytes);
  entries_.push_back(std::move(entry));
}

void ZipWriter::add(std::string_view name, std::string_view text) {
  add(name, std::as_bytes(std::span(text)));
}

void ZipWriter::write_directory() {
  const std::uint64_t begin = writer_.written();
  std::string directory;
  for (const ZipEntry& entry : entries_) {
    directory += central_header(entry, options_.first_64_bit);
  }
  writer_.write(directory);
  const std::uint64_t size = directory.size();
  const bool in64 =
      begin >= options_.first_64_bit || size >= options_.first_64_bit ||
      entries_.size() >= std::min<std::uint64_t>(zip::kIn64Short, options_.first_64_bit);
  if (in64) writer_.write(end64_and_locator(entries_.size(), begin, size));
  const auto count = in64 ? zip::kIn64Short : static_cast<std::uint16_t>(entries_.size());
  std::string out;
  append_number(out, zip::kEndSignature);
  append_number<std::uint32_t>(out, 0);  // disks
  append_number(out, count);
  append_number(out, count);
  append_number(out, short_or_mark(size, in64));
  append_number(out, short_or_mark(begin, in64));
  append_number<std::uint16_t>(out, 0);  // comment
  writer_.write(out);
}

void ZipWriter::finish() {
  write_directory();
  writer_.commit();
}

}  // namespace ridgeline
