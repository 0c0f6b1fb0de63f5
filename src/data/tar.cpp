#include "data/tar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/malformed.h"

namespace ridgeline {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::uint64_t kMostMembers = 1'000'000;
constexpr std::uint64_t kLargestPax = 1U << 20U;

// Fields of a header: where and how long.
struct Field {
  std::size_t begin;
  std::size_t size;
};
constexpr Field kName{0, 100}, kSize{124, 12}, kChecksum{148, 8}, kType{156, 1}, kMagic{257, 5},
    kPrefix{345, 155};

std::string_view text_of(std::span<const std::byte> header, Field field) {
  std::string_view text(reinterpret_cast<const char*>(header.data()) + field.begin, field.size);
  return text.substr(0, std::min(text.find('\0'), text.size()));
}

// Octal digits between blanks.
std::optional<std::uint64_t> octal(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return std::nullopt;
  text = text.substr(first, text.find_last_not_of(' ') - first + 1);
  std::uint64_t value = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value, 8);
  if (code != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

// The sum of all bytes, those of the checksum itself taken as blanks.
std::uint64_t checksum_of(std::span<const std::byte> header) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const bool own = i >= kChecksum.begin && i < kChecksum.begin + kChecksum.size;
    sum += own ? ' ' : std::to_integer<unsigned>(header[i]);
  }
  return sum;
}

std::string full_name(std::span<const std::byte> header) {
  std::string name(text_of(header, kName));
  const std::string_view prefix = text_of(header, kPrefix);
  // GNU's own format ("ustar  ") uses the room of the prefix for times.
  const bool posix =
      text_of(header, {kMagic.begin, 6}) == "ustar" && header[kMagic.begin + 5] == std::byte{0};
  return posix && !prefix.empty() ? fmt::format("{}/{}", prefix, name) : name;
}

std::uint64_t padded(std::uint64_t size) { return (size + kBlock - 1) / kBlock * kBlock; }

}  // namespace

TarReader::TarReader(std::span<const std::byte> bytes, const std::string& source)
    : inflater_(bytes, source), source_(source) {}

void TarReader::fill(std::span<std::byte> out) {
  if (inflater_.read(out) != out.size()) throw malformed(source_, at_, "the archive ends early");
  at_ += out.size();
}

void TarReader::skip(std::uint64_t size) {
  std::array<std::byte, 64 * kBlock> block;
  while (size > 0) {
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(size, block.size()));
    fill(std::span(block).first(part));
    size -= part;
  }
}

// To the end of the file, because the checksum of gzip stands there.
void TarReader::drain() {
  constexpr std::uint64_t kMostPadding = 16U << 20U;
  std::array<std::byte, 64 * kBlock> block;
  for (std::uint64_t passed = 0; const std::size_t got = inflater_.read(block);) {
    passed += got;
    if (passed > kMostPadding) throw malformed(source_, at_, "more than 16 MiB after the end");
  }
}

// False at the end: two blocks of zeros, of which some writers leave out one or both.
bool TarReader::read_header(std::span<std::byte> header) {
  const std::size_t got = inflater_.read(header);
  if (got == 0) return false;
  if (got != header.size()) throw malformed(source_, at_, "the archive ends within a header");
  at_ += got;
  if (std::ranges::all_of(header, [](std::byte byte) { return byte == std::byte{0}; })) {
    return false;
  }
  const auto sum = octal(text_of(header, kChecksum));
  if (!sum || *sum != checksum_of(header)) {
    throw malformed(source_, at_ - kBlock, "a damaged header: this is no tar archive or broken");
  }
  return true;
}

// Attributes such as times may be passed over; a name or size that only stands here may not.
void TarReader::check_pax(std::uint64_t size) {
  if (size > kLargestPax) throw malformed(source_, at_, "an extension header beyond 1 MiB");
  std::string text(static_cast<std::size_t>(padded(size)), '\0');
  fill(std::as_writable_bytes(std::span(text)));
  text.resize(static_cast<std::size_t>(size));
  for (std::string_view rest = text; !rest.empty();) {
    std::size_t length = 0;
    const auto [stop, code] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
    if (code != std::errc{} || length == 0 || length > rest.size()) {
      throw malformed(source_, at_, "a damaged extension header");
    }
    std::string_view record = rest.substr(0, length);
    record.remove_prefix(std::min(static_cast<std::size_t>(stop - rest.data()) + 1, length));
    const std::string_view key = record.substr(0, std::min(record.find('='), record.size()));
    if (key == "path" || key == "size" || key == "linkpath" || key.starts_with("GNU.sparse")) {
      throw malformed(source_, at_,
                      fmt::format("the extension header {}, which is not read; pack it as ustar",
                                  in_quotes(key)));
    }
    rest.remove_prefix(length);
  }
}

std::optional<TarMember> TarReader::next() {
  skip(std::exchange(left_, 0));
  std::array<std::byte, kBlock> header;
  while (read_header(header)) {
    const std::uint64_t place = at_ - kBlock;
    if (++members_ > kMostMembers) throw malformed(source_, place, "too many members");
    const std::string name = full_name(header);
    const auto size = octal(text_of(header, kSize));
    constexpr std::uint64_t kLargest = std::uint64_t{1} << 40U;
    if (!size || *size > kLargest) {
      throw malformed(source_, place, fmt::format("{} has no readable size", in_quotes(name)));
    }
    const char type = static_cast<char>(header[kType.begin]);
    if (type == 'x' || type == 'g') {
      check_pax(*size);
      continue;
    }
    if (type != '0' && type != '\0' && type != '5') {
      throw malformed(source_, place,
                      fmt::format("{} is a link, a device or an extension (type {}); only files "
                                  "and folders are read",
                                  in_quotes(name), in_quotes(std::string_view(&type, 1))));
    }
    if (!stays_inside(name)) {
      throw malformed(source_, place, fmt::format("{} would leave its folder", in_quotes(name)));
    }
    if (type == '5') {
      skip(padded(*size));
      continue;
    }
    left_ = padded(*size);
    member_ = {.name = name, .size = *size};
    return member_;
  }
  drain();
  return std::nullopt;
}

std::vector<std::byte> TarReader::read(std::uint64_t limit) {
  RIDGELINE_CHECK(left_ == padded(member_.size));
  if (member_.size > limit) {
    throw malformed(
        source_, at_,
        fmt::format("{} has {} bytes, more than {}", in_quotes(member_.name), member_.size, limit));
  }
  std::vector<std::byte> content(static_cast<std::size_t>(member_.size));
  fill(content);
  left_ -= content.size();
  return content;
}

}  // namespace ridgeline
