#!/usr/bin/env python3
"""gpuplan check TRACE: traces of the PyTorch profiler, written in the form that its exporter has.

    tests/cli/profiler_trace_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import gzip
import json
import random
import resource
import subprocess
import tempfile
import unittest
from pathlib import Path

from program import PROGRAM, ROOT, environment, main, run

ORIGIN = 5_000_000_000_000.25  # microseconds, as Kineto counts them


def kernel(name, start, length, device=0, stream=7, category="kernel"):
    return {"ph": "X", "cat": category, "name": name, "pid": device, "tid": stream, "ts": ORIGIN + start, "dur": length,
            "args": {"External id": 12, "device": device, "stream": stream, "grid": [1, 2, 3], "queued": 0}}


def step(number, start, length):
    return {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", "pid": 99, "tid": 99, "ts": ORIGIN + start,
            "dur": length, "args": {"External id": number, "device": 3, "text": "a \"}]\" in a string\\"}}


def trace(events):
    return json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 1}],
                       "distributedInfo": {"backend": "nccl", "rank": 0}, "traceEvents": events, "traceName": "traceEvents"},
                      indent=1)


# 100 us a step: 40 matrix products, 10 attention, 20 elementwise, 30 communication of which 15 run beside, 5 copies, 10 idle.
def a_step(number, device=0):
    at = number * 100
    return [
        step(number, at - 3, 100.5),
        {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 99, "tid": 99, "ts": ORIGIN + at, "dur": 500, "args": {}},
        {"ph": "s", "id": 4, "cat": "ac2g", "name": "ac2g", "pid": 1, "tid": 2, "ts": ORIGIN + at},
        kernel("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", at, 40, device),
        kernel("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", at + 25, 30, device, 20),
        kernel("void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128>>", at + 55, 10, device),
        kernel("void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernel>", at + 65, 20, device),
        kernel("Memcpy HtoD (Pinned -> Device)", at + 85, 5, device, 9, "gpu_memcpy"),
        kernel("end", at + 100, 0, device),
    ]


class Traces(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)

    def write(self, content, name="host_1.pt.trace.json"):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def shares(self, path):
        done = run("check", path, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_shares_steps_and_overlap(self):
        events = [event for number in range(4) for event in a_step(number)]
        random.Random(3).shuffle(events)
        for path in (self.write(trace(events)), self.write(gzip.compress(trace(events).encode()), "t.pt.trace.json.gz"),
                     self.write(json.dumps({"traceEvents": events}, separators=(",", ":")), "chrome.json")):
            found = self.shares(path)
            self.assertEqual((found["kernels"], found["gpus"], found["steps"]), (24, 1, 4))
            self.assertAlmostEqual(found["seconds_per_step"], 100.5e-6, places=9)
            self.assertAlmostEqual(found["seconds"], 400e-6, places=8)
            for name, share in (("matrix_products", .4), ("attention", .1), ("elementwise_norms", .2), ("communication", .3),
                                ("copies", .05), ("idle", .1), ("communication_exposed", .15), ("other_kernels", 0)):
                self.assertAlmostEqual(found["shares"][name], share, places=4, msg=name)
        text = run("check", self.write(trace(events))).stdout
        self.assertIn("communication takes 30%, GPUs are idle for 10%", text)
        self.assertIn("50% of it runs beside computation", text)
        self.assertIn("communication,0.3000\n", run("check", self.write(trace(events)), "--csv").stdout)

    def test_two_gpus_are_averaged(self):
        events = [event for number in range(4) for event in a_step(number)]
        events += [kernel("ampere_bf16_s16816gemm_bf16", 0, 100, 1), kernel("end", 400, 0, 1)]
        found = self.shares(self.write(trace(events)))
        self.assertEqual(found["gpus"], 2)
        self.assertAlmostEqual(found["shares"]["matrix_products"], (.4 + .25) / 2, places=4)
        self.assertAlmostEqual(found["shares"]["idle"], (.1 + .75) / 2, places=4)

    def test_what_is_torn_is_read_as_far_as_it_goes(self):
        whole = trace([event for number in range(50) for event in a_step(number)])
        for share in (0.3, 0.5, 0.9, 0.999):
            cut = whole[:int(len(whole) * share)]
            found = self.shares(self.write(cut))
            self.assertTrue(found["cut_off"])
            self.assertAlmostEqual(found["shares"]["communication"], .3, delta=0.03)
            self.assertIn("ends in the middle", run("check", self.write(cut)).stdout)
        packed = gzip.compress(whole.encode())
        self.assertTrue(self.shares(self.write(packed[:len(packed) * 2 // 3], "a.json.gz"))["cut_off"])

    def test_what_is_no_trace_of_a_gpu(self):
        for content, why in ((trace([]), "nothing ran on a GPU"), (trace([step(1, 0, 5)]), "nothing ran on a GPU"),
                             ('{"schemaVersion": 1, "x": []}', "no \"traceEvents\""),
                             ('{"traceEvents": "x"}', "no \"traceEvents\""), ('{"traceEvents": [', "nothing ran on a GPU")):
            done = run("check", self.write(content))
            self.assertEqual((done.returncode, done.stderr.count("\n")), (5, 1), content + done.stderr)
            self.assertIn(why, done.stderr)
        done = run("check", self.write(trace(a_step(1))), self.write(trace(a_step(2)), "second.json"))
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn("is read by itself", done.stderr)

    def test_held_against_the_plan(self):
        events = [event for number in range(4) for event in a_step(number)]
        path = self.write(trace(events))
        job = str(ROOT / "examples/gpt-124m.yaml")
        done = run("check", path, "--job", job, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        compared = json.loads(done.stdout)["compared"]
        measured = {part["part"]: part["measured"] for part in compared["parts"]}
        for name, share in (("matrix_products", .4), ("attention", .1), ("elementwise_optimizer", .2),
                            ("communication_waited_for", .15), ("copies_waited_for", .05), ("idle", .1)):
            self.assertAlmostEqual(measured[name], share, places=4, msg=name)
        self.assertAlmostEqual(sum(measured.values()), 1, places=6)
        self.assertAlmostEqual(sum(part["planned"] for part in compared["parts"]), 1, places=6)
        self.assertGreater(compared["planned_seconds_per_step"], 0)
        text = run("check", path, "--job", job).stdout
        self.assertIn("communication waited for  ", text)
        self.assertIn("15%", text)
        # A plan by its id, whose planned shares are those of its own explanation.
        plans = json.loads(run("plan", job, "--json").stdout)
        plan = plans["plans"][0]["id"]
        self.assertEqual(json.loads(run("check", path, "--job", job, "--plan", plan, "--json").stdout)["compared"]["plan"], plan)

    def test_what_is_slower_than_planned_is_named(self):
        job = str(ROOT / "examples/gpt-124m.yaml")
        planned = json.loads(run("check", self.write(trace(a_step(0))), "--job", job, "--json").stdout)["compared"]
        step = planned["planned_seconds_per_step"] * 1e6
        shares = {part["part"]: part["planned"] for part in planned["parts"]}

        def run_with(waiting):
            """A trace whose parts are the planned ones, and `waiting` of a step for communication."""
            at, events = 0.0, []
            for name, part in (("sm90_gemm", "matrix_products"), ("flash_fwd", "attention"), ("elementwise_kernel", "elementwise_optimizer"),
                               ("ncclDevKernel_AllReduce", "communication_waited_for")):
                length = (shares[part] + (waiting if part == "communication_waited_for" else 0)) * step
                events.append(kernel(name, at, length))
                at += length
            at += (shares["copies_waited_for"] + shares["idle"]) * step
            return trace([step_event(0, 0, at)] + events + [kernel("end", at, 0)])

        def step_event(number, start, length):
            return {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", "pid": 99, "tid": 99,
                    "ts": ORIGIN + start, "dur": length, "args": {}}

        for waiting, worst in ((0, None), (0.02, None), (0.3, "communication_waited_for")):
            done = run("check", self.write(run_with(waiting)), "--job", job, "--json")
            self.assertEqual(json.loads(done.stdout)["compared"]["worst"], worst, waiting)
        self.assertIn("Communication waited for takes", run("check", self.write(run_with(0.3)), "--job", job).stdout)
        self.assertIn("As planned", run("check", self.write(run_with(0)), "--job", job).stdout)

    def test_hostile(self):
        good = a_step(0)
        bad = [kernel("\u001b[31m gemm \u0000", -1e300, 1), kernel("x", 1, 2), kernel("x", 1, 1e300), kernel("x", 1, -5),
               kernel("nccl" + "n" * 2_000_000, 3, 3), {"ph": "X", "cat": "kernel"}, {}, [], 7, "text", None, [[[[]]]],
               kernel("x", 1, 1, 1e300), kernel("x", 1, 1, "device"), {"ph": ["X"], "cat": {}, "name": 3, "ts": {}, "dur": []}]
        bad[0]["ts"] = -1e300
        bad[1]["ts"] = "1"
        bad[2]["dur"] = 3.0
        found = self.shares(self.write(trace(good + bad)))
        self.assertGreaterEqual(found["kernels"], 6)
        draw = random.Random(11)
        text = trace(good * 3)
        for _ in range(60):
            letters = list(text)
            for _ in range(draw.randint(1, 30)):
                letters[draw.randrange(len(letters))] = draw.choice('{}[]",:\\0e-x')
            done = run("check", self.write("".join(letters)), "--json")
            self.assertIn(done.returncode, (0, 5), done.stderr)
            self.assertLessEqual(done.stderr.count("\n"), 1)

    def test_large_in_little_memory(self):
        body = ",\n".join(json.dumps(event) for number in range(2000) for event in a_step(number))
        path = self.folder / "large.json"
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"schemaVersion": 1, "traceEvents": [\n')
            for _ in range(20):
                file.write(body + ",\n")
            file.write(json.dumps(kernel("end", 0, 0)) + "]}")

        def limit():
            resource.setrlimit(resource.RLIMIT_DATA, (90 << 20, 90 << 20))
        done = subprocess.run([PROGRAM, "check", str(path), "--json"], env=environment(), capture_output=True, text=True,
                              timeout=120, preexec_fn=limit, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["kernels"], 2000 * 6 * 20 + 1)


if __name__ == "__main__":
    main(__doc__)
