"""What train.py asks of transformers, in a few lines of torch: Debian has no package of it. A small Llama by the keys of its
config, and a tokenizer whose tokens are bytes."""

import json
import math
import os
import time
import types
from pathlib import Path

import torch
from torch.nn import functional

from transformers.trainer import Trainer, TrainingArguments  # noqa: F401
from transformers.trainer_callback import TrainerCallback  # noqa: F401

IGNORED = -100


def set_seed(seed):
    torch.manual_seed(seed)


class AutoConfig:
    @staticmethod
    def for_model(model_type, **keys):
        assert model_type == "llama", model_type
        return types.SimpleNamespace(model_type=model_type, use_cache=True, architectures=["Tiny"], **keys)


def rotated(x, angles):
    one, other = x.chunk(2, dim=-1)
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([one * cos - other * sin, other * cos + one * sin], dim=-1)


class Layer(torch.nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads, self.width = c.num_attention_heads, c.head_dim
        self.qkv = torch.nn.Linear(c.hidden_size, 3 * self.heads * self.width, bias=False)
        self.o_proj = torch.nn.Linear(self.heads * self.width, c.hidden_size, bias=False)
        self.up_proj = torch.nn.Linear(c.hidden_size, c.intermediate_size, bias=False)
        self.down_proj = torch.nn.Linear(c.intermediate_size, c.hidden_size, bias=False)
        self.first, self.second = torch.nn.LayerNorm(c.hidden_size), torch.nn.LayerNorm(c.hidden_size)

    def forward(self, x, angles, seen):
        rows, length, _ = x.shape
        q, k, v = self.qkv(self.first(x)).view(rows, length, 3, self.heads, self.width).permute(2, 0, 3, 1, 4)
        weights = rotated(q, angles) @ rotated(k, angles).transpose(-1, -2) / math.sqrt(self.width)
        mixed = weights.masked_fill(~seen, -1e9).softmax(-1) @ v
        x = x + self.o_proj(mixed.transpose(1, 2).reshape(rows, length, -1))
        return x + self.down_proj(functional.silu(self.up_proj(self.second(x))))


class Tiny(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embed = torch.nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = torch.nn.ModuleList(Layer(config) for _ in range(config.num_hidden_layers))
        self.norm = torch.nn.LayerNorm(config.hidden_size)
        self.head = torch.nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.register_buffer("inv_freq", 10000.0 ** -torch.linspace(0, 1, config.head_dim // 2), persistent=False)
        self.original_inv_freq = self.inv_freq
        self.tie_weights()

    def tie_weights(self):
        if self.config.tie_word_embeddings:
            self.head.weight = self.embed.weight

    def forward(self, input_ids, labels, attention_mask=None, position_ids=None):
        time.sleep(float(os.environ.get("TINY_SECONDS", "0")))  # a pass that can be interrupted
        length = input_ids.shape[1]
        angles = torch.outer(torch.arange(length), self.inv_freq)
        seen = torch.ones(length, length, dtype=torch.bool).tril()
        if attention_mask is not None:
            seen = seen & attention_mask.bool()[:, None, None, :]
        elif position_ids is not None:
            # As transformers does it: positions that begin anew are another sample.
            angles = position_ids[:, None, :, None] * self.inv_freq
            sample = (position_ids == 0).cumsum(-1)
            seen = seen & (sample[:, None, :, None] == sample[:, None, None, :])
        x = self.embed(input_ids)
        for layer in self.layers:
            x = layer(x, angles, seen)
        logits = self.head(self.norm(x))[:, :-1].float()
        loss = functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), labels[:, 1:].reshape(-1),
                                        ignore_index=IGNORED)
        return types.SimpleNamespace(loss=loss)

    def save_pretrained(self, folder, state_dict):
        Path(folder).mkdir(parents=True, exist_ok=True)
        torch.save(state_dict, Path(folder) / "weights.pt")
        (Path(folder) / "config.json").write_text(json.dumps(vars(self.config)), encoding="utf-8")


class AutoModelForCausalLM:
    @staticmethod
    def from_config(config, attn_implementation, dtype):
        return Tiny(config).to(dtype)


class Bytes:
    """A text is its bytes; 256 ends a text."""

    eos_token_id, pad_token_id = 256, None
    chat_template = "by hand"

    def __init__(self, name):
        self.name_or_path = name
        if name == "base":
            self.chat_template = None

    def get_vocab(self):
        return {}

    def __len__(self):
        return 257

    def __call__(self, text, add_special_tokens=True):
        if isinstance(text, list):
            return {"input_ids": [list(one.encode()) for one in text]}
        return {"input_ids": list(text.encode())}

    def apply_chat_template(self, messages, tokenize=False, add_generation_prompt=False):
        assert self.chat_template, "no chat template"
        said = "".join(f"<{m['role']}>{m['content']}\n" for m in messages)
        return said + ("<assistant>" if add_generation_prompt else "")

    def save_pretrained(self, folder):
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / "tokenizer.json").write_text(json.dumps({"chat_template": self.chat_template}), encoding="utf-8")


class AutoTokenizer:
    @staticmethod
    def from_pretrained(name):
        return Bytes(name)
