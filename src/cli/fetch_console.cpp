#include "cli/fetch_console.h"

#include <filesystem>

#include <fmt/format.h>

#include "core/display.h"
#include "core/format.h"

namespace ridgeline {
namespace {

Bytes as_bytes(std::uint64_t count) { return Bytes{static_cast<double>(count)}; }

std::string_view name_of(FetchState::Kind kind) {
  switch (kind) {
    case FetchState::Kind::There:
      return "there";
    case FetchState::Kind::Fetched:
      return "fetched";
    case FetchState::Kind::Missing:
      break;
  }
  return "missing";
}

std::string words_of(const FetchItem& item, const FetchState& state) {
  const auto& request = item.request;
  if (state.kind == FetchState::Kind::Missing) {
    const bool wrong = std::filesystem::exists(request.to);
    return wrong ? "missing: a file of another size or sum is there" : "missing";
  }
  std::string words(name_of(state.kind));
  if (state.kind == FetchState::Kind::Fetched) {
    words += fmt::format(" in {}", format_seconds(state.time));
    if (state.resumed_from > 0)
      words += fmt::format(", resumed at {}", format_bytes(as_bytes(state.resumed_from)));
  }
  if (request.checksum) return words + fmt::format(", {} right", name_of(request.checksum->kind));
  return words + (request.size ? ", size right" : ", nothing to check it with");
}

}  // namespace

FetchConsole::FetchConsole(const FetchPlan& plan, Output output)
    : output_(output),
      progress_({.enabled = output == Output::Text, .total = plan.items.size()}),
      document_{{"what", plan.what}, {"files", nlohmann::json::array()}} {
  if (output == Output::Text) fmt::print("{}\n", printable(plan.what));
}

void FetchConsole::show_progress(const FetchItem& item, std::uint64_t done,
                                 std::optional<std::uint64_t> total) {
  if (item.name != current_) progress_.begin(current_ = item.name);
  if (total && *total > 0)
    progress_.update(static_cast<double>(done) / static_cast<double>(*total));
}

void FetchConsole::show(const FetchItem& item, const FetchState& state) {
  progress_.finish_item();
  progress_.clear();
  const auto size = state.kind == FetchState::Kind::Missing
                        ? item.request.size
                        : std::optional<std::uint64_t>(state.bytes);
  nlohmann::json entry{
      {"name", item.name}, {"url", item.request.url}, {"state", name_of(state.kind)}};
  if (size) entry["bytes"] = *size;
  document_["files"].push_back(std::move(entry));
  if (output_ != Output::Text) return;
  fmt::print("  {:40} {:>10}  {}\n", printable(item.name),
             size ? format_bytes(as_bytes(*size)) : "?", words_of(item, state));
}

void FetchConsole::finish() {
  progress_.clear();
  if (output_ == Output::Json) {
    constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
    fmt::print("{}\n", document_.dump(2, ' ', false, kReplace));
  }
}

FetchEvents FetchConsole::events() {
  return {
      .progress = [this](const FetchItem& item, std::uint64_t done,
                         std::optional<std::uint64_t> total) { show_progress(item, done, total); },
      .done = [this](const FetchItem& item, const FetchState& state) { show(item, state); }};
}

std::filesystem::path fetch_known(std::string_view source, const FetchOptions& options, bool say) {
  const FetchPlan plan = plan_fixed(source, options);
  FetchConsole console(plan, say ? FetchConsole::Output::Text : FetchConsole::Output::None);
  carry_out(plan, console.events());
  console.finish();
  return plan.items.front().request.to;
}

}  // namespace ridgeline
