#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace ridgeline {

// Where a language model's batches come from. What fill() writes is a function of its arguments and
// of how the source was made, never of earlier calls: step k of a resumed run sees the same rows.
// Several threads may call at once.
class TokenSource {
 public:
  virtual ~TokenSource() = default;
  // `rows` rows of context + 1 tokens: inputs are the first `context`, targets the last. Throws
  // Error(BadInput) when the source is too short, or holds a token outside the vocabulary (with its
  // position), Error(Io) when it cannot be read any more.
  virtual void fill(std::uint64_t step, std::size_t rows, std::size_t context,
                    std::int64_t* out_tokens) const = 0;
  [[nodiscard]] virtual std::int64_t vocab() const = 0;  // every token is below
  [[nodiscard]] virtual std::uint64_t size() const = 0;  // tokens in all
  [[nodiscard]] virtual std::string description() const = 0;
  // What tells it from others wherever it lies: kind, size and a sum of the content.
  [[nodiscard]] virtual std::string identity() const = 0;
};

struct TextOptions {
  enum class Width { Bytes, Words };  // a token is a byte, or 16 bits, little-endian
  enum class Part { Training, HeldOut };
  std::filesystem::path path{};
  Width width = Width::Bytes;
  std::uint64_t seed = 42;
  std::int64_t vocab = 0;  // 0: as many as the tokens' type can name
  // So many tokens at the end are kept apart; the held-out part's rows follow one another instead
  // of being drawn: row k begins at its token k x context.
  std::uint64_t hold_out = 0;
  Part part = Part::Training;
};

// A file as it is, whatever its name: a byte a token (vocabulary 256), or 16-bit tokens (65536)
// where the options say so. Windows start anywhere, each place equally likely. Throws Error(Io)
// when it cannot be read, Error(BadInput) when it holds no tokens.
[[nodiscard]] std::unique_ptr<TokenSource> open_text(const TextOptions& options);

struct RandomTokenOptions {
  std::size_t rows = 1000;
  std::size_t context = 256;  // the longest that will be asked for
  std::int64_t vocab = 1000;
  std::uint64_t seed = 42;
};

// Rows of tokens drawn uniformly from [1, vocab), as a data set of that many rows: every epoch goes
// through all of them, in an order of its own. A batch that reaches the end of an epoch goes on
// with the next.
[[nodiscard]] std::unique_ptr<TokenSource> make_random_tokens(const RandomTokenOptions& options);

}  // namespace ridgeline
