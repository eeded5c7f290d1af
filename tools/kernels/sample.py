#!/usr/bin/env python3
"""Draw data/measured/kernels/*.csv from published tables of kernel times.

    tools/kernels/sample.py TABLES

TABLES is a folder with the tables of NVIDIA aiconfigurator (Apache-2.0) as gzip CSV, one for each table and GPU:
gemm_<gpu>_<engine>.csv.gz, context_attention_<gpu>_vllm.csv.gz, generation_attention_<gpu>_vllm.csv.gz,
moe_<gpu>_vllm.csv.gz and nccl_<gpu>.csv.gz. Their tens of thousands of rows
are thinned to a few hundred for each GPU and format. A row's place in the draw follows from a hash of its shape and a
weight, so that the same tables always give the same sample, and GPUs share most shapes.

Matrix products: of the times that the engines reach for one shape the shortest is kept, because a training library
chooses among the same kernels. Shapes of training (512 rows and more, 512 to 32768 columns and inner elements) are
drawn four times as often as others; odd row counts, which no training run has, are left out.
"""
import csv
import glob
import gzip
import hashlib
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "..", "..", "data", "measured", "kernels")
SOURCE = "NVIDIA aiconfigurator systems data (Apache-2.0)"
AS_OF = "2026-11"
ROWS = {"gemm": 360, "attention": 200, "served": 200, "cached": 160, "experts": 160, "prefill": 100}

GPUS = {
    "a100_sxm": "A100 SXM 80GB",
    "h100_sxm": "H100 SXM",
    "h200_sxm": "H200 SXM",
    "b200_sxm": "B200",
    "b300_sxm": "B300",
    "gb200": "GB200",
    "gb300": "GB300",
    "l40s": "L40S",
    "rtx_pro_6000_server": "RTX PRO 6000 Blackwell Server",
    "b60": "Arc Pro B60",
}
FORMATS = {"bfloat16": "bf16", "fp8": "fp8", "nvfp4": "nvfp4"}
LACKS = {("b60", "fp8")}  # expanded to 16 bit by software: no product in that format


def rows(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def uniform(key):
    """A number in (0, 1) that depends on the key only."""
    digest = hashlib.sha256(repr(key).encode()).digest()
    return (int.from_bytes(digest[:8], "big") + 1) / (2**64 + 2)


def draw(keys, weight, cell, count):
    """`count` of the keys, each cell of the grid with the total weight that `weight` gives to its members on average
    (Efraimidis and Spirakis 2006: the largest u^(1/w))."""
    members = {}
    for key in keys:
        members.setdefault(cell(key), []).append(key)
    ranked = []
    for group in members.values():
        ranked += [(math.log(uniform(key)) * len(group) / weight(key), key) for key in group]
    ranked.sort(reverse=True)
    return sorted(key for _, key in ranked[:count])


def write(name, header, lines):
    path = os.path.join(OUT, name)
    with open(path, "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(header + ["source", "as_of"])
        for line in lines:
            out.writerow(list(line) + [SOURCE, AS_OF])
    print(f"{path}: {len(lines)} rows, {os.path.getsize(path)} bytes")


def micro(ms):
    return f"{float(ms) * 1000:.5g}"


def products(folder):
    lines = []
    for short, gpu in GPUS.items():
        best = {}
        for path in sorted(glob.glob(os.path.join(folder, f"gemm_{short}_*.csv.gz"))):
            engine = path.rsplit("_", 1)[1].split(".")[0]
            for row in rows(path):
                form = FORMATS.get(row["gemm_dtype"])
                m, n, k = int(row["m"]), int(row["n"]), int(row["k"])
                if form is None or (short, form) in LACKS or m < 64 or m % 16 or n < 64 or k < 64:
                    continue
                time = float(row["latency_ms"])
                key = (m, n, k)
                old = best.setdefault(form, {}).get(key)
                if time > 0 and (old is None or time < old[0]):
                    best[form][key] = (time, engine)
        for form, shapes in best.items():
            chosen = draw(
                shapes,
                lambda s: 1.0 if s[0] >= 512 and min(s[1:]) >= 512 and max(s[1:]) <= 32768 else 0.25,
                lambda s: tuple(int(math.log2(x)) for x in s),
                ROWS["gemm"],
            )
            for m, n, k in chosen:
                time, engine = shapes[m, n, k]
                lines.append((gpu, form, m, n, k, micro(time), engine))
    write("matrix_products.csv", ["gpu", "format", "rows", "columns", "inner", "time_us", "engine"], lines)


def attention(folder):
    lines = []
    for short, gpu in GPUS.items():
        times = {}
        for path in glob.glob(os.path.join(folder, f"context_attention_{short}_vllm.csv.gz")):
            for row in rows(path):
                if row["kv_cache_dtype"] != "bfloat16" or int(row["step"]) or int(row.get("window_size") or 0):
                    continue
                length, heads, width = int(row["isl"]), int(row["num_heads"]), int(row["head_dim"])
                batch, kv = int(row["batch_size"]), int(row["num_key_value_heads"])
                kernel = row["kernel_source"].removeprefix("vllm_")
                # Enough work to be more than a launch; widths and lengths that models are trained with.
                if length < 128 or width > 256 or "decode" in kernel or length * batch < 512:
                    continue
                times[(batch, length, heads, kv, width)] = (float(row["latency"]), kernel)
        chosen = draw(
            times,
            lambda s: 1.0,
            lambda s: (s[4], int(math.log2(s[1])), int(math.log2(s[0])), int(math.log2(s[2]))),
            ROWS["attention"],
        )
        for key in chosen:
            time, kernel = times[key]
            lines.append((gpu, kernel) + key + (micro(time),))
    write("attention.csv",
          ["gpu", "kernel", "batch", "length", "heads", "kv_heads", "head_width", "time_us"], lines)


# Tables of serving: name of the format, and bytes of a stored weight.
SERVED = {"bfloat16": ("bf16", 2), "fp8": ("fp8", 1), "fp8_block": ("fp8 block", 1), "nvfp4": ("nvfp4", 0.5625),
          "int8_wo": ("int8", 1), "int4_wo": ("int4", 0.5), "sq": ("w8a8", 1)}
BANDWIDTH = {"a100_sxm": 2039, "h100_sxm": 3350, "h200_sxm": 4800, "b200_sxm": 8000, "b300_sxm": 8000, "gb200": 8000,
             "gb300": 8000, "l40s": 864, "rtx_pro_6000_server": 1597, "b60": 456}  # GB/s
CACHE = {"a100_sxm": 40, "h100_sxm": 50, "h200_sxm": 50, "b200_sxm": 126, "b300_sxm": 126, "gb200": 126, "gb300": 126,
         "l40s": 96, "rtx_pro_6000_server": 128, "b60": 18}  # MiB
GDDR = ("l40s", "rtx_pro_6000_server", "b60")


def served_products(folder):
    """Products of few and many rows, as engines run them. What the tables read from the second-level cache, where
    weights never are when a model is served, is left out: on cards with GDDR the rows of the engine that does not
    flush it, and everything that would need more than the bandwidth of the data sheet."""
    lines = []
    for short, gpu in GPUS.items():
        best = {}
        for path in sorted(glob.glob(os.path.join(folder, f"gemm_{short}_*.csv.gz"))):
            engine = path.rsplit("_", 1)[1].split(".")[0]
            for row in rows(path):
                if row["gemm_dtype"] not in SERVED:
                    continue
                form, weight = SERVED[row["gemm_dtype"]]
                if engine == "vllm" and form == "fp8 block":
                    continue  # 60 to 200 us a call whatever the size: kernels compiled for other GPUs
                m, n, k = int(row["m"]), int(row["n"]), int(row["k"])
                time = float(row["latency_ms"])
                if not 512 <= n <= 65536 or not 512 <= k <= 65536 or time <= 0 or m > 16384:
                    continue
                size = weight * n * k + 2 * m * (n + k)
                small = size < 3 * CACHE[short] * 2**20
                if short in GDDR and small and (engine == "trtllm" or form == "nvfp4"):
                    continue
                if size / 1e6 / BANDWIDTH[short] > time:
                    continue
                key = (m, n, k)
                old = best.setdefault(form, {}).get(key)
                if old is None or time < old[0]:
                    best[form][key] = (time, engine)
        for form, shapes in best.items():
            chosen = draw(
                shapes,
                lambda s: 1.0 if s[0] <= 256 else 0.5,
                lambda s: (int(math.log2(s[0])), int(math.log2(s[1] * s[2]) / 2)),
                ROWS["served"],
            )
            for m, n, k in chosen:
                time, engine = shapes[m, n, k]
                lines.append((gpu, form, m, n, k, micro(time), engine))
    write("served_products.csv", ["gpu", "format", "rows", "columns", "inner", "time_us", "engine"], lines)


def cached_attention(folder):
    """Attention of one new token a sequence over a cache of keys and values. Caches about as large as the second-level
    cache, which the tables read from there, are left out, and so are kernels that do not share a key among several
    heads (as many heads as keys), which some engines do not divide along the context."""
    lines = []
    for short, gpu in GPUS.items():
        times = {}
        for path in glob.glob(os.path.join(folder, f"generation_attention_{short}_vllm.csv.gz")):
            for row in rows(path):
                form = {"bfloat16": "bf16", "fp8": "fp8"}[row["kv_cache_dtype"]]
                cached, heads, width = int(row["step"]) + 1, int(row["num_heads"]), int(row["head_dim"])
                batch, kv = int(row["batch_size"]), int(row["num_key_value_heads"])
                window = int(row.get("window_size") or 0)
                kernel = row["kernel_source"].removeprefix("vllm_")
                seen = min(cached, window) if window else cached
                size = batch * seen * kv * width * (4 if form == "bf16" else 2)
                share = size / 2**20 / CACHE[short]
                time = float(row["latency"])
                if cached < 8 or width > 256 or kernel == "triton_attn" or heads == kv or 0.15 < share < 1.5:
                    continue
                if window and kernel == "flash_attn_fa2":
                    continue  # neither divided along the context nor shared among heads: no engine's choice
                if size / 1e6 / BANDWIDTH[short] > time:
                    continue
                times.setdefault(form, {})[(batch, cached, window, heads, kv, width)] = (time, kernel)
        for form, shapes in times.items():
            chosen = draw(
                shapes,
                lambda s: (0.25 if s[2] else 1.0) * (0.25 if s[1] < 128 else 1.0),
                lambda s: (s[5], s[2], int(math.log2(s[1])), int(math.log2(s[0])) // 2),
                ROWS["cached"],
            )
            for key in chosen:
                time, kernel = shapes[key]
                lines.append((gpu, kernel, form) + key + (micro(time),))
    write("cached_attention.csv",
          ["gpu", "kernel", "cache", "batch", "cached", "window", "heads", "kv_heads", "head_width", "time_us"], lines)


def prefill_attention(folder):
    """Attention over prompts, from short to long, with caches of 16 and 8 bits and with windows."""
    lines = []
    for short, gpu in GPUS.items():
        times = {}
        for path in glob.glob(os.path.join(folder, f"context_attention_{short}_vllm.csv.gz")):
            for row in rows(path):
                form = {"bfloat16": "bf16", "fp8": "fp8"}[row["kv_cache_dtype"]]
                length, heads, width = int(row["isl"]), int(row["num_heads"]), int(row["head_dim"])
                batch, kv = int(row["batch_size"]), int(row["num_key_value_heads"])
                window = int(row.get("window_size") or 0)
                kernel = row["kernel_source"].removeprefix("vllm_")
                if length < 32 or width > 256 or heads < 4 or kernel == "triton_attn" or "decode" in kernel:
                    continue
                if int(row["step"]) or batch * length > 65536:
                    continue
                times.setdefault(form, {})[(batch, length, window, heads, kv, width)] = (float(row["latency"]), kernel)
        for form, shapes in times.items():
            chosen = draw(
                shapes,
                lambda s: (0.25 if s[2] else 1.0) * (0.5 if s[1] < 256 or s[5] > 128 else 1.0),
                lambda s: (s[5], s[2], int(math.log2(s[1])), int(math.log2(s[0] * s[3]) / 2)),
                ROWS["prefill"],
            )
            for key in chosen:
                time, kernel = shapes[key]
                lines.append((gpu, kernel, form) + key + (micro(time),))
    write("prefill_attention.csv",
          ["gpu", "kernel", "cache", "batch", "length", "window", "heads", "kv_heads", "head_width", "time_us"], lines)


EXPERTS = {"bfloat16": ("bf16", 2), "fp8": ("fp8", 1), "fp8_block": ("fp8", 1), "int4_wo": ("int4", 0.5),
           "w4a16_mxfp4": ("mxfp4", 0.53), "w4a8_mxfp4_mxfp8": ("mxfp4", 0.53), "nvfp4": ("nvfp4", 0.5625)}


def experts(folder):
    """Layers of experts. Of the kernels for one shape the shortest is kept. Shapes that would need more than the
    bandwidth of the data sheet when every expert is used are left out on all GPUs: two matrices where three are
    counted, or a router that only reaches some groups of experts."""
    found = {}
    impossible = set()
    for short, gpu in GPUS.items():
        for path in glob.glob(os.path.join(folder, f"moe_{short}_vllm.csv.gz")):
            for row in rows(path):
                if row["moe_dtype"] not in EXPERTS:
                    continue
                form, weight = EXPERTS[row["moe_dtype"]]
                if short in ("h100_sxm", "h200_sxm") and row["moe_dtype"] == "fp8":
                    continue  # a sixth of the bandwidth: kernels for another GPU, which engines avoid
                if short == "b200_sxm" and form == "mxfp4" and "marlin" in row["kernel_source"]:
                    continue  # a stopgap of expanding kernels where there are products of the format
                tokens, hidden, width = int(row["num_tokens"]), int(row["hidden_size"]), int(row["inter_size"])
                top, count = int(row["topk"]), int(row["num_experts"])
                tp, ep = int(row["moe_tp_size"]), int(row["moe_ep_size"])
                skew = {"balanced": 0, "power_law_1.01": 1.01, "power_law_1.2": 1.2}[row["distribution"]]
                time = float(row["latency"])
                shape = (hidden, width, top, count)
                used = min(count, tokens * top) / ep
                size = used * 3 * hidden * width / tp * weight
                if skew == 0 and tokens * top >= 2 * count and size > 3 * CACHE[short] * 2**20:
                    if size / 1e6 / BANDWIDTH[short] > time:
                        impossible.add(shape)
                if ep > 16 or tp > 8 or count % ep or width % tp or size < 3 * CACHE[short] * 2**20 and short in GDDR:
                    continue
                key = (tokens,) + shape + (tp, ep, skew)
                old = found.setdefault((short, form), {}).get(key)
                if time > 0 and (old is None or time < old):
                    found[short, form][key] = time
    lines = []
    for short, gpu in GPUS.items():
        for form in ("bf16", "fp8", "int4", "mxfp4", "nvfp4"):
            shapes = {k: t for k, t in found.get((short, form), {}).items() if k[1:5] not in impossible}
            chosen = draw(
                shapes,
                lambda s: (0.5 if s[7] == 1.01 else 1.0),
                lambda s: (int(math.log2(s[0])), s[1:5]),
                ROWS["experts"],
            )
            lines += [(gpu, form) + key + (micro(shapes[key]),) for key in chosen]
    print("left out:", sorted(impossible))
    write("experts.csv",
          ["gpu", "format", "tokens", "hidden", "width", "top_k", "experts", "tp", "ep", "skew", "time_us"], lines)


def collectives(folder):
    """Sizes in elements, as the tables have them: of the whole result for all_gather, of the whole input otherwise."""
    lines = []
    for short, gpu in GPUS.items():
        for path in glob.glob(os.path.join(folder, f"nccl_{short}.csv.gz")):
            found = [
                (gpu, row["op_name"].replace("alltoall", "all_to_all"), int(row["num_gpus"]),
                 int(row["message_size"]) * 2, micro(row["latency"]))
                for row in rows(path)
                if row["nccl_dtype"] == "half" and int(row["message_size"]).bit_length() % 2 == 1
            ]
            lines += sorted(found)
    write("collectives.csv", ["gpu", "operation", "gpus", "bytes", "time_us"], lines)


def main():
    if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
        sys.exit("usage: tools/kernels/sample.py TABLES (a folder of gemm_*.csv.gz and the like)")
    os.makedirs(OUT, exist_ok=True)
    products(sys.argv[1])
    attention(sys.argv[1])
    collectives(sys.argv[1])
    served_products(sys.argv[1])
    cached_attention(sys.argv[1])
    prefill_attention(sys.argv[1])
    experts(sys.argv[1])


if __name__ == "__main__":
    main()
