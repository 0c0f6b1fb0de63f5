#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/checksum.h"
#include "core/units.h"

namespace ridgeline {

struct DownloadRequest {
  std::string url{};
  std::filesystem::path to{};
  std::optional<Checksum> checksum{};
  std::optional<std::uint64_t> size{};  // bytes, where known
  std::string bearer_token{};           // for the URL's own host alone
};

struct DownloadOptions {
  int retries = 4;     // in a row that bring nothing new
  Seconds backoff{1};  // before the first retry; doubled for each
  Seconds connect_timeout{30};
  Seconds stall_timeout{60};
  // Bytes there, and bytes in all where known.
  std::function<void(std::uint64_t, std::optional<std::uint64_t>)> progress{};
};

struct DownloadResult {
  bool was_there = false;          // nothing was fetched
  std::uint64_t bytes = 0;         // of the file
  std::uint64_t resumed_from = 0;  // bytes taken over from an earlier attempt
};

// Whether the file is there with the size and checksum that the request names. A wrong one counts
// as absent.
[[nodiscard]] bool is_downloaded(const DownloadRequest& request);

// Brings the file, unless it is there already. It appears under its name only when complete and
// right; until then it is `NAME.part`, where the next call goes on after a dropped connection, an
// interrupt or a kill: only if the server confirms that the file is still the same, or a checksum
// will. Throws Error(Io), one line with the URL and the reason.
DownloadResult download(const DownloadRequest& request, const DownloadOptions& options = {});

}  // namespace ridgeline
