"""Ridgeline beside PyTorch in one run: the same rows, the same machine, alternating, as ratios.

    bench/peers/compare.py --program build/release/ridgeline --device cpu --out results/peers.json

On a GPU both eager rows (against PyTorch eager) and graph rows are measured, the latter also against
the medians that docs/performance.md names as the floor.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

SIZES = {
    "tiny": dict(vocab_size=1000, d_model=256, d_ff=512, num_layers=4, num_heads=8),
    "small": dict(vocab_size=10000, d_model=768, d_ff=3072, num_layers=12, num_heads=12),
    "medium": dict(vocab_size=10000, d_model=1024, d_ff=4096, num_layers=24, num_heads=16),
    "large": dict(vocab_size=10000, d_model=1280, d_ff=5120, num_layers=36, num_heads=20),
}


def resnet(size, batch, **more):
    return dict(name=f"resnet18 {size}² bs{batch}", kind="resnet", model="resnet18", image_size=size, batch_size=batch, **more)


def transformer(size, batch, context, **more):
    return dict(name=f"transformer {size} bs{batch} T{context}", kind="transformer", batch_size=batch, context_length=context,
                **SIZES[size], **more)


# `graph_ms`: the median that graph mode must reach within 3 %.
ROWS = {
    "cpu": [resnet(32, 128), resnet(224, 8), transformer("tiny", 8, 128), transformer("small", 4, 128)],
    "cuda": [resnet(32, 128, graph_ms=1.61), resnet(32, 1024, graph_ms=2.85), resnet(224, 32, graph_ms=3.54),
             transformer("small", 4, 256, graph_ms=6.9), transformer("medium", 4, 256, graph_ms=17.9),
             transformer("large", 4, 256, graph_ms=36.3), transformer("small", 16, 1024, graph_ms=55.0),
             transformer("tiny", 8, 128)],
}


def model_arguments(row):
    if row["kind"] == "resnet":
        return ["resnet18", "--image-size", row["image_size"], "--batch-size", row["batch_size"]]
    return ["transformer", "--d-model", row["d_model"], "--d-ff", row["d_ff"], "--num-layers", row["num_layers"],
            "--num-heads", row["num_heads"], "--vocab-size", row["vocab_size"], "--context-length", row["context_length"],
            "--batch-size", row["batch_size"]]


def ridgeline_arguments(row, args, budget):
    return [*model_arguments(row), "--precision", row["precision"], "--device", args.device, "--budget", f"{budget}s",
            "--warmup-steps", row["warmup_steps"], "--threads", args.threads, "--quiet"]


def ridgeline(row, args, budget, *flags):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "run"
        words = [args.program, "bench", *ridgeline_arguments(row, args, budget), *flags, "--out", out]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        if not (out / "run.json").exists():
            return {"error": done.stderr.strip() or f"exit code {done.returncode}"}
        result = json.loads((out / "run.json").read_text())["rows"][0]
    if result["outcome"] != "measured":
        return {"error": result["reason"]}
    return {"median_s": result["phases"]["total"]["median_s"], "count": result["phases"]["total"]["count"],
            "host_s": result.get("host_launch", {}).get("median_s")}


def pytorch(row, args, budget):
    request = {"device": args.device, "threads": args.threads, "rows": [dict(row, budget_s=budget)]}
    here = pathlib.Path(__file__).parent
    done = subprocess.run([args.python, here / "pytorch_steps.py"], input=json.dumps(request), capture_output=True, text=True)
    if done.returncode != 0:
        return {"error": done.stderr.strip().splitlines()[-1]}
    return json.loads(done.stdout)["rows"][0]["pytorch"]


def middle(results):
    good = [r["median_s"] for r in results if "median_s" in r]
    return statistics.median(good) if good else None


def compare(row, args):
    """Alternates the two programs, so that a slow moment of the machine meets both."""
    row = dict(row, precision="bf16" if args.device == "cuda" else "fp32", warmup_steps=5 if args.device == "cuda" else 2, min_steps=5)
    budget = args.budget / args.rounds
    arms = {"pytorch": [], "eager": []}
    if args.device == "cuda":
        arms |= {"graph": [], "graph_fused": []}
    for _ in range(args.rounds):
        arms["pytorch"].append(pytorch(row, args, budget))
        arms["eager"].append(ridgeline(row, args, budget))
        if args.device == "cuda":
            arms["graph"].append(ridgeline(row, args, budget, "--mode", "graph", "--kernels", "plain"))
            arms["graph_fused"].append(ridgeline(row, args, budget, "--mode", "graph", "--kernels", "fused"))
    return dict(row, arms=arms, medians={name: middle(results) for name, results in arms.items()})


def table(results):
    print("| row | PyTorch eager | Ridgeline eager | ratio | graph, plain kernels | floor | graph, fused kernels |")
    print("|---|---|---|---|---|---|---|")
    ms = lambda value: "–" if value is None else f"{1e3 * value:.2f} ms"
    for row in results:
        m = row["medians"]
        ratio = f"{m['pytorch'] / m['eager']:.2f}×" if m["pytorch"] and m["eager"] else "–"
        floor = f"{row['graph_ms']:.2f} ms" if "graph_ms" in row else "–"
        print(f"| {row['name']} {row['precision']} | {ms(m['pytorch'])} | {ms(m['eager'])} | {ratio} | "
              f"{ms(m.get('graph'))} | {floor} | {ms(m.get('graph_fused'))} |", flush=True)


def arguments_of(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/ridgeline")
    parser.add_argument("--python", default=sys.executable, help="a Python with torch and torchvision")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--out", type=pathlib.Path)
    return parser


def main():
    parser = arguments_of(__doc__)
    parser.add_argument("--budget", type=float, default=30, help="seconds a row and program, over all rounds")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", help="rows whose name contains this")
    args = parser.parse_args()
    rows = [row for row in ROWS[args.device] if not args.only or args.only in row["name"]]
    results = [compare(row, args) for row in rows]
    table(results)
    for row in results:
        for name, arm in row["arms"].items():
            for result in arm:
                if "error" in result:
                    print(f"{row['name']} {name}: {result['error']}", file=sys.stderr)
    if args.out:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        args.out.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
