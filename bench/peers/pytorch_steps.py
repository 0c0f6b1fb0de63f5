"""Times PyTorch's own eager training steps for the rows that bench/peers/compare.py asks for.

Reads a JSON list of rows on standard input, writes the same list with the median of synchronised
steps added. The models are torchvision's ResNets and a plain PyTorch transformer of the same sizes
as Ridgeline's, written the way a PyTorch user would write it.
"""
import json
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        dtype = x.dtype
        x = x.float()
        return (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight).to(dtype)


def rotate(x, cos, sin):
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2).to(x.dtype)


class Block(nn.Module):
    def __init__(self, width, hidden, heads):
        super().__init__()
        self.heads = heads
        self.ln1, self.ln2 = RMSNorm(width), RMSNorm(width)
        self.q, self.k, self.v, self.o = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.w1, self.w3 = (nn.Linear(width, hidden, bias=False) for _ in range(2))
        self.w2 = nn.Linear(hidden, width, bias=False)

    def forward(self, x, cos, sin):
        batch, context, width = x.shape
        h = self.ln1(x)
        q, k, v = (p(h).view(batch, context, self.heads, -1).transpose(1, 2) for p in (self.q, self.k, self.v))
        h = F.scaled_dot_product_attention(rotate(q, cos, sin), rotate(k, cos, sin), v, is_causal=True)
        x = x + self.o(h.transpose(1, 2).reshape(batch, context, width))
        h = self.ln2(x)
        return x + self.w2(F.silu(self.w1(h)) * self.w3(h))


class Transformer(nn.Module):
    def __init__(self, row):
        super().__init__()
        width, heads = row["d_model"], row["num_heads"]
        self.embedding = nn.Embedding(row["vocab_size"], width)
        self.layers = nn.ModuleList(Block(width, row["d_ff"], heads) for _ in range(row["num_layers"]))
        self.norm = RMSNorm(width)
        self.head = nn.Linear(width, row["vocab_size"], bias=False)
        dim = width // heads
        angles = torch.outer(torch.arange(row["context_length"]).float(), 1e4 ** (-torch.arange(0, dim, 2) / dim))
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, tokens):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x, self.cos, self.sin)
        return self.head(self.norm(x))


def build(row, device):
    if row["kind"] == "resnet":
        import torchvision
        model = getattr(torchvision.models, row["model"])(num_classes=1000)
        x = torch.randn(row["batch_size"], 3, row["image_size"], row["image_size"])
        y = torch.randint(0, 1000, (row["batch_size"],))
        model = model.to(device=device, memory_format=torch.channels_last)
        return model, x.to(device=device, memory_format=torch.channels_last), y.to(device)
    model = Transformer(row).to(device)
    tokens = torch.randint(0, row["vocab_size"], (row["batch_size"], row["context_length"] + 1), device=device)
    return model, tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()


def stepper(row, device):
    """One training step as a function."""
    model, x, y = build(row, device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    bf16 = row["precision"] == "bf16"

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device, dtype=torch.bfloat16, enabled=bf16):
            logits = model(x)
            loss = F.cross_entropy(logits.flatten(0, -2), y.flatten())
        loss.backward()
        optimizer.step()

    return step


def measure(row, device):
    step = stepper(row, device)
    wait = torch.cuda.synchronize if device == "cuda" else (lambda: None)
    for _ in range(row["warmup_steps"]):
        step()
    wait()
    times = []
    begin = time.perf_counter()
    while len(times) < row["min_steps"] or (time.perf_counter() - begin < row["budget_s"] and len(times) < 500):
        start = time.perf_counter()
        step()
        wait()
        times.append(time.perf_counter() - start)
    return {"median_s": statistics.median(times), "count": len(times)}


def main():
    request = json.load(sys.stdin)
    torch.manual_seed(42)
    if request.get("threads"):
        torch.set_num_threads(request["threads"])
    for row in request["rows"]:
        try:
            row["pytorch"] = measure(row, request["device"])
        except torch.OutOfMemoryError as error:
            row["pytorch"] = {"error": str(error).splitlines()[0]}
        if request["device"] == "cuda":
            torch.cuda.empty_cache()
        print(row["name"], row["pytorch"], file=sys.stderr, flush=True)
    json.dump(request, sys.stdout)


if __name__ == "__main__":
    main()
