#!/usr/bin/env python3
"""gpuplan check REPORT.sqlite: what Nsight Systems exports, written with the tables that it has.

    tests/cli/nsys_trace_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import random
import sqlite3
import tempfile
import unittest
from pathlib import Path

from program import ROOT, main, run

ORIGIN = 7_000_000_000  # nanoseconds since the session began
GEMM = "void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x2_tn_align8>(T1::Params)"
FLASH = "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<(int)128, (int)128, (int)64>>(Flash_fwd_params)"
WISE = "void at::native::vectorized_elementwise_kernel<(int)4, at::native::GeluCUDAKernelImpl>(int, T2, T3)"
NCCL = "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)"
ADAM = "void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor<float, (int)4>>(T1, T2, T4...)"


class Report:
    """A database of that form."""

    def __init__(self, path, page=4096, wide=0):
        self.path = path
        self.base = sqlite3.connect(path)
        self.base.execute(f"PRAGMA page_size={page}")
        self.base.executescript("""
            CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
            CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
              contextId INTEGER, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
              demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER,
              CONSTRAINT fk FOREIGN KEY (demangledName) REFERENCES StringIds (id));
            CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
              contextId INTEGER, streamId INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL);
            CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER,
              category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
            CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT);
            INSERT INTO TARGET_INFO_GPU VALUES (0, 0, 'NVIDIA H100 80GB HBM3');
        """)
        self.ids = {}
        self.wide = wide

    def string(self, text):
        if text not in self.ids:
            self.ids[text] = 1000 + 7 * len(self.ids)
            self.base.execute("INSERT INTO StringIds VALUES (?, ?)", (self.ids[text], text + " " * self.wide))
        return self.ids[text]

    def kernel(self, name, start, length, device=0):
        self.base.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,?,1,NULL,7,3,9,?,?,NULL,0)",
                          (ORIGIN + start, ORIGIN + start + length, device, self.string(name), self.string("Kernel2")))

    def copy(self, start, length):
        self.base.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?,?,0,1,7,4096,1)",
                          (ORIGIN + start, ORIGIN + start + length))

    def range(self, text, start, length, registered=False):
        self.base.execute("INSERT INTO NVTX_EVENTS VALUES (?,?,59,NULL,NULL,NULL,?,1,NULL,?,0)",
                          (ORIGIN + start, ORIGIN + start + length, None if registered else text,
                           self.string(text) if registered else None))

    def steps(self, count, mark=None, registered=False):
        """100 us each: 40 matrix products, 10 attention, 20 elementwise, 30 communication (15 beside), 5 copies, 10 idle."""
        for i in range(count):
            at = 100_000 * i
            if mark:
                self.range(mark.format(i), at - 2000, 60_000, registered)
            self.range("forward", at, 1000)
            self.kernel(GEMM, at, 20_000)
            self.kernel(GEMM, at + 20_000, 20_000)
            self.kernel(NCCL, at + 25_000, 30_000)
            self.kernel(FLASH, at + 55_000, 10_000)
            self.kernel(WISE, at + 65_000, 15_000)
            self.kernel(ADAM, at + 80_000, 5_000)
            self.copy(at + 85_000, 5_000)
        self.kernel("end", 100_000 * count, 0)
        return self

    def done(self):
        self.base.commit()
        self.base.close()
        return str(self.path)


class Reports(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def report(self, name="report.sqlite", **how):
        return Report(self.folder / name, **how)

    def ask(self, path, *words):
        done = run("check", path, "--json", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_shares_and_steps(self):
        for number, how in enumerate(({}, {"page": 512}, {"page": 65536}, {"wide": 20_000})):
            found = self.ask(self.report(f"r{number}.sqlite", **how).steps(40, "step {}").done())
            self.assertEqual((found["profiler"], found["gpus"], found["kernels"]), ("Nsight Systems", 1, 40 * 7 + 1), how)
            self.assertEqual(found["steps"], 39)
            self.assertAlmostEqual(found["seconds_per_step"], 100e-6, places=9)
            for name, share in (("matrix_products", .4), ("attention", .1), ("elementwise_norms", .2), ("communication", .3),
                                ("copies", .05), ("idle", .1), ("communication_exposed", .15)):
                self.assertAlmostEqual(found["shares"][name], share, places=4, msg=f"{name} {how}")

    def test_steps_by_registered_names_and_by_kernels(self):
        found = self.ask(self.report("a.sqlite").steps(12, "train_iteration_{}", registered=True).done())
        self.assertEqual(found["steps"], 11)
        self.assertAlmostEqual(found["seconds_per_step"], 100e-6, places=9)
        found = self.ask(self.report("b.sqlite").steps(12).done())  # nothing is marked
        self.assertAlmostEqual(found["seconds_per_step"], 100e-6, places=9)
        uneven = self.report("c.sqlite")
        draw = random.Random(5)
        for _ in range(50):
            uneven.kernel(GEMM, draw.randrange(1_000_000_000), 1000)
        self.assertIsNone(self.ask(uneven.done())["seconds_per_step"])

    def test_many_rows_in_little_time(self):
        found = self.ask(self.report().steps(20_000, "step {}").done())
        self.assertEqual(found["kernels"], 20_000 * 7 + 1)
        self.assertAlmostEqual(found["shares"]["communication"], .3, places=4)

    def test_held_against_the_plan(self):
        path = self.report().steps(10, "step {}").done()
        compared = self.ask(path, "--job", str(ROOT / "examples/gpt-124m.yaml"))["compared"]
        self.assertAlmostEqual(sum(part["measured"] for part in compared["parts"]), 1, places=6)

    def test_what_is_no_report(self):
        other = sqlite3.connect(self.folder / "other.sqlite")
        other.execute("CREATE TABLE t (a)")
        other.commit()
        other.close()
        empty = self.report("empty.sqlite").done()
        short = self.folder / "short.sqlite"
        short.write_bytes(b"SQLite format 3\0")
        for path, why in ((self.folder / "other.sqlite", "nsys export --type sqlite"), (empty, "no kernels in this report"),
                          (short, "not an SQLite database")):
            done = run("check", str(path))
            self.assertEqual((done.returncode, done.stderr.count("\n")), (5, 1), done.stderr + done.stdout)
            self.assertIn(why, done.stderr)

    def test_damaged(self):
        whole = Path(self.report().steps(300, "step {}").done()).read_bytes()
        torn = self.folder / "torn.sqlite"
        torn.write_bytes(whole[:len(whole) // 2 // 4096 * 4096])
        self.assertIn(run("check", str(torn), "--json").returncode, (0, 5))
        draw = random.Random(3)
        for _ in range(80):
            letters = bytearray(whole)
            for _ in range(draw.randint(1, 40)):
                letters[draw.randrange(len(letters))] = draw.randrange(256)
            torn.write_bytes(bytes(letters))
            done = run("check", str(torn), "--json")
            self.assertIn(done.returncode, (0, 5), done.stderr)
            self.assertLessEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    main(__doc__)
