"""Our files against PyTorch's: what torch.save and safetensors write we read, what we write they read."""

import collections
import json
import os
import subprocess

import pytest
import safetensors.torch
import torch

DATA_TOOL = os.environ["RIDGELINE_DATA_TOOL"]
DTYPES = {
    "U8": torch.uint8, "I8": torch.int8, "I16": torch.int16, "I32": torch.int32, "I64": torch.int64,
    "F16": torch.float16, "BF16": torch.bfloat16, "F32": torch.float32, "F64": torch.float64, "BOOL": torch.bool,
    "U16": torch.uint16, "U32": torch.uint32, "U64": torch.uint64,
    "F8_E4M3": torch.float8_e4m3fn, "F8_E5M2": torch.float8_e5m2,
}


def tool(*words):
    return subprocess.run([DATA_TOOL, *map(str, words)], capture_output=True, text=True)


def ok(*words):
    done = tool(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(*words):
    done = tool(*words)
    assert done.returncode == 1, done.stdout
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, lines
    return lines[0]


def raw(tensor):
    tensor = tensor.detach().contiguous()
    return tensor.flatten().view(torch.uint8).numpy().tobytes() if tensor.numel() else b""


def same(found, expected):
    return found.dtype == expected.dtype and found.shape == expected.shape and raw(found) == raw(expected)


def make(dtype, *shape):
    count = int(torch.tensor(shape).prod()) if shape else 1
    numbers = torch.arange(count) % 2 if dtype == torch.bool else torch.arange(count) % 100
    return numbers.to(dtype).reshape(shape)


def value_of(node):
    """Our JSON as Python: tensors with their dtype and bytes, dictionaries with their keys."""
    if isinstance(node, list):
        return [value_of(item) for item in node]
    if isinstance(node, dict) and "dict" in node:
        return {key: value_of(item) for key, item in node["dict"]}
    if isinstance(node, dict):
        buffer = bytearray(bytes.fromhex(node["hex"]))
        dtype = DTYPES[node["dtype"]]
        flat = torch.frombuffer(buffer, dtype=torch.uint8).view(dtype) if buffer else torch.empty(0, dtype=dtype)
        return flat.reshape(node["shape"])
    return node


def agree(found, expected):
    if isinstance(expected, torch.Tensor):
        return isinstance(found, torch.Tensor) and same(found, expected)
    if isinstance(expected, dict):
        return list(found) == list(expected) and all(agree(found[key], expected[key]) for key in expected)
    if isinstance(expected, (list, tuple)):
        return len(found) == len(expected) and all(map(agree, found, expected))
    return type(found) is type(expected) and found == expected


def shown(path):
    return value_of(json.loads(ok("show", path)))


@pytest.mark.parametrize("name", DTYPES)
def test_every_type_goes_both_ways(name, tmp_path):
    tensors = {"a.weight": make(DTYPES[name], 3, 5), "scalar": make(DTYPES[name]), "empty": make(DTYPES[name], 0, 4)}
    torch.save(tensors, tmp_path / "theirs.pt")
    assert agree(shown(tmp_path / "theirs.pt"), tensors)
    ok("copy", tmp_path / "theirs.pt", tmp_path / "ours.pt")
    loaded = torch.load(tmp_path / "ours.pt", weights_only=True)
    assert type(loaded) is dict and agree(loaded, tensors)


@pytest.mark.parametrize("name", DTYPES)
def test_every_type_goes_through_safetensors(name, tmp_path):
    tensors = {"a.weight": make(DTYPES[name], 3, 5), "odd": make(torch.uint8, 3), "scalar": make(DTYPES[name])}
    safetensors.torch.save_file(tensors, tmp_path / "theirs.safetensors")
    ok("pack", tmp_path / "theirs.safetensors", tmp_path / "ours.pt")
    assert agree(dict(sorted(torch.load(tmp_path / "ours.pt", weights_only=True).items())), dict(sorted(tensors.items())))
    ok("unpack", tmp_path / "ours.pt", tmp_path / "ours.safetensors")
    loaded = safetensors.torch.load_file(tmp_path / "ours.safetensors")
    assert agree(dict(sorted(loaded.items())), dict(sorted(tensors.items())))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3)
        self.norm = torch.nn.BatchNorm2d(8)
        self.fc = torch.nn.Linear(8, 4)

    def forward(self, x):
        return self.fc(self.norm(self.conv(x)).mean((2, 3)))


def test_a_state_dict_with_its_metadata_goes_both_ways(tmp_path):
    model = Net().to(memory_format=torch.channels_last)
    state = model.state_dict()
    assert hasattr(state, "_metadata")
    torch.save(state, tmp_path / "theirs.pt")
    assert agree(shown(tmp_path / "theirs.pt"), dict(state))
    ok("pack", tmp_path / "theirs.pt", tmp_path / "ours.pt")
    assert Net().load_state_dict(torch.load(tmp_path / "ours.pt", weights_only=True)).missing_keys == []


def test_a_checkpoint_with_optimizer_state_goes_both_ways(tmp_path):
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [3, 5])
    model(torch.randn(2, 3, 8, 8)).sum().backward()
    optimizer.step()
    checkpoint = {"model": model.state_dict(), "optimizer": optimizer.state_dict(),
                  "scheduler": scheduler.state_dict(), "epoch": 7, "best": 0.935, "name": "ünï", "amp": None,
                  "rng": torch.get_rng_state(), "size": torch.Size([1, 2]), "seed": 2**40, "flag": True}
    torch.save(checkpoint, tmp_path / "theirs.pt")
    found = shown(tmp_path / "theirs.pt")
    assert agree(found["optimizer"]["state"], dict(checkpoint["optimizer"]["state"]))
    assert list(found["optimizer"]["state"]) == list(range(len(list(model.parameters()))))
    assert found["size"] == [1, 2] and found["seed"] == 2**40 and found["scheduler"]["milestones"] == {3: 1, 5: 1}
    ok("copy", tmp_path / "theirs.pt", tmp_path / "ours.pt")
    loaded = torch.load(tmp_path / "ours.pt", weights_only=True)
    for key in ("model", "epoch", "best", "name", "amp", "rng", "seed", "flag"):
        assert agree(loaded[key], checkpoint[key]), key
    other = torch.optim.AdamW(Net().parameters(), lr=1.0)
    other.load_state_dict(loaded["optimizer"])
    assert other.param_groups[0]["lr"] == 3e-4
    ok("unpack", tmp_path / "theirs.pt", tmp_path / "w.safetensors")
    assert set(safetensors.torch.load_file(tmp_path / "w.safetensors")) == set(model.state_dict())


def test_views_of_one_storage_are_read_as_they_are(tmp_path):
    base = torch.arange(24, dtype=torch.float32)
    tensors = {"all": base, "part": base[5:9], "grid": base.view(4, 6), "turned": base.view(4, 6).t(),
               "steps": base[::5], "repeated": base[:2].expand(3, 2), "bf16": base.bfloat16().view(2, 12)[:, 3:7],
               "planes": base.view(1, 2, 3, 4).to(memory_format=torch.channels_last), "one": base[7]}
    torch.save(tensors, tmp_path / "theirs.pt")
    assert agree(shown(tmp_path / "theirs.pt"), tensors)


def test_parameters_and_ordered_dicts_are_read(tmp_path):
    tensors = collections.OrderedDict(w=torch.nn.Parameter(torch.randn(3)), b=torch.nn.Parameter(torch.ones(2), False))
    torch.save(tensors, tmp_path / "theirs.pt")
    assert agree(shown(tmp_path / "theirs.pt"), {name: tensor.data for name, tensor in tensors.items()})


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_every_protocol_that_torch_can_write_is_read(protocol, tmp_path):
    value = {"a": torch.arange(3), "list": [1, -2, 2**33, 1.5, "x" * 300, True, None], "deep": {"b": {"c": ()}}}
    torch.save(value, tmp_path / "theirs.pt", pickle_protocol=protocol)
    assert agree(shown(tmp_path / "theirs.pt"), value)


def test_wrapped_models_lose_their_prefix(tmp_path):
    model = torch.nn.Sequential(collections.OrderedDict(module=torch.nn.Linear(2, 2)))
    torch.save({"state_dict": model.state_dict()}, tmp_path / "theirs.pt")
    ok("unpack", tmp_path / "theirs.pt", tmp_path / "ours.safetensors")
    assert set(safetensors.torch.load_file(tmp_path / "ours.safetensors")) == {"weight", "bias"}


class Evil:
    def __reduce__(self):
        return os.system, ("echo evil > evil.txt",)


def test_code_is_refused_and_not_run(tmp_path):
    torch.save({"a": Evil()}, tmp_path / "evil.pt")
    assert "system'" in refused("show", tmp_path / "evil.pt")
    assert not (tmp_path / "evil.txt").exists() and not os.path.exists("evil.txt")


def test_a_whole_model_and_the_old_format_are_refused_with_advice(tmp_path):
    torch.save(Net(), tmp_path / "model.pt")
    assert "torch.save(torch.load(FILE, weights_only=False).state_dict(), FILE)" in refused("show", tmp_path / "model.pt")
    torch.jit.script(torch.nn.Linear(2, 2)).save(tmp_path / "script.pt")
    assert "torch.save(torch.jit.load(FILE).state_dict(), FILE)" in refused("show", tmp_path / "script.pt")
    torch.save(Net().state_dict(), tmp_path / "old.pt", _use_new_zipfile_serialization=False)
    assert "torch.save(torch.load(" in refused("show", tmp_path / "old.pt")


def test_types_we_do_not_have_are_named(tmp_path):
    torch.save({"a": torch.zeros(2, dtype=torch.complex64)}, tmp_path / "c.pt")
    assert "ComplexFloatStorage" in refused("show", tmp_path / "c.pt")
