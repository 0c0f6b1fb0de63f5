#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/units.h"
#include "data/loader.h"
#include "measure/row_spec.h"
#include "measure/sampler.h"

namespace ridgeline {

// One row of `bench loader`: batches made as in training, and thrown away.
struct LoaderBench {
  std::string label{};  // "rrc224"
  TransformOptions transform{};
  LoaderOptions loader{};
  int image_size = 0;  // of the source, for the record; 0 when images differ
  SamplingPlan plan{};
};

// The row as rows.jsonl holds it (docs/run_folder.md): the total is the time a batch took, each
// sample over enough batches that a sample lasts a tenth of a second. What goes wrong is a failed
// row.
[[nodiscard]] nlohmann::json measure_loader(const ImageSet& images, const LoaderBench& bench,
                                            const SampleHooks& hooks);

// What copies in memory reach with so many threads, counting bytes read and written: the best of a
// few rounds over blocks far larger than caches.
[[nodiscard]] BytesPerSecond measure_host_copy(int threads);

// "rrc224, batch 128, 2 workers": for progress and messages.
[[nodiscard]] std::string describe(const LoaderBench& bench);

}  // namespace ridgeline
