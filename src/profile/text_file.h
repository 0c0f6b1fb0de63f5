#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace ridgeline {

// A text file written piece by piece and complete or absent, whatever happens: see AtomicWriter.
// Compressed when its name ends in ".gz". Every member throws Error(Io).
class TextFile {
 public:
  explicit TextFile(const std::filesystem::path& path);
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  void write(std::string_view text);
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// `text` as the inside of a JSON string: quotes, backslashes and control characters escaped, bytes
// that are no UTF-8 replaced.
[[nodiscard]] std::string json_escaped(std::string_view text);

}  // namespace ridgeline
