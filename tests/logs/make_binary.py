#!/usr/bin/env python3
"""Writes the compressed and binary files of this folder: tests/logs/make_binary.py"""

import gzip
import math
import struct
from pathlib import Path

HERE = Path(__file__).resolve().parent


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def record(message):
    size = struct.pack("<Q", len(message))
    return size + masked(size) + message + masked(message)


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def event(wall, step, *values):
    """values: (tag, number, form); form is how the number is kept: simple, tensor_content or float_val."""
    summary = b""
    for tag, number, form in values:
        single = struct.pack("<f", number)
        value = field(1, tag.encode())
        if form == "simple":
            value += b"\x15" + single
        elif form == "content":
            value += field(8, b"\x08\x01" + field(4, single))
        else:
            value += field(8, b"\x08\x01" + field(5, single))
        summary += field(1, value)
    return record(b"\x09" + struct.pack("<d", wall) + b"\x10" + varint(step) + field(5, summary))


def events():
    start = 1_785_000_000.0
    text = record(b"\x09" + struct.pack("<d", start) + field(3, b"brain.Event:2"))
    for step in range(10, 210, 10):
        form = ("simple", "content", "float_val")[step // 10 % 3]
        wall = start + 0.5 * step
        text += event(wall, step, ("train/loss", 2 + 9 / math.sqrt(1 + step), form))
        text += event(wall, step, ("train/grad_norm", 1.25, form))
        text += event(wall, step, ("train/train_loss", 99, form))
    return text + event(start + 101, 200, ("eval/loss", 2.75, "simple"))


def main():
    (HERE / "trainer.tfevents").write_bytes(events())
    small = b"".join(
        event(1_785_000_000 + 2.5 * step, step, ("loss_metrics/global_avg_loss", 8 - step / 4, "simple"),
              ("throughput(tps)", 10050, "simple"), ("tflops", 314.75, "simple"), ("memory/max_reserved(GiB)", 66.5, "simple"),
              ("time_metrics/end_to_end(s)", 1.25, "simple"))
        for step in range(1, 13))
    (HERE / "torchtitan.tfevents").write_bytes(small)
    (HERE / "torchtitan-cut.tfevents").write_bytes(small[:-30])
    log = (HERE / "nanochat.log").read_bytes()
    middle = log.index(b"step 00010")
    # Two members, as `gzip -c >> log.gz` makes them.
    packed = gzip.compress(log[:middle], mtime=0) + gzip.compress(log[middle:], mtime=0)
    (HERE / "nanochat.log.gz").write_bytes(packed)
    (HERE / "nanochat-cut.log.gz").write_bytes(packed[:-200])
    (HERE / "damaged.log.gz").write_bytes(packed[:10] + b"\xff" * 64)
    (HERE / "utf16.log").write_bytes("step 1: no log\n".encode("utf-16"))


if __name__ == "__main__":
    main()
