#!/usr/bin/env python3
"""Draw data/measured/kernels/*.csv from published tables of kernel times.

    tools/kernels/sample.py TABLES

TABLES is a folder with the tables of NVIDIA aiconfigurator (Apache-2.0) as gzip CSV, one for each table and GPU:
gemm_<gpu>_<engine>.csv.gz, context_attention_<gpu>_vllm.csv.gz and nccl_<gpu>.csv.gz. Their tens of thousands of rows
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
ROWS = {"gemm": 360, "attention": 200}

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


if __name__ == "__main__":
    main()
