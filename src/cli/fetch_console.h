#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/progress.h"
#include "data/fetch.h"

namespace ridgeline {

// What a fetch prints as it happens, or collects for --json.
class FetchConsole {
 public:
  enum class Output { Text, Json, None };
  FetchConsole(const FetchPlan& plan, Output output);

  void show_progress(const FetchItem& item, std::uint64_t done, std::optional<std::uint64_t> total);
  void show(const FetchItem& item, const FetchState& state);
  void finish();
  // Both of the above, for carry_out(); they refer to this object.
  [[nodiscard]] FetchEvents events();

 private:
  Output output_;
  Progress progress_;
  nlohmann::json document_;
  std::string current_;
};

// Brings one of the known sources, seen as `ridgeline fetch` shows it when `say`; the file's path.
std::filesystem::path fetch_known(std::string_view source, const FetchOptions& options, bool say);

}  // namespace ridgeline
