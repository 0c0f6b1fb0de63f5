#!/usr/bin/env bash
# What only a GPU can show, in stages of a few minutes each. The programs are built and packed where
# no GPU is needed, and run on a server that has one, with PyTorch 2.11 in its python3:
#   tools/gpu_check.sh pack                 puts programs, libraries and GPU tests into carry/gpu
#   tools/gpu_check.sh STAGE...             there, beside carry/gpu: tests speed cost profile faults roofline train commands
# Every stage writes $OUT/STAGE.log (results/gpu without OUT) and ends with a line for each command:
# exit code and seconds. CIFAR10 names the folder of the real data set for the stages train and
# commands, SEEDS those of the recipe; carry/data holds what else the commands read.
set -uo pipefail
cd "$(dirname "$0")/.."
here=carry/gpu
out=${OUT:-results/gpu}
data=${CIFAR10:-synthetic}

pack() {
  set -e
  rm -rf "$here"
  mkdir -p "$here/tests"
  tools/package.sh build/release/{op,cupti,graph}_cost
  cp -r dist/ridgeline-*-linux-x86_64/. "$here"
  cp build/release/tests/{cuda_test,kernels_test} "$here/tests/"
  strip --strip-unneeded "$here"/tests/*
  for library in gtest gmock; do
    ldd "$here/tests/cuda_test" | awk -v name="lib$library" 'index($1, name) && $3 {print $3}' | xargs -r -I{} cp -L {} "$here/lib/"
  done
  du -sh "$here"
}

# try SECONDS COMMAND...: goes on whatever becomes of it; the summary tells.
try() {
  local limit=$1 start=$SECONDS code=0
  shift
  printf '\n== %s\n' "$*"
  timeout "$limit" "$@" || code=$?
  summary+=("$(printf 'exit %3d  %4d s  %s' "$code" $((SECONDS - start)) "$*")")
}

program=$here/bin/ridgeline

tests() {
  try 400 "$here/tests/kernels_test" --gtest_brief=1
  try 500 "$here/tests/cuda_test" --gtest_brief=1
}

speed() {
  try 560 python3 bench/peers/compare.py --program "$program" --device cuda --out "$out/peers-cuda.json"
}

# What a profile's cost is made of, and where the host's time goes meanwhile.
cost() {
  local model
  try 20 grep . /sys/devices/system/clocksource/clocksource0/{current,available}_clocksource
  try 60 "$here/bin/op_cost" 60
  for model in resnet18 small; do try 250 "$here/bin/cupti_cost" "$model" 24; done
  for model in resnet18 small; do try 60 "$here/bin/graph_cost" "$model"; done
  try 300 python3 bench/peers/profiler_cost.py --program "$program" --device cuda --blocks 16 --out "$out/profiler-cost.json"
  for model in "resnet18 --batch-size 128 --image-size 32 --active 300" "transformer --size small --active 100"; do
    # shellcheck disable=SC2086
    try 60 "$program" profile $model --device cuda --precision bf16 --host-stacks --cost-rounds 0 --quiet --trace-limit 2GB --out "$out/stacks-${model%% *}"
  done
}

profile() {
  local model precision
  for precision in bf16 fp32; do
    try 120 "$program" profile resnet18 --device cuda --batch-size 128 --image-size 32 --precision "$precision" --top 5 --out "$out/eager-resnet18-$precision"
    try 120 "$program" profile transformer --size small --device cuda --precision "$precision" --top 5 --out "$out/eager-small-$precision"
  done
  try 120 "$program" profile resnet18 --device cuda --batch-size 128 --image-size 32 --precision bf16 --host-only --top 5 --out "$out/host-resnet18"
  try 120 "$program" profile transformer --size small --device cuda --precision bf16 --host-only --top 5 --out "$out/host-small"
  for model in "resnet18 --batch-size 128 --image-size 32" "transformer --size small"; do
    # shellcheck disable=SC2086
    try 120 "$program" profile $model --device cuda --precision bf16 --mode graph --group-by module --top 5 --out "$out/graph-${model%% *}"
    # shellcheck disable=SC2086
    try 120 "$program" profile $model --device cuda --precision bf16 --mode graph --graph-detail whole --top 5 --out "$out/whole-${model%% *}"
  done
  try 120 "$program" train tiny-llama --device cuda --num-steps 20 --enable-all-profiling --profile-dir "$out/tiny-llama"
}

# Of a profile's folder: no slices of one track overlap without lying inside, and each step of ops
# has its step of kernels, where those were recorded apart.
sound_profile='
import collections, decimal, gzip, json, sys
folder = sys.argv[1]
events = json.load(gzip.open(folder + "/trace.json.gz", "rt"), parse_float=decimal.Decimal)["traceEvents"]
profile = json.load(open(folder + "/profile.json"))
tracks, torn = collections.defaultdict(list), 0
for event in events:
    if event["ph"] == "X":
        tracks[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
for slices in tracks.values():
    ends = []
    for start, end in sorted(slices, key=lambda slice: slice[0]):
        while ends and ends[-1] <= start:
            ends.pop()
        torn += bool(ends) and end > ends[-1]
        ends.append(end)
beside = sum("overlapping" in str(event.get("args", {}).get("name")) for event in events)
apart = profile.get("device_steps")
steps, kernels = len(profile["steps"]), sum(event.get("cat") == "kernel" for event in events)
print(folder, "steps", steps, "of the device", apart and len(apart), "kernels", kernels, "tracks beside streams", beside, "torn", torn,
      "interrupted" if profile.get("interrupted") else "", *profile["gaps"])
sys.exit(torn > 0 or (apart is not None and len(apart) != steps))'

# Interrupts in each of the three kinds of steps, no room, kernels that overlap, frames of a graph
# that train captures.
faults() {
  local seconds folder
  for seconds in 4 6 8 10; do
    folder=$out/interrupted-$seconds
    try 60 timeout -s INT "$seconds" "$program" profile resnet18 --device cuda --batch-size 128 --image-size 32 --precision bf16 --record apart --active 600 --cost-rounds 0 --quiet --out "$folder"
    if [ -e "$folder/trace.json.gz" ]; then try 20 python3 -c "$sound_profile" "$folder"; fi
  done
  try 60 "$program" profile transformer --size xl --batch-size 4096 --device cuda --precision bf16 --record apart --out "$out/no-room"
  try 60 "$program" profile resnet18 --device cuda --data synthetic --image-size 224 --batch-size 32 --precision bf16 --record apart --out "$out/overlapping"
  try 20 python3 -c "$sound_profile" "$out/overlapping"
  try 60 "$program" train resnet18 --device cuda --mode graph --data synthetic --batch-size 128 --num-steps 40 --enable-pytorch-profiler --profile-dir "$out/train-graph" --out-dir "$out/train-graph-files"
  try 5 grep -E "^(layer|conv1|fc)" "$out/train-graph/modules.csv"
}

roofline() {
  try 120 "$program" roofline peaks --device cuda
  try 120 "$program" roofline run resnet18 --device cuda --batch-size 128 --image-size 32 --precision fp32,bf16 --out "$out/roof-resnet18"
  try 120 "$program" roofline run transformer --device cuda --size small --per op --levels dram,l2 --out "$out/roof-small"
  local metrics=gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum
  local op
  for op in fadd fmul ffma hadd hmul hfma dadd dmul dfma; do metrics+=,smsp__sass_thread_inst_executed_op_${op}_pred_on.sum; done
  metrics+=,sm__ops_path_tensor_src_bf16_dst_fp32.sum,sm__ops_path_tensor_src_fp16.sum,sm__ops_path_tensor_src_tf32_dst_fp32.sum
  try 300 ncu --clock-control none --nvtx --nvtx-include "train_step/" --target-processes all --metrics "$metrics" --csv --log-file "$out/ncu.csv" \
    "$program" train resnet18 --device cuda --batch-size 128 --precision bf16 --data synthetic --profile-one-step --warmup-iters 20 --out-dir "$out/one-step"
  try 20 "$program" roofline parse "$out/ncu.csv" --gpu H200 --top 10 --out "$out/ncu-summary.txt"
}

same_weights='
import sys, torch
whole, halves = (torch.load(path, weights_only=True) for path in sys.argv[1:])
sys.exit(list(whole) != list(halves) or not all(torch.equal(whole[name], halves[name]) for name in whole))'

train() {
  local seed
  for seed in ${SEEDS:-1 2 3}; do
    try 120 "$program" train resnet18 --device cuda --stem cifar --data "$data" --batch-size 512 --epochs 30 --optimizer muon --muon-lr 0.02 \
      --muon-decay 0.1 --muon-momentum 0.95 --lr 0.4 --momentum 0.9 --weight-decay 5e-4 --schedule linear --warmup 582 --label-smoothing 0.1 \
      --cutout 12 --alternate-flip --padding 4 --padding-mode reflect --precision bf16 --mode graph --augment gpu --seed "$seed" --out-dir "$out/muon-$seed" --quiet
  done
  try 120 "$program" train resnet18 --device cuda --epochs 2 --batch-size 128 --data "$data" --workers 8 --pin-memory --deterministic --out-dir "$out/straight"
  try 120 "$program" train resnet18 --device cuda --epochs 2 --stop-after 1 --batch-size 128 --data "$data" --workers 8 --pin-memory --deterministic --out-dir "$out/halves"
  try 120 "$program" train resnet18 --device cuda --resume "$out/halves/resnet18_last.pt" --epochs 2 --batch-size 128 --data "$data" --workers 8 --pin-memory --deterministic --out-dir "$out/halves"
  try 60 python3 -c "$same_weights" "$out"/{straight,halves}/resnet18_final_weights.pt
}

# What the documents promise word by word, each to its end.
commands() {
  local to=$out/commands
  try 60 "$program" train tiny-llama --batch-size 8 --seq-len 128 --num-steps 20 --out-dir "$to/tiny"
  try 60 "$program" train resnet18 --epochs 1 --batch-size 128 --data synthetic --out-dir "$to/synthetic"
  try 90 "$program" train resnet18 --epochs 5 --batch-size 128 --data "$data" --out-dir "$to/artifacts"
  try 60 "$program" train resnet18 --resume "$to/artifacts/resnet18_best.pt" --epochs 6 --data "$data" --out-dir "$to/artifacts"
  try 90 "$program" train resnet34 --epochs 20 --batch-size 256 --amp --workers 4 --data "$data" --save-every 5 --out-dir "$to/resnet34"
  try 60 "$program" train resnet18 --profile-one-step --warmup-iters 20 --data "$data" --out-dir "$to/one"
  try 60 "$program" train transformer --d-model 256 --num-layers 4 --num-heads 8 --text carry/data/tinyshakespeare.txt --num-steps 500 --out-dir "$to/text"
  try 60 "$program" eval resnet20 --weights carry/data/resnet20-12fca82f.safetensors --data "$data"
  try 60 "$program" bench loader --transform rrc224 --workers 0,1,2 --data synthetic
  try 60 "$program" profile transformer --size small --context-length 128 --steps 5 --out "$to/prof"
  try 60 "$program" profile resnet18 --batch-size 128 --image-size 32 --memory --shapes --top 10 --sort-by device --out "$to/prof-memory"
  try 60 "$program" profile resnet18 --mode graph --group-by module --out "$to/prof-graph"
  try 90 "$program" profile resnet18 --data synthetic --image-size 224 --batch-size 32 --steps 10 --out "$to/baseline"
  try 60 "$program" train tiny-llama --batch-size 8 --seq-len 128 --num-steps 20 --enable-pytorch-profiler --profile-dir "$to/exercise1_profiles" --out-dir "$to/exercise1"
  try 60 "$program" roofline run resnet18 --device cpu --batch-size 16 --out "$to/roof-cpu"
  try 20 "$program" roofline parse carry/data/resnet18_bs64_l4.csv --label resnet18_bs64_L4 --out "$to/summary.txt"
  try 120 "$program" run cifar-roofline --data synthetic
}

[ $# -gt 0 ] || { sed -n '2,8p' "$0"; exit 2; }
if [ "$1" = pack ]; then pack; exit; fi
torch=$(python3 -c 'import os, torch; print(os.path.dirname(torch.__file__))') || exit 1
LD_LIBRARY_PATH=$torch/lib:$(ls -d "$torch"/../nvidia/*/lib 2>/dev/null | tr '\n' ':')$PWD/$here/lib
export LD_LIBRARY_PATH
mkdir -p "$out"
for stage in "$@"; do
  declare -F "$stage" >/dev/null || { echo "gpu_check: no stage '$stage'" >&2; exit 2; }
  summary=()
  { "$stage"; printf '\n== %s\n' "$stage"; printf '%s\n' "${summary[@]}"; } 2>&1 | tee "$out/$stage.log"
done
