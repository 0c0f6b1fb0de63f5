"""Our transforms against torchvision's: same box, at most one grey level apart; boxes drawn alike."""

import os
import subprocess

import numpy as np
import pytest
import torch
from PIL import Image
from torchvision.transforms import RandomResizedCrop
from torchvision.transforms import functional as F

DUMP = os.environ["RIDGELINE_TRANSFORM_DUMP"]
MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def picture(height, width, seed=0):
    """Noise over smooth waves: edges of every strength."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    waves = 127 + 80 * np.sin(x / 3.1 + seed)[..., None] * np.cos(y / 4.7)[..., None] * [1, 0.5, -1]
    return np.clip(waves + rng.normal(0, 50, (height, width, 3)), 0, 255).astype(np.uint8)


def ours(word, image, box, flip=False, output="bytes"):
    arguments = [DUMP, "execute", word, output, *image.shape[:2], *box, int(flip)]
    done = subprocess.run([str(a) for a in arguments], input=image.tobytes(), capture_output=True, check=True)
    values = np.frombuffer(done.stdout, np.float32 if output == "float" else np.uint8)
    side = int(round((values.size / 3) ** 0.5))
    return values.reshape(side, side, 3)


def theirs(function, image, backend):
    """Applies `function` to a PIL image or a tensor and returns height x width x 3 bytes."""
    if backend == "pil":
        return np.asarray(function(Image.fromarray(image)))
    return function(torch.from_numpy(image).permute(2, 0, 1)).permute(1, 2, 0).numpy()


def worst(a, b):
    return int(np.abs(a.astype(int) - b.astype(int)).max())


CASES = [
    # image, box (top, left, height, width), size
    ((32, 32), (0, 0, 32, 32), 224),
    ((32, 32), (3, 5, 20, 27), 224),
    ((32, 32), (31, 0, 1, 9), 224),
    ((300, 400), (10, 20, 280, 350), 224),
    ((300, 400), (0, 0, 300, 400), 64),
    ((97, 61), (13, 7, 50, 41), 48),
    ((500, 333), (100, 3, 399, 300), 31),
    ((1200, 900), (1, 2, 1199, 898), 32),
]


@pytest.mark.parametrize("backend", ["pil", "tensor"])
@pytest.mark.parametrize("shape,box,size", CASES)
def test_resized_crop_is_within_one_grey_level(shape, box, size, backend):
    image = picture(*shape)
    expected = theirs(lambda i: F.resized_crop(i, *box, [size, size], antialias=True), image, backend)
    assert worst(ours(f"rrc{size}", image, box), expected) <= 1


@pytest.mark.parametrize("backend", ["pil", "tensor"])
def test_flip_comes_after_the_crop(backend):
    image, box = picture(40, 50), (3, 4, 30, 41)
    expected = theirs(lambda i: F.hflip(F.resized_crop(i, *box, [64, 64], antialias=True)), image, backend)
    assert worst(ours("rrc64", image, box, flip=True), expected) <= 1


@pytest.mark.parametrize("backend", ["pil", "tensor"])
@pytest.mark.parametrize("shape", [(300, 400), (401, 300), (257, 255), (32, 48), (224, 1000)])
def test_resize_and_centre_crop(shape, backend):
    image = picture(*shape)
    expected = theirs(lambda i: F.center_crop(F.resize(i, [256], antialias=True), [224, 224]), image, backend)
    assert worst(ours("center224", image, (0, 0, *shape)), expected) <= 1


@pytest.mark.parametrize("backend", ["pil", "tensor"])
def test_resize_to_a_square(backend):
    image = picture(123, 77)
    expected = theirs(lambda i: F.resize(i, [90, 90], antialias=True), image, backend)
    assert worst(ours("resize90", image, (0, 0, 123, 77)), expected) <= 1


@pytest.mark.parametrize("top,left", [(0, 0), (8, 8), (3, 6)])
def test_padded_crop_is_exact(top, left):
    image = picture(32, 32)
    padded = F.pad(Image.fromarray(image), 4)
    expected = np.asarray(F.crop(padded, top, left, 32, 32))
    assert worst(ours("crop32", image, (top - 4, left - 4, 32, 32)), expected) == 0


def test_normalised_floats_follow_from_the_bytes():
    image, box = picture(32, 32), (2, 2, 25, 25)
    levels = ours("rrc224", image, box)
    tensor = F.normalize(F.to_tensor(Image.fromarray(levels.copy())), MEAN, STD)
    found = ours("rrc224", image, box, output="float")
    np.testing.assert_allclose(found, tensor.permute(1, 2, 0).numpy(), atol=2e-6)


def drawn_boxes(height, width, count):
    done = subprocess.run([DUMP, "draw", "rrc224", str(height), str(width), str(count)],
                          capture_output=True, text=True, check=True)
    return np.array([[int(n) for n in line.split()] for line in done.stdout.splitlines()])


def torchvision_boxes(height, width, count):
    torch.manual_seed(7)
    blank = torch.zeros(3, height, width, dtype=torch.uint8)
    return np.array([RandomResizedCrop.get_params(blank, [0.08, 1.0], [3 / 4, 4 / 3]) for _ in range(count)])


@pytest.mark.parametrize("height,width", [(375, 500), (32, 32), (600, 100)])
def test_boxes_are_drawn_from_the_same_distribution(height, width):
    count = 6000
    mine, torchs = drawn_boxes(height, width, count), torchvision_boxes(height, width, count)
    measures = {
        "area": lambda b: b[:, 2] * b[:, 3] / (height * width),
        "ratio": lambda b: b[:, 3] / b[:, 2],
        "top": lambda b: b[:, 0] / height,
        "left": lambda b: b[:, 1] / width,
    }
    for name, measure in measures.items():
        a, b = np.sort(measure(mine)), np.sort(measure(torchs))
        points = np.union1d(a, b)
        gap = np.abs(np.searchsorted(a, points, "right") - np.searchsorted(b, points, "right")).max() / count
        # Kolmogorov-Smirnov, two samples: 1.95 sqrt(2/n) is one in a thousand.
        assert gap < 1.95 * (2 / count) ** 0.5, name
    assert abs(mine[:, 4].mean() - 0.5) < 0.03


def file_of(tmp_path, image, name, **options):
    path = tmp_path / name
    image.save(path, **options)
    return path


@pytest.mark.parametrize("mode,name,options", [
    ("RGB", "a.jpg", {"quality": 90}),
    ("RGB", "p.jpg", {"quality": 75, "progressive": True, "subsampling": 2}),
    ("L", "g.jpg", {"quality": 90}),
    ("CMYK", "c.jpg", {"quality": 95}),
    ("RGB", "a.png", {}),
    ("RGBA", "t.png", {}),
    ("LA", "ga.png", {}),
    ("P", "pal.png", {}),
    ("1", "bit.png", {}),
])
def test_decoded_files_are_those_of_pillow(tmp_path, mode, name, options):
    image = Image.fromarray(picture(37, 53)).convert(mode)
    path = file_of(tmp_path, image, name, **options)
    done = subprocess.run([DUMP, "decode", str(path)], capture_output=True, check=True)
    expected = np.asarray(Image.open(path).convert("RGB"))
    found = np.frombuffer(done.stdout, np.uint8).reshape(expected.shape)
    # Two builds of one library may round a JPEG's last step differently.
    assert worst(found, expected) <= (2 if name.endswith(".jpg") else 0)
