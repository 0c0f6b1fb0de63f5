#include "profile/text_file.h"

#include <array>
#include <optional>

#include <fmt/format.h>
#include <zlib.h>

#include "core/atomic_writer.h"
#include "core/error.h"
#include "core/utf8.h"

namespace ridgeline {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;
constexpr int kGzipWindow = 15 + 16;  // 16: a gzip header instead of zlib's
constexpr int kMemoryLevel = 8;

// Fast rather than small: a trace is written while someone waits.
class Deflater {
 public:
  Deflater() {
    RIDGELINE_CHECK(deflateInit2(&stream_, Z_BEST_SPEED + 2, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                                 Z_DEFAULT_STRATEGY) == Z_OK);
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  void run(std::string_view text, int flush, AtomicWriter& out) {
    // zlib's interface is older than const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream_.avail_in = static_cast<uInt>(text.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(packed_.data());
      stream_.avail_out = static_cast<uInt>(packed_.size());
      RIDGELINE_CHECK(deflate(&stream_, flush) != Z_STREAM_ERROR);
      out.write(std::string_view(packed_.data(), packed_.size() - stream_.avail_out));
    } while (stream_.avail_out == 0);
  }

 private:
  z_stream stream_{};
  std::array<char, 1 << 16> packed_{};
};

}  // namespace

struct TextFile::State {
  explicit State(const std::filesystem::path& path) : writer(path) {
    if (path.extension() == ".gz") deflater.emplace();
    pending.reserve(kBlock);
  }
  void flush(int how) {
    if (deflater) {
      deflater->run(pending, how, writer);
    } else {
      writer.write(pending);
    }
    pending.clear();
  }
  AtomicWriter writer;
  std::optional<Deflater> deflater{};
  std::string pending{};
};

TextFile::TextFile(const std::filesystem::path& path) : state_(std::make_unique<State>(path)) {}
TextFile::~TextFile() = default;

void TextFile::write(std::string_view text) {
  state_->pending += text;
  if (state_->pending.size() >= kBlock) state_->flush(Z_NO_FLUSH);
}

void TextFile::commit() {
  state_->flush(Z_FINISH);
  state_->writer.commit();
}

std::string json_escaped(std::string_view text) {
  std::string out;
  for (const char c : with_valid_utf8(text)) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace ridgeline
