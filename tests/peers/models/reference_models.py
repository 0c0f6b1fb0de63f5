"""The models in Python, written from their definitions: what the C++ ones are compared with."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class RMSNorm(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


def rotate_pairs(x, theta):
    """Turns neighbouring numbers (2i, 2i + 1) of each head by position * theta^(-2i / width)."""
    context, width = x.shape[-2:]
    inverse = theta ** (-torch.arange(0, width, 2, dtype=torch.float32) / width)
    angles = torch.arange(context, dtype=torch.float32)[:, None] * inverse
    even, odd = x[..., 0::2], x[..., 1::2]
    turned = torch.stack((even * angles.cos() - odd * angles.sin(),
                          even * angles.sin() + odd * angles.cos()), dim=-1)
    return turned.flatten(-2)


class CausalAttention(nn.Module):
    def __init__(self, case, output_name):
        super().__init__()
        width, self.heads, self.kv_heads = case["d_model"], case["num_heads"], case["num_kv_heads"]
        head = width // self.heads
        self.q_proj = nn.Linear(width, width, bias=False)
        self.k_proj = nn.Linear(width, head * self.kv_heads, bias=False)
        self.v_proj = nn.Linear(width, head * self.kv_heads, bias=False)
        self.output_name = output_name
        setattr(self, output_name, nn.Linear(width, width, bias=False))

    def forward(self, x):
        split = lambda y, heads: y.unflatten(-1, (heads, -1)).transpose(1, 2)
        q = rotate_pairs(split(self.q_proj(x), self.heads), 1e4)
        k = rotate_pairs(split(self.k_proj(x), self.kv_heads), 1e4)
        v = split(self.v_proj(x), self.kv_heads)
        k = k.repeat_interleave(self.heads // self.kv_heads, dim=1)
        v = v.repeat_interleave(self.heads // self.kv_heads, dim=1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        mixed = scores.masked_fill(later, -math.inf).softmax(-1) @ v
        return getattr(self, self.output_name)(mixed.transpose(1, 2).flatten(-2))


class Cs336FeedForward(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.w1 = nn.Linear(width, hidden, bias=False)
        self.w2 = nn.Linear(hidden, width, bias=False)
        self.w3 = nn.Linear(width, hidden, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Cs336Layer(nn.Module):
    def __init__(self, case):
        super().__init__()
        self.attn = CausalAttention(case, "output_proj")
        self.ffn = Cs336FeedForward(case["d_model"], case["d_ff"])
        self.ln1 = RMSNorm(case["d_model"], 1e-5)
        self.ln2 = RMSNorm(case["d_model"], 1e-5)

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.ffn(self.ln2(x))


class Cs336(nn.Module):
    def __init__(self, case):
        super().__init__()
        self.token_embeddings = nn.Embedding(case["vocab_size"], case["d_model"])
        self.layers = nn.ModuleList(Cs336Layer(case) for _ in range(case["num_layers"]))
        self.ln_final = RMSNorm(case["d_model"], 1e-5)
        self.lm_head = nn.Linear(case["d_model"], case["vocab_size"], bias=False)

    def forward(self, tokens):
        x = self.token_embeddings(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.lm_head(self.ln_final(x))


class LlamaFeedForward(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.gate_proj = nn.Linear(width, hidden, bias=False)
        self.up_proj = nn.Linear(width, hidden, bias=False)
        self.down_proj = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class LlamaBlock(nn.Module):
    def __init__(self, case):
        super().__init__()
        self.attention = CausalAttention(case, "o_proj")
        self.feed_forward = LlamaFeedForward(case["d_model"], case["d_ff"])
        self.norm1 = RMSNorm(case["d_model"], 1e-6)
        self.norm2 = RMSNorm(case["d_model"], 1e-6)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.feed_forward(self.norm2(x))


class Llama(nn.Module):
    def __init__(self, case):
        super().__init__()
        self.token_embedding = nn.Embedding(case["vocab_size"], case["d_model"])
        self.blocks = nn.ModuleList(LlamaBlock(case) for _ in range(case["num_layers"]))
        self.norm = RMSNorm(case["d_model"], 1e-6)

    def forward(self, tokens):
        x = self.token_embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return F.linear(self.norm(x), self.token_embedding.weight)


class CifarBlock(nn.Module):
    def __init__(self, channels, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.stride, self.pad = stride, (width - channels) // 2

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        if self.stride != 1 or self.pad != 0:
            x = F.pad(x[:, :, ::self.stride, ::self.stride], (0, 0, 0, 0, self.pad, self.pad))
        return F.relu(y + x)


class CifarResNet(nn.Module):
    def __init__(self, depth, classes):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        channels = 16
        for stage, width in enumerate((16, 32, 64)):
            blocks = []
            for i in range((depth - 2) // 6):
                blocks.append(CifarBlock(channels, width, 2 if stage > 0 and i == 0 else 1))
                channels = width
            setattr(self, f"layer{stage + 1}", nn.Sequential(*blocks))
        self.linear = nn.Linear(64, classes)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = self.layer3(self.layer2(self.layer1(x)))
        return self.linear(x.mean((2, 3)))


def build_reference(case):
    family = case["family"]
    if family == "cs336":
        return Cs336(case)
    if family == "llama":
        return Llama(case)
    if family == "cifar":
        return CifarResNet(case["depth"], case["num_classes"])
    import torchvision

    return getattr(torchvision.models, f"resnet{case['depth']}")(num_classes=case["num_classes"])
