"""The C++ models against PyTorch's: same weights, same batch, logits and every gradient."""

import json
import os
import subprocess

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from reference_models import build_reference

MODEL_DUMP = os.environ["RIDGELINE_MODEL_DUMP"]
TOLERANCE = 2e-5

TRANSFORMER = {"vocab_size": 211, "d_model": 64, "d_ff": 160, "num_layers": 3, "num_heads": 4,
               "context_length": 33, "batch_size": 3}
CASES = {
    "cs336": {"family": "cs336", "num_kv_heads": 4, **TRANSFORMER},
    "llama": {"family": "llama", "num_kv_heads": 2, **TRANSFORMER},
    "llama-checkpointed": {"family": "llama", "num_kv_heads": 2, "checkpointing": True, **TRANSFORMER},
    "resnet18": {"family": "torchvision", "depth": 18, "num_classes": 10, "image_size": 64, "batch_size": 8},
    "resnet34": {"family": "torchvision", "depth": 34, "num_classes": 10, "image_size": 64, "batch_size": 8},
    "resnet50": {"family": "torchvision", "depth": 50, "num_classes": 10, "image_size": 64, "batch_size": 8},
    "resnet20": {"family": "cifar", "depth": 20, "num_classes": 10, "image_size": 32, "batch_size": 8},
    "resnet20-checkpointed": {"family": "cifar", "depth": 20, "num_classes": 10, "image_size": 32,
                              "batch_size": 8, "checkpointing": True},
}


def save(folder, name, tensor):
    tensor.detach().contiguous().numpy().tofile(folder / name)


def load(folder, name, like):
    return torch.from_numpy(np.fromfile(folder / name, like.detach().numpy().dtype)).reshape(like.shape)


def dump(folder, case):
    (folder / "case.json").write_text(json.dumps(case))
    done = subprocess.run([MODEL_DUMP, str(folder)], capture_output=True, text=True)
    return done.returncode, done.stderr


def distance(found, expected):
    found, expected = found.double(), expected.double()
    return float((found - expected).norm() / expected.norm().clamp_min(1e-30))


def make_batch(case):
    if "vocab_size" in case:
        tokens = torch.randint(case["vocab_size"], (case["batch_size"], case["context_length"] + 1))
        return tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()
    size = case["image_size"]
    return torch.randn(case["batch_size"], 3, size, size), torch.randint(case["num_classes"], (case["batch_size"],))


@pytest.mark.parametrize("name", CASES)
def test_logits_and_every_gradient_agree(name, tmp_path):
    case = CASES[name]
    torch.manual_seed(7)
    model = build_reference(case).train()
    inputs, targets = make_batch(case)
    for parameter_name, parameter in model.named_parameters():
        save(tmp_path, parameter_name, parameter)
    save(tmp_path, "input", inputs)
    save(tmp_path, "target", targets)

    logits = model(inputs)
    F.cross_entropy(logits.flatten(0, -2), targets.flatten()).backward()

    code, message = dump(tmp_path, case)
    assert code == 0, message
    assert distance(load(tmp_path, "logits", logits), logits.detach()) < TOLERANCE
    worst = {n: distance(load(tmp_path, f"grad.{n}", p), p.grad) for n, p in model.named_parameters()}
    assert {n: d for n, d in worst.items() if not d < TOLERANCE} == {}
    for buffer_name, buffer in model.named_buffers():
        found = load(tmp_path, buffer_name, buffer)
        assert distance(found, buffer) < TOLERANCE, buffer_name


class Small(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(6, 16)
        self.second = torch.nn.Linear(16, 3)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


def run_file(folder, path, shape):
    return dump(folder, {"family": "file", "path": str(path), "inputs": [shape]})


def check_file(folder, path, model):
    code, message = run_file(folder, path, "4x6:float32")
    assert code == 0, message
    inputs = load(folder, "input", torch.empty(4, 6))
    expected = model(inputs)
    assert distance(load(folder, "logits", expected), expected.detach()) < TOLERANCE
    code, message = run_file(folder, path, "4x7:float32")
    assert code == 1
    assert "cannot run on 4x7:float32" in message.strip().splitlines()[-1], message


def test_scripted_file_runs(tmp_path):
    model = Small().eval()
    torch.jit.script(model).save(str(tmp_path / "m.pt"))
    check_file(tmp_path, tmp_path / "m.pt", model)


def test_compiled_package_runs(tmp_path):
    model = Small().eval()
    program = torch.export.export(model, (torch.randn(4, 6),))
    package = torch._inductor.aoti_compile_and_package(program, package_path=str(tmp_path / "m.pt2"))
    check_file(tmp_path, package, model)


def test_exported_program_and_weights_are_refused(tmp_path):
    model = Small()
    torch.export.save(torch.export.export(model, (torch.randn(4, 6),)), tmp_path / "m.pt2")
    torch.save(model.state_dict(), tmp_path / "w.pt")
    code, message = run_file(tmp_path, tmp_path / "m.pt2", "4x6:float32")
    assert code == 1 and "torch.export program" in message
    code, message = run_file(tmp_path, tmp_path / "w.pt", "4x6:float32")
    assert code == 1 and "holds weights but no code" in message
