#pragma once

#include <vector>

#include "roofline/peak_probe.h"

namespace ridgeline {

// Matrix products of fp64, fp32, tf32, fp16, bf16, fp8 (e4m3) and int8 through cuBLASLt on random
// data, over a few shapes and, for each, the algorithms that the library thinks best. None where
// this was built without its header.
void add_matrix_probes(std::vector<PeakProbe>& probes);

}  // namespace ridgeline
