#include "core/run_folder.h"

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "core/atomic_file.h"
#include "core/error.h"
#include "core/io_error.h"
#include "core/timestamp.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRowsFile = "rows.jsonl";
constexpr const char* kDefaultParent = "runs";

// An empty rows file (an earlier version opened it at once) holds nothing that could be lost.
bool holds_a_run(const fs::path& folder) {
  std::error_code code;
  for (const std::string_view name : {kRowsFile, std::string_view("run.json")}) {
    const auto size = fs::file_size(folder / name, code);
    if (!code && size > 0) return true;
  }
  return false;
}

// Those of `path` and the folders above it that are not there yet, the deepest first.
std::vector<fs::path> missing_folders(fs::path path) {
  std::vector<fs::path> missing;
  std::error_code code;
  for (; !path.empty() && !fs::exists(path, code); path = path.parent_path())
    missing.push_back(path);
  return missing;
}

fs::path use_wanted(const fs::path& wanted) {
  std::error_code code;
  if (fs::exists(wanted, code) && !fs::is_directory(wanted, code)) {
    throw bad_input(fmt::format("'{}' is a file; a run needs a folder", wanted.string()));
  }
  if (holds_a_run(wanted)) {
    throw bad_input(
        fmt::format("'{}' already holds a run; name another folder, or remove that "
                    "one first",
                    wanted.string()));
  }
  fs::create_directories(wanted, code);
  if (code) throw io_error("make the run folder", wanted, code.value());
  return wanted;
}

// mkdir itself decides who has a name, so that two runs started at once never share a folder.
fs::path take_free_name(std::string_view command) {
  constexpr int kMostTries = 10000;
  const fs::path parent = kDefaultParent;
  std::error_code code;
  fs::create_directories(parent, code);
  if (code) throw io_error("make the folder", parent, code.value());
  const std::string stem = fmt::format("{}-{}", utc_now_compact(), command);
  for (int number = 1; number < kMostTries; ++number) {
    fs::path path = parent / (number == 1 ? stem : fmt::format("{}-{}", stem, number));
    if (::mkdir(path.c_str(), 0777) == 0) return path;
    if (errno != EEXIST) throw io_error("make the run folder", path, errno);
  }
  throw io_error("make the run folder", parent / stem, EEXIST);
}

}  // namespace

RunFolder RunFolder::create(const std::optional<std::filesystem::path>& wanted,
                            std::string_view command) {
  RIDGELINE_CHECK(!command.empty() && command.find('/') == std::string_view::npos);
  std::vector<fs::path> made = missing_folders(wanted.value_or(kDefaultParent));
  if (wanted) return {use_wanted(*wanted), std::move(made)};
  const fs::path path = take_free_name(command);
  made.insert(made.begin(), path);
  return {path, std::move(made)};
}

RunFolder::RunFolder(fs::path path, std::vector<fs::path> made)
    : path_(std::move(path)), made_(std::move(made)) {}

void RunFolder::discard() noexcept {
  if (rows_.is_open()) ::unlink((path_ / kRowsFile).c_str());
  rows_.close();
  for (const fs::path& folder : made_) ::rmdir(folder.c_str());
  made_.clear();
}

void RunFolder::open_rows() {
  if (rows_.is_open()) return;
  const fs::path file = path_ / kRowsFile;
  rows_ = FileDescriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!rows_.is_open()) throw io_error("write", file, errno);
}

void RunFolder::append_row(const nlohmann::json& row) {
  open_rows();
  // Names from outside may hold broken UTF-8; a row with a replacement mark beats no row.
  const std::string line =
      row.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  const off_t before = ::lseek(rows_.number(), 0, SEEK_END);
  if (write_all(rows_, line) && ::fdatasync(rows_.number()) == 0) return;
  const int reason = errno;
  // On a full disk: take back half a line, so that the rows before it still read.
  if (before >= 0 && ::ftruncate(rows_.number(), before) != 0) {
    throw io_error("write a row, nor take back the half written one, in", path_ / kRowsFile,
                   reason);
  }
  throw io_error("write a row to", path_ / kRowsFile, reason);
}

void RunFolder::write(std::string_view name, std::string_view content) {
  const fs::path relative(name);
  for (const fs::path& part : relative) RIDGELINE_CHECK(part != "..");
  RIDGELINE_CHECK(!name.empty() && relative.is_relative());
  write_file_atomically(path_ / relative, content);
}

}  // namespace ridgeline
