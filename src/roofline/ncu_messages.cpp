#include "roofline/ncu_messages.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/display.h"
#include "core/malformed.h"
#include "core/utf8.h"

namespace ridgeline {
namespace {

constexpr std::size_t kMostMessages = 8;
constexpr std::size_t kLongestMessage = 300;

bool is_error(std::string_view line) { return line.starts_with("==ERROR=="); }
bool is_warning(std::string_view line) { return line.starts_with("==WARNING=="); }

std::string remedy_for(std::string_view message) {
  if (message.find("ERR_NVGPUCTRPERM") != std::string_view::npos)
    return "; counters need root, or the driver's setting NVreg_RestrictProfilingToAdminUsers=0";
  if (message.find("No kernels were profiled") != std::string_view::npos)
    return "; check --nvtx-include (\"NAME/\" for push/pop ranges) and --kernel-name";
  return {};
}

// The error if there is one, else the warning: an error is the reason, a warning often is not.
const std::string* most_telling(const std::vector<std::string>& messages) {
  const auto error = std::ranges::find_if(messages, is_error);
  if (error != messages.end()) return &*error;
  return messages.empty() ? nullptr : &messages.back();
}

Error nothing(std::string_view what, const std::vector<std::string>& messages,
              const std::string& source) {
  const std::string* const message = most_telling(messages);
  if (message == nullptr) return malformed(source, what);
  return malformed(source, fmt::format("{}; ncu says: {}{}", what, *message, remedy_for(*message)));
}

}  // namespace

void keep_ncu_message(std::string_view line, std::vector<std::string>& messages) {
  if (!is_error(line) && !is_warning(line)) return;
  if (messages.size() >= kMostMessages) return;
  std::string kept =
      shortened(printable(with_valid_utf8(line.substr(0, 4 * kLongestMessage))), kLongestMessage);
  if (std::ranges::find(messages, kept) == messages.end()) messages.push_back(std::move(kept));
}

void keep_ncu_messages(std::string_view text, std::vector<std::string>& messages) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string_view line = text.substr(start, end - start);
    if (line.ends_with('\r')) line.remove_suffix(1);
    keep_ncu_message(line, messages);
    start = end + 1;
  }
}

Error no_ncu_table(std::string_view text, const std::string& source) {
  if (text.empty()) return malformed(source, "the file is empty");
  std::vector<std::string> messages;
  keep_ncu_messages(text, messages);
  return nothing(
      "no table of ncu in it (a header with \"ID\" and \"Kernel Name\", as ncu --csv "
      "prints)",
      messages, source);
}

Error no_ncu_kernels(const NcuNotes& notes, const std::string& source) {
  if (notes.cut_off || notes.broken_rows > 0)
    return nothing("cut short: not one whole row after its header", notes.messages, source);
  return nothing("no kernel in it, only the header", notes.messages, source);
}

std::string ncu_range_path(std::string_view cell) {
  // 3984  "<default domain>:train_step:none:..."  "<default domain>:forward:none:..."
  std::string path;
  for (;;) {
    const std::size_t open = cell.find('"');
    if (open == std::string_view::npos) break;
    const std::size_t close = cell.find('"', open + 1);
    if (close == std::string_view::npos) break;
    const std::string_view range = cell.substr(open + 1, close - open - 1);
    cell.remove_prefix(close + 1);
    const std::size_t domain_end = range.find(':');
    if (domain_end == std::string_view::npos) continue;
    const std::string_view rest = range.substr(domain_end + 1);
    // The name may hold colons itself; six fields follow it.
    const std::size_t first = rest.find(':');
    std::size_t end = rest.size();
    for (int field = 0; field < 6 && end != std::string_view::npos && end > 0; ++field)
      end = rest.rfind(':', end - 1);
    const std::string_view name = rest.substr(0, end == std::string_view::npos ? first : end);
    if (name.empty()) continue;
    path += (path.empty() ? "" : "/") + std::string(name);
  }
  return path;
}

}  // namespace ridgeline
