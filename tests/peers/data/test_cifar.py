"""CIFAR-10 in pickle layout as Python writes it, and the real files where they are there."""

import lzma
import os
import pathlib
import pickle
import subprocess
import tarfile

import numpy as np
import pytest

DATA_TOOL = os.environ["RIDGELINE_DATA_TOOL"]
REAL = pathlib.Path(os.environ.get("RIDGELINE_SHARED", os.environ["RIDGELINE_SOURCE"] + "/../shared")) / "data/cifar10"
NAMES = [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]


def load(path, folder):
    done = subprocess.run([DATA_TOOL, "cifar", str(path), str(folder / "out")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    raw = np.fromfile(folder / "out", np.uint8)
    count = raw.size // 3073
    return raw[:count], raw[count:].reshape(count, 32, 32, 3), done.stdout


def write_pickles(folder, batches, protocol, keys=str):
    folder.mkdir(parents=True, exist_ok=True)
    for name, (labels, pixels) in zip(NAMES, batches):
        content = {keys("batch_label"): name, keys("labels"): [int(label) for label in labels],
                   keys("data"): pixels, keys("filenames"): [f"{i}.png" for i in range(len(labels))]}
        with open(folder / name, "wb") as file:
            pickle.dump(content, file, protocol=protocol)


def check(found, batches):
    labels = np.concatenate([labels for labels, _ in batches])
    pixels = np.concatenate([pixels for _, pixels in batches])
    assert (found[0] == labels).all()
    assert (found[1] == pixels.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)).all()


@pytest.fixture
def batches():
    random = np.random.default_rng(5)
    return [(random.integers(0, 10, 7), random.integers(0, 256, (7, 3072), dtype=np.uint8)) for _ in NAMES]


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize("keys", [str, lambda text: text.encode()], ids=["text", "bytes"])
def test_pickles_of_every_protocol(protocol, keys, batches, tmp_path):
    write_pickles(tmp_path / "cifar-10-batches-py", batches, protocol, keys)
    found = load(tmp_path, tmp_path)
    check(found, batches)
    assert "pickle layout, 35 + 7 images; not the published files" in found[2]


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_archives_of_every_tar_format(form, batches, tmp_path):
    write_pickles(tmp_path / "cifar-10-batches-py", batches, 2)
    with tarfile.open(tmp_path / "x.tgz", "w:gz", format=form) as archive:
        archive.add(tmp_path / "cifar-10-batches-py", "cifar-10-batches-py")
    check(load(tmp_path / "x.tgz", tmp_path), batches)


@pytest.mark.skipif(not REAL.is_dir(), reason=f"no CIFAR-10 in {REAL} (set RIDGELINE_SHARED)")
def test_the_real_files_in_every_form(tmp_path):
    binary = tmp_path / "cifar-10-batches-bin"
    binary.mkdir()
    batches = []
    for name in NAMES:
        content = lzma.decompress((REAL / f"{name}.bin.xz").read_bytes())
        (binary / f"{name}.bin").write_bytes(content)
        records = np.frombuffer(content, np.uint8).reshape(-1, 3073)
        batches.append((records[:, 0], records[:, 1:]))
    found = load(tmp_path, tmp_path)
    check(found, batches)
    assert found[2].strip() == "CIFAR-10, binary layout, 50000 + 10000 images"
    assert list(found[0][:10]) == [6, 9, 9, 4, 1, 1, 2, 7, 8, 3]
    write_pickles(tmp_path / "py", batches, 2)
    check(load(tmp_path / "py", tmp_path), batches)
    with tarfile.open(tmp_path / "b.tar.gz", "w:gz", compresslevel=1) as archive:
        archive.add(binary, "cifar-10-batches-bin")
    found = load(tmp_path / "b.tar.gz", tmp_path)
    check(found, batches)
    assert "not the published" not in found[2]
