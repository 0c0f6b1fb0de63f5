#include "report/sample_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace ridgeline::testing {

Json stats(double median_s, double spread) {
  constexpr std::array kPattern{0.0, 0.6, -0.4, 1.9, -0.9, 0.3, -0.2, 0.8, -0.7, 0.1};
  std::vector<double> samples;
  for (const double step : kPattern) samples.push_back(median_s * (1 + spread * step));
  const double n = static_cast<double>(samples.size());
  const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / n;
  double squares = 0;
  for (const double s : samples) squares += (s - mean) * (s - mean);
  const double deviation = std::sqrt(squares / (n - 1));
  auto sorted = samples;
  std::ranges::sort(sorted);
  return {{"samples_s", samples},
          {"count", samples.size()},
          {"median_s", (sorted[4] + sorted[5]) / 2},
          {"median_low_s", sorted[1]},
          {"median_high_s", sorted[8]},
          {"confidence", 0.95},
          {"mean_s", mean},
          {"std_s", deviation},
          {"cv_percent", 100 * deviation / mean},
          {"min_s", sorted.front()},
          {"max_s", sorted.back()},
          {"outliers_mild", 0},
          {"outliers_severe", 0}};
}

Json plain_row(const std::string& label, std::int64_t parameters, int context, double forward_s) {
  return {{"model", "transformer"},
          {"label", label},
          {"parameters", parameters},
          {"settings",
           {{"batch_size", 4},
            {"context_length", context},
            {"precision", "fp32"},
            {"tf32", false},
            {"mode", "eager"},
            {"kernels", "plain"},
            {"device", "cpu"},
            {"optimizer", "adamw"},
            {"head_dim", 64},
            {"threads", 2},
            {"seed", 42},
            {"extent", "backward"}}},
          {"phases_asked", {"forward", "backward"}},
          {"plan", {{"warmup_steps", 5}, {"measure_steps", 10}}},
          {"outcome", "measured"},
          {"phases",
           {{"forward", stats(forward_s)},
            {"backward", stats(2 * forward_s)},
            {"total", stats(3 * forward_s)}}},
          {"stopped_by", "count"},
          {"warnings", Json::array()}};
}

Json step_row(const std::string& label, std::int64_t parameters, int context, double forward_s) {
  Json row = plain_row(label, parameters, context, forward_s);
  row["settings"]["extent"] = "step";
  row["phases_asked"] = {"step"};
  row["phases"]["optimizer"] = stats(0.2 * forward_s);
  row["phases"]["total"] = stats(3.2 * forward_s);
  const double step_s = row["phases"]["total"]["median_s"];
  row["samples_per_s"] = 4 / step_s;
  row["tokens_per_s"] = 4 * context / step_s;
  row["flop"] = {{"forward", 1e11}, {"backward", 2e11}, {"optimizer", 1e9}};
  row["mfu"] = 0.41;
  row["memory"] = {{"current_bytes", 1'500'000'000}, {"peak_bytes", 3'221'225'472}};
  row["steady"] = {{"class", "flat"}, {"from_step", 0}};
  return row;
}

Json unmeasured_row(const std::string& outcome, const std::string& reason) {
  Json row = plain_row("2.7B", 3'406'809'600, 1024, 1);
  row.erase("phases");
  row.erase("stopped_by");
  row["outcome"] = outcome;
  row["reason"] = reason;
  row["fault"] = "memory";
  return row;
}

Json without_samples(Json row) {
  for (auto& [phase, stats] : row["phases"].items()) stats.erase("samples_s");
  return row;
}

Json warmup_study() {
  Json points = Json::array();
  constexpr std::array kSteps{0, 1, 2, 5, 10};
  constexpr std::array kSpread{0.35, 0.06, 0.02, 0.015, 0.015};
  for (std::size_t i = 0; i < kSteps.size(); ++i) {
    const double slower = kSteps[i] == 0 ? 1.3 : 1;
    points.push_back({{"warmup_steps", kSteps[i]}, {"time", stats(0.150 * slower, kSpread[i])}});
  }
  return {{"label", "small"},
          {"phase", "step"},
          {"points", points},
          {"advice", "2 warm-up steps are enough here."}};
}

RunDocument full_run() {
  RunDocument run;
  run.command = "bench";
  run.command_line = {"ridgeline", "bench", "transformer", "--size", "small,medium"};
  run.settings = {{"size", {"small", "medium"}}, {"budget_s", 20}};
  run.started = "2026-11-15T06:00:00Z";
  run.finished = "2026-11-15T06:04:10Z";
  run.environment = {{"machine", "testbox"},
                     {"cpu", {{"model", "Example CPU 9000"}, {"logical_cores", 2}}},
                     {"memory", {{"total_bytes", 8'589'934'592}}},
                     {"load_average", {0.5, 0.4, 0.3}},
                     {"gpus", {{{"name", "Example GPU"}, {"index", 0}}}},
                     {"build", {{"revision", "abc1234"}}}};
  for (const int context : {128, 256, 512, 1024}) {
    run.rows.push_back(step_row("small", 128'625'408, context, 0.0003 * context));
    run.rows.push_back(step_row("medium", 423'183'360, context, 0.0009 * context));
  }
  run.rows[3]["warnings"] = {"CPU frequency fell by 12 % during the row"};
  run.rows.push_back(unmeasured_row("skipped", "needs 54.51 GiB, 8.00 GiB are available"));
  run.rows.push_back(unmeasured_row("failed", "out of memory in backward"));
  for (Json& row : run.rows) row["settings"]["extent"] = "step";
  run.verdicts = {{{"a", "eager"},
                   {"b", "graph"},
                   {"verdict", "faster"},
                   {"speedup", 1.4},
                   {"speedup_low", 1.37},
                   {"speedup_high", 1.43},
                   {"rounds", 24},
                   {"sentence", "graph ran 1.40 ± 0.03 times faster than eager"}}};
  run.warmup_study = warmup_study();
  return run;
}

std::vector<std::string> hostile_texts() {
  return {"</script><script>alert(1)</script>",
          "\" onmouseover=\"alert(1)",
          "' onload='x",
          "<img src=x onerror=alert(1)>",
          "line\nbreak\r\nand \xE2\x80\xA8 separator",
          "a,b;\"c\"",
          "pipe | and \\ and `code` *bold*",
          "`touch pwned` $(touch pwned) @macro",
          "%s%n%d %",
          "it's",
          "]]>&amp;",
          "<!--"};
}

}  // namespace ridgeline::testing
