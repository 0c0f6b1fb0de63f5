#include "measure/measure_row.h"

#include <chrono>
#include <cstdio>
#include <iostream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "engine/engine.h"
#include "measure/isolate.h"

namespace ridgeline {
namespace {

int run_measure_row() {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const auto object = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (object.is_discarded()) throw bad_input("measure-row: standard input is no row specification");
  const RowSpec spec = row_spec_from_json(object);
  const auto begin = std::chrono::steady_clock::now();
  const Engine engine = Engine::load(spec.settings.device.kind == DeviceKind::Cuda);
  const Seconds loading = std::chrono::steady_clock::now() - begin;
  nlohmann::json row = measure_row(engine, spec, {.interrupted = [] { return interrupted(); }});
  if (row.contains("startup")) row["startup"]["load_s"] = loading.count();
  fmt::print("{}\n", row.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return kExitOk;
}

}  // namespace

// Hidden: what `bench --isolate` and `warmup` start for each row (see measure/isolate.h).
void add_measure_row(CLI::App& app, CommandLine& line) {
  CLI::App* const command = app.add_subcommand(kMeasureRowCommand, "")->group("");
  command->callback([&line] { line.chosen = run_measure_row; });
}

}  // namespace ridgeline
