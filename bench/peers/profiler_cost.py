"""What profiling costs a training step: Ridgeline's profiler beside torch.profiler, in one run.

    bench/peers/profiler_cost.py --program build/release/ridgeline --device cuda --out results/profiler_cost.json

Each program's ratio is to its own step without a profiler, interleaved. PyTorch keeps CUPTI in the
process once it has profiled, which steps without it pay for too: its ratio is given to those and to
steps from before the first profile. Our eager steps are shorter than PyTorch's, so that the same
cost is a larger ratio: the milliseconds that profiling adds to a step stand beside it. Where ours
records ops and kernels in steps of their own, both costs are given, ops first.
"""
import argparse
import json
import pathlib
import random
import statistics
import subprocess
import tempfile
import time

import compare

BLOCK, SETTLING = 8, 3


def pytorch_child(row, device, blocks):
    import torch
    from torch.profiler import ProfilerActivity, profile

    import pytorch_steps
    torch.manual_seed(42)
    step = pytorch_steps.stepper(row, device)
    wait = torch.cuda.synchronize if device == "cuda" else (lambda: None)
    activities = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if device == "cuda" else [])

    def block():
        times = []
        for _ in range(BLOCK):
            start = time.perf_counter()
            step()
            wait()
            times.append(time.perf_counter() - start)
        return statistics.median(times[SETTLING:])

    for _ in range(5):
        step()
    wait()
    never = [block() for _ in range(blocks)]
    with_it, without = [], []
    coin = random.Random(1)
    for _ in range(blocks):
        for watched in coin.sample([True, False], 2):
            if watched:
                with profile(activities=activities):
                    with_it.append(block())
            else:
                without.append(block())
    return dict(never=never, without=without, **{"with": with_it})


def pytorch(row, args):
    here = pathlib.Path(__file__).resolve()
    done = subprocess.run([args.python, here, "--child", json.dumps(row), "--device", args.device, "--blocks", str(args.blocks)],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return {"error": (done.stderr.strip().splitlines() or ["no words"])[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def ridgeline(row, args):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "run"
        words = [args.program, "profile", *compare.model_arguments(row), "--precision", row["precision"], "--device", args.device,
                 "--threads", args.threads, "--budget", "60s", "--cost-rounds", args.blocks, "--quiet", "--out", out]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        if not (out / "profile.json").exists():
            return {"error": done.stderr.strip() or f"exit code {done.returncode}"}
        profile = json.loads((out / "profile.json").read_text())
        return {"costs": [profile[key] for key in ("cost", "device_cost") if key in profile]}


def middle(values):
    return statistics.median(values)


def line(row):
    ours, theirs = row["ridgeline"], row["pytorch"]
    name = f"{row['name']} {row['precision']}"
    for who in (ours, theirs):
        if "error" in who:
            return f"| {name} | {who['error']} |"
    pairs = [a / b for a, b in zip(theirs["with"], theirs["without"])]
    never, watched = middle(theirs["never"]), middle(theirs["with"])
    costs = ours["costs"]
    ratios = ", ".join(f"{cost['ratio']:.3f}x" for cost in costs)
    step = ", ".join(f"{1e3 * middle(cost['without_s']):.2f}" for cost in costs)
    extra = ", ".join(f"{1e3 * (middle(cost['with_s']) - middle(cost['without_s'])):+.2f}" for cost in costs)
    return (f"| {name} | {ratios} | {step} ms | {extra} ms | "
            f"{middle(pairs):.2f}x, {watched / never:.2f}x | {1e3 * never:.2f} ms | {1e3 * (watched - never):+.2f} ms |")


def main():
    parser = compare.arguments_of(__doc__)
    parser.add_argument("--blocks", type=int, default=24)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        print(json.dumps(pytorch_child(json.loads(args.child), args.device, args.blocks)))
        return
    rows = [compare.resnet(32, 128), compare.transformer("small", 4, 256)] if args.device == "cuda" else [
        compare.resnet(32, 16), compare.transformer("tiny", 8, 128)]
    precisions = ["bf16", "fp32"] if args.device == "cuda" else ["fp32"]
    results = []
    print("| row | ours | our step | more | torch.profiler, to without and to never | PyTorch's step | more |")
    print("|---|---|---|---|---|---|---|")
    for row in (dict(row, precision=precision) for row in rows for precision in precisions):
        row |= {"ridgeline": ridgeline(row, args), "pytorch": pytorch(row, args)}
        results.append(row)
        print(line(row), flush=True)
    if args.out:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        args.out.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
