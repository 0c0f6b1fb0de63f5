#!/usr/bin/env bash
# Our speeds as ratios to the peers', in one run. On a GPU machine also the kernels.
set -euo pipefail
cd "$(dirname "$0")/.."
cache=${RIDGELINE_CACHE:-$HOME/.cache/ridgeline}
echo "== The measuring loop and the statistics"
build/release/bench/loop_bench
echo "== What watching an op costs"
build/release/op_cost
echo "== False alarms and power of the A/B verdict (simulated)"
build/release/bench/verdict_simulation
device=cpu
if command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q GPU; then
  device=cuda
  echo "== Kernels against a copy"
  build/release/bench/batch_norm_bench
  build/release/bench/augment_bench
fi
echo "== Training steps beside PyTorch ($device)"
"$cache/peers/bin/python" bench/peers/compare.py --device "$device" --out "results/peers-$device.json"
echo "== Training end to end beside PyTorch ($device)"
"$cache/peers/bin/python" bench/peers/training.py --device "$device"
echo "== What profiling costs a step, beside PyTorch's profiler ($device)"
"$cache/peers/bin/python" bench/peers/profiler_cost.py --device "$device" --out "results/profiler-cost-$device.json"
echo "== Traces beside HolisticTraceAnalysis"
build/release/bench/make_trace results/made_trace.json 200
build/release/bench/read_trace results/made_trace.json 5
"$cache/peers/bin/python" bench/peers/traces.py build/release 200 3
rm -f results/made_trace.json
if [ -n "${RIDGELINE_CIFAR10:-}" ]; then
  echo "== Reading CIFAR-10 from $RIDGELINE_CIFAR10"
  build/release/bench/read_cifar "$RIDGELINE_CIFAR10" 5
fi
