#include "data/text.h"

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/file_descriptor.h"
#include "core/format.h"
#include "core/io_error.h"
#include "data/content_sum.h"
#include "stats/random.h"

namespace ridgeline {
namespace {

// A stream for each place and row of the draws; stream 0 of Random is its plain form, so they
// start at 1.
Random stream_of(std::uint64_t seed, std::uint64_t first, std::uint64_t second) {
  return Random(Random(seed, first + 1).next(), second + 1);
}

// Read where needed rather than mapped: a mapped file that somebody shortens ends the program with
// SIGBUS, a short read is an error like any other; and a row is one read of a cached page.
class TextFile final : public TokenSource {
 public:
  explicit TextFile(const TextOptions& options)
      : path_(options.path),
        seed_(options.seed),
        wide_(options.width == TextOptions::Width::Words) {
    const std::int64_t most = wide_ ? 65536 : 256;
    if (options.vocab < 0 || options.vocab > most) {
      throw bad_input(fmt::format("'{}': a vocabulary of {} does not fit tokens of {} byte{}",
                                  path_.string(), options.vocab, width(), wide_ ? "s" : ""));
    }
    vocab_ = options.vocab == 0 ? most : options.vocab;
    // Without waiting, should it be a pipe: those are refused below.
    file_ = FileDescriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file_.is_open()) throw io_error("read", path_, errno);
    struct stat facts {};
    if (::fstat(file_.number(), &facts) != 0) throw io_error("read", path_, errno);
    if (S_ISDIR(facts.st_mode)) throw io_error("read", path_, EISDIR);
    if (!S_ISREG(facts.st_mode))
      throw bad_input(fmt::format("'{}' is no regular file", path_.string()));
    const auto bytes = static_cast<std::uint64_t>(facts.st_size);
    if (bytes == 0) throw bad_input(fmt::format("'{}' is empty", path_.string()));
    if (bytes % width() != 0)
      throw bad_input(fmt::format("'{}': {} bytes are no whole number of 16-bit tokens",
                                  path_.string(), bytes));
    bytes_ = bytes;
    size_ = bytes / width();
    if (options.hold_out >= size_)
      throw bad_input(fmt::format("--hold-out {}: '{}' has {} tokens, and some must be left",
                                  options.hold_out, path_.string(), size_));
    // Of 16-bit tokens there may be too many to look at each; those are told where they are met.
    if (!wide_ && vocab_ < most) require_known_bytes();
    in_order_ = options.part == TextOptions::Part::HeldOut;
    first_ = in_order_ ? size_ - options.hold_out : 0;
    size_ = in_order_ ? options.hold_out : size_ - options.hold_out;
  }

  void fill(std::uint64_t step, std::size_t rows, std::size_t context,
            std::int64_t* out_tokens) const override {
    if (size_ <= context) {
      throw bad_input(fmt::format("'{}' has {} tokens, too few for one row of {} + 1",
                                  path_.string(), size_, context));
    }
    std::vector<unsigned char> window((context + 1) * width());
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint64_t start = first_ + start_of(step, rows, row, context);
      read_at(start * width(), window);
      std::int64_t* const out = out_tokens + row * (context + 1);
      for (std::size_t i = 0; i <= context; ++i) out[i] = checked(decoded(window, i), start + i);
    }
  }

  [[nodiscard]] std::int64_t vocab() const override { return vocab_; }
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] std::string description() const override {
    return fmt::format("{}, {} {}, vocabulary {}", path_.filename().string(),
                       format_count(static_cast<double>(size_)),
                       wide_ ? "16-bit tokens" : "bytes as tokens", vocab_);
  }
  [[nodiscard]] std::string identity() const override {
    ContentSum sum;
    std::vector<unsigned char> block;
    sum.add_spread(bytes_, [&](std::uint64_t offset, std::size_t size) {
      block.resize(size);
      read_at(offset, block);
      return std::string_view(reinterpret_cast<const char*>(block.data()), size);
    });
    return fmt::format("{} of {} bytes, sum {}", wide_ ? "16-bit tokens" : "a text", bytes_,
                       sum.finish());
  }

 private:
  [[nodiscard]] std::size_t width() const { return wide_ ? 2 : 1; }

  [[nodiscard]] std::uint64_t start_of(std::uint64_t step, std::size_t rows, std::size_t row,
                                       std::size_t context) const {
    const std::uint64_t places = size_ - context;
    if (!in_order_) return stream_of(seed_, step, row).below(places);
    return (step * rows + row) * context % places;
  }

  [[nodiscard]] std::int64_t decoded(const std::vector<unsigned char>& window,
                                     std::size_t i) const {
    return wide_ ? window[2 * i] + 256 * window[2 * i + 1] : window[i];
  }

  [[nodiscard]] std::int64_t checked(std::int64_t token, std::uint64_t position) const {
    if (token < vocab_) return token;
    throw bad_input(
        fmt::format("'{}': token {} at position {} (byte {}) is not in a vocabulary of "
                    "{}",
                    path_.string(), token, position, position * width(), vocab_));
  }

  void require_known_bytes() const {
    constexpr std::uint64_t kBlock = 1 << 20;
    std::vector<unsigned char> block;
    for (std::uint64_t at = 0; at < size_; at += block.size()) {
      block.resize(std::min(kBlock, size_ - at));
      read_at(at, block);
      for (std::size_t i = 0; i < block.size(); ++i) (void)checked(block[i], at + i);
    }
  }

  void read_at(std::uint64_t offset, std::vector<unsigned char>& window) const {
    std::size_t done = 0;
    while (done < window.size()) {
      const ssize_t got = ::pread(file_.number(), window.data() + done, window.size() - done,
                                  static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw io_error("read", path_, errno);
      if (got == 0) {
        throw Error(Fault::Io, fmt::format("'{}' became shorter: nothing at byte {}",
                                           path_.string(), offset + done));
      }
      done += static_cast<std::size_t>(got);
    }
  }

  std::filesystem::path path_;
  std::uint64_t seed_;
  bool wide_;
  std::int64_t vocab_ = 0;
  std::uint64_t bytes_ = 0;  // of the file
  std::uint64_t size_ = 0;   // of the part, which begins at
  std::uint64_t first_ = 0;  // this token
  bool in_order_ = false;
  FileDescriptor file_;
};

class RandomTokens final : public TokenSource {
 public:
  explicit RandomTokens(const RandomTokenOptions& options) : options_(options) {
    if (options.vocab < 2)
      throw bad_input(
          fmt::format("random tokens need a vocabulary of 2 or more, not {}", options.vocab));
    if (options.rows == 0) throw bad_input("random tokens need at least one row");
  }

  void fill(std::uint64_t step, std::size_t rows, std::size_t context,
            std::int64_t* out_tokens) const override {
    if (context > options_.context) {
      throw bad_input(fmt::format("random rows of {} + 1 tokens are too short for {} + 1",
                                  options_.context, context));
    }
    std::vector<std::size_t> order;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint64_t place = step * rows + row;
      const std::size_t within = place % options_.rows;
      if (order.empty() || within == 0) order = order_of(place / options_.rows);
      write_row(order[within], context, out_tokens + row * (context + 1));
    }
  }

  [[nodiscard]] std::int64_t vocab() const override { return options_.vocab; }
  [[nodiscard]] std::uint64_t size() const override {
    return std::uint64_t{options_.rows} * (options_.context + 1);
  }
  [[nodiscard]] std::string description() const override {
    return fmt::format("{} random rows of {} tokens, vocabulary {}", options_.rows,
                       options_.context + 1, options_.vocab);
  }
  // The rest of what they are drawn from is in every recipe.
  [[nodiscard]] std::string identity() const override { return "random rows"; }

 private:
  enum Purpose : std::uint64_t { kContent = 0, kOrder = 1 };

  void write_row(std::size_t index, std::size_t context, std::int64_t* out) const {
    Random random = stream_of(options_.seed, kContent, index);
    const auto kinds = static_cast<std::uint64_t>(options_.vocab - 1);
    for (std::size_t i = 0; i <= context; ++i)
      out[i] = 1 + static_cast<std::int64_t>(random.below(kinds));
  }

  // Fisher and Yates: every order equally likely.
  [[nodiscard]] std::vector<std::size_t> order_of(std::uint64_t epoch) const {
    Random random = stream_of(options_.seed, kOrder, epoch);
    std::vector<std::size_t> order(options_.rows);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (std::size_t left = order.size(); left > 1; --left)
      std::swap(order[left - 1], order[random.below(left)]);
    return order;
  }

  RandomTokenOptions options_;
};

}  // namespace

std::unique_ptr<TokenSource> open_text(const TextOptions& options) {
  return std::make_unique<TextFile>(options);
}

std::unique_ptr<TokenSource> make_random_tokens(const RandomTokenOptions& options) {
  return std::make_unique<RandomTokens>(options);
}

}  // namespace ridgeline
