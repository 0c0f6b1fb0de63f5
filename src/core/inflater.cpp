#include "core/inflater.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include <zlib.h>

#include "core/malformed.h"

namespace ridgeline {
namespace {

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

uInt limited(std::size_t size) {
  return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

}  // namespace

struct Inflater::State {
  std::span<const std::byte> left;
  std::size_t size = 0;
  std::string source;
  bool packed = false;
  bool ended = false;
  std::optional<Error> damage;
  z_stream stream{};

  State(std::span<const std::byte> bytes, std::string name)
      : left(bytes), size(bytes.size()), source(std::move(name)), packed(is_gzip(bytes)) {
    constexpr int kGzipOnly = 15 + 16;
    if (packed && ::inflateInit2(&stream, kGzipOnly) != Z_OK) {
      throw Error(Fault::Memory, "zlib cannot start: out of memory");
    }
  }
  ~State() {
    if (packed) ::inflateEnd(&stream);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] Error refusal(std::string_view what) const {
    return malformed(source, size - left.size(), what);
  }

  // One call of zlib: takes from `left`, puts into `out`; returns how much it put.
  std::size_t step(std::span<std::byte> out) {
    // zlib's interface predates const.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(left.data()));
    stream.avail_in = limited(left.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = limited(out.size());
    const uInt offered = stream.avail_in;
    const uInt room = stream.avail_out;
    const int code = ::inflate(&stream, Z_NO_FLUSH);
    left = left.subspan(offered - stream.avail_in);
    if (code == Z_STREAM_END) {
      // Another part may follow; what is no gzip ends it.
      ended = !is_gzip(left);
      ::inflateReset(&stream);
    } else if (code == Z_BUF_ERROR) {
      damage = refusal("the gzip data ends early");
    } else if (code != Z_OK) {
      damage = refusal("the gzip data is damaged");
    }
    return room - stream.avail_out;
  }
};

Inflater::Inflater(std::span<const std::byte> bytes, std::string source)
    : state_(std::make_unique<State>(bytes, std::move(source))) {}
Inflater::~Inflater() = default;
Inflater::Inflater(Inflater&&) noexcept = default;
Inflater& Inflater::operator=(Inflater&&) noexcept = default;

std::size_t Inflater::read(std::span<std::byte> out) {
  const std::size_t size = read_to_damage(out);
  if (state_->damage) throw *state_->damage;
  return size;
}

const std::optional<Error>& Inflater::damage() const { return state_->damage; }

std::size_t Inflater::foreign_bytes() const {
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  return state_->ended && !std::ranges::all_of(state_->left, is_zero) ? state_->left.size() : 0;
}

std::size_t Inflater::read_to_damage(std::span<std::byte> out) {
  if (!state_->packed) {
    const std::size_t size = std::min(out.size(), state_->left.size());
    if (size > 0) std::memcpy(out.data(), state_->left.data(), size);
    state_->left = state_->left.subspan(size);
    return size;
  }
  std::size_t done = 0;
  while (done < out.size() && !state_->ended && !state_->damage)
    done += state_->step(out.subspan(done));
  return done;
}

}  // namespace ridgeline
