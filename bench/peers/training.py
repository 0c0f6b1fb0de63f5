"""Training end to end beside PyTorch: the same model, recipe and images, alternating, as ratios.

    bench/peers/training.py --program build/release/ridgeline --device cpu

PyTorch's side is what its users write: torchvision's ResNet and transforms, a DataLoader, SGD, channels-last.
Both count whole steps, waiting for data included, after a few that are not counted.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np


def write_images(folder, count):
    """CIFAR-10's binary layout with random content: speed does not depend on what is seen."""
    folder.mkdir()
    random = np.random.default_rng(1)
    for name in [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin"]:
        records = random.integers(0, 256, (count, 3073), dtype=np.uint8)
        records[:, 0] %= 10
        records.tofile(folder / name)


def pytorch(args, folder):
    import torch
    import torchvision
    from torchvision import transforms

    if args.threads:
        torch.set_num_threads(args.threads)
    records = np.concatenate([np.fromfile(folder / f"data_batch_{i}.bin", np.uint8).reshape(-1, 3073) for i in range(1, 6)])
    images = records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)

    class Images(torch.utils.data.Dataset):
        def __init__(self):
            normalise = transforms.Normalize((.4914, .4822, .4465), (.2023, .1994, .2010))
            self.transform = transforms.Compose([transforms.ToPILImage(), transforms.RandomCrop(32, 4),
                                                 transforms.RandomHorizontalFlip(), transforms.ToTensor(), normalise])

        def __len__(self):
            return len(images)

        def __getitem__(self, index):
            return self.transform(np.ascontiguousarray(images[index])), int(records[index, 0])

    device = torch.device(args.device)
    loader = torch.utils.data.DataLoader(Images(), args.batch_size, shuffle=True, drop_last=True, num_workers=args.workers,
                                         pin_memory=args.device == "cuda", persistent_workers=args.workers > 0)
    model = getattr(torchvision.models, args.model)(num_classes=10).to(device).to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, 0.9, weight_decay=5e-4, nesterov=True, fused=True)
    amp = torch.autocast(args.device, torch.bfloat16, enabled=args.precision == "bf16")
    taken, start = 0, None
    while True:
        for x, y in loader:
            x = x.to(device, non_blocking=True).contiguous(memory_format=torch.channels_last)
            y = y.to(device, non_blocking=True)
            with amp:
                loss = torch.nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            taken += 1
            if taken in (args.warmup, args.warmup + args.steps) and args.device == "cuda":
                torch.cuda.synchronize()
            if taken == args.warmup:
                start = time.perf_counter()
            if taken == args.warmup + args.steps:
                return args.steps * args.batch_size / (time.perf_counter() - start)


def ridgeline(args, folder):
    with tempfile.TemporaryDirectory() as out:
        words = [args.program, "train", args.model, "--data", folder, "--batch-size", args.batch_size, "--steps",
                 args.warmup + args.steps, "--workers", max(1, args.workers), "--threads", args.threads, "--device", args.device,
                 "--precision", args.precision, "--report-every", args.warmup, "--no-tensorboard", "--quiet",
                 "--out", pathlib.Path(out) / "run", *args.flags.split()]
        subprocess.run([str(word) for word in words], check=True)
        steps = json.loads((pathlib.Path(out) / "run/run.json").read_text())["training"]["steps"][1:]
    return sum(step["samples"] for step in steps) / sum(step["wall_s"] for step in steps)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="build/release/ridgeline")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--model", default="resnet18")
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--warmup", type=int, default=4)
    parser.add_argument("--steps", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--flags", default="", help="more flags for ridgeline")
    parser.add_argument("--peer-only", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.peer_only:
        print(pytorch(args, pathlib.Path(args.peer_only)))
        return
    with tempfile.TemporaryDirectory() as folder:
        images = pathlib.Path(folder) / "images"
        write_images(images, 10000)
        ours, theirs = [], []
        for _ in range(args.rounds):
            ours.append(ridgeline(args, images))
            words = [sys.executable, __file__, *sys.argv[1:], "--peer-only", str(images)]
            theirs.append(float(subprocess.run(words, check=True, capture_output=True, text=True).stdout))
    a, b = statistics.median(ours), statistics.median(theirs)
    print(f"{args.model} bs{args.batch_size} {args.precision} {args.device}: ridgeline {a:.1f} samples/s, "
          f"PyTorch {b:.1f} samples/s, ratio {a / b:.2f}")


if __name__ == "__main__":
    main()
