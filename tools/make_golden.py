"""Writes tests/golden/models/*.json: what PyTorch computes for small models with weights that a
formula gives, so that the C++ models can be compared without Python. Run it with a Python that has
torch and torchvision:  python tools/make_golden.py"""

import json
import math
import pathlib
import sys

import torch
import torch.nn.functional as F

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "peers" / "models"))
from reference_models import build_reference  # noqa: E402

CASES = {
    "cs336": {"family": "cs336", "vocab_size": 11, "d_model": 8, "d_ff": 12, "num_layers": 2,
              "num_heads": 2, "num_kv_heads": 2, "context_length": 5, "batch_size": 2},
    "llama": {"family": "llama", "vocab_size": 13, "d_model": 16, "d_ff": 24, "num_layers": 2,
              "num_heads": 4, "num_kv_heads": 2, "context_length": 6, "batch_size": 2},
    "resnet18": {"family": "torchvision", "depth": 18, "num_classes": 5, "image_size": 64,
                 "batch_size": 4},
    "resnet20": {"family": "cifar", "depth": 20, "num_classes": 10, "image_size": 32,
                 "batch_size": 2},
}
SAMPLES = 4
PRIME = 65521


def formula(shape, index, scale):
    """Number k of tensor `index`: a quadratic residue spread over [-scale, scale), exact in C++ too."""
    k = torch.arange(math.prod(shape), dtype=torch.int64)
    residue = (31 * k * k + 17 * k + 101 * index) % PRIME
    return (scale * (2.0 * residue.double() / PRIME - 1.0)).float().reshape(shape)


def weight(name, parameter, index):
    if parameter.dim() > 1:
        fan_in = parameter[0].numel()
        return formula(parameter.shape, index, math.sqrt(6.0 / fan_in))
    offset = 0.0 if name.endswith("bias") else 1.0
    return offset + formula(parameter.shape, index, 0.1)


def batch(case):
    rows = case["batch_size"]
    if case["family"] in ("cs336", "llama"):
        count = rows * (case["context_length"] + 1)
        tokens = (torch.arange(count) * 7 + 3) % case["vocab_size"]
        tokens = tokens.reshape(rows, -1)
        return tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()
    size = case["image_size"]
    images = formula((rows, 3, size, size), 1000, 1.0)
    return images, (torch.arange(rows) * 3 + 1) % case["num_classes"]


def golden(case):
    model = build_reference(case).train()
    with torch.no_grad():
        for index, (name, parameter) in enumerate(model.named_parameters()):
            parameter.copy_(weight(name, parameter, index))
    inputs, targets = batch(case)
    logits = model(inputs)
    loss = F.cross_entropy(logits.flatten(0, -2), targets.flatten())
    loss.backward()
    gradients = {}
    for name, parameter in model.named_parameters():
        flat = parameter.grad.flatten()
        at = [i * (flat.numel() - 1) // (SAMPLES - 1) for i in range(SAMPLES)]
        gradients[name] = {"norm": float(flat.double().norm()),
                           "samples": [float(flat[i]) for i in at]}
    return {"case": case, "loss": loss.item(), "logits": logits.detach().flatten().tolist(),
            "gradients": gradients}


def main():
    torch.manual_seed(0)
    folder = ROOT / "tests" / "golden" / "models"
    folder.mkdir(parents=True, exist_ok=True)
    for name, case in CASES.items():
        (folder / f"{name}.json").write_text(json.dumps(golden(case)) + "\n")


if __name__ == "__main__":
    main()
