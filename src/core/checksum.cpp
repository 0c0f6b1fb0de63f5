#include "core/checksum.h"

#include <cerrno>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "core/file_descriptor.h"
#include "core/io_error.h"
#include "core/md5.h"
#include "core/sha256.h"

namespace ridgeline {
namespace {

template <class Hash>
std::string sum_with(const std::filesystem::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) throw io_error("read", path, errno);
  Hash hash;
  std::vector<char> block(1U << 18U);
  for (;;) {
    const ssize_t got = ::read(file.number(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw io_error("read", path, errno);
    if (got == 0) return hash.finish();
    hash.update({block.data(), static_cast<std::size_t>(got)});
  }
}

char lower(char letter) {
  return letter >= 'A' && letter <= 'F' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

}  // namespace

std::string_view name_of(Checksum::Kind kind) {
  return kind == Checksum::Kind::Md5 ? "md5" : "sha256";
}

std::string sum_of_file(Checksum::Kind kind, const std::filesystem::path& path) {
  return kind == Checksum::Kind::Md5 ? sum_with<Md5>(path) : sum_with<Sha256>(path);
}

// An empty expectation matches nothing: it would accept every file.
bool matches(const Checksum& expected, std::string_view sum) {
  if (expected.hex.empty() || expected.hex.size() > sum.size()) return false;
  for (std::size_t i = 0; i < expected.hex.size(); ++i) {
    if (lower(expected.hex[i]) != sum[i]) return false;
  }
  return true;
}

}  // namespace ridgeline
