#!/usr/bin/env python3
"""What launch asks of a machine is what the plan needs of it, and what its script brings there; and it is asked where
the machine is.

    tests/cli/launch_asks_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import re
import tempfile
import unittest
from pathlib import Path

from program import main, run

GENERATES = ["--generate", "--samples", "20k", "--prompt", "500", "--new", "300"]
LLAMA = 405.85e9  # parameters of Llama-3.1-405B
OFFLOADS = """
job: offloads
market: {use: only, offers: [{gpu: A100 SXM 80GB, gpus: 8, price: $9.76/h, provider: %s}]}
phases:
  - name: a
    train: {model: Llama-3.1-70B, data: {tokens: 10M}, sequence: 2048, batch: 64, framework: hf-trainer, offload: optimizer+params}
"""


def plain(text):
    return re.sub(r"\s+", " ", text)


class Launches(unittest.TestCase):
    def launch(self, *words, to, stdin=None):
        with tempfile.TemporaryDirectory() as folder:
            done = run("launch", *words, "--to", to, "-o", folder + "/out", stdin=stdin)
            self.assertEqual(done.returncode, 0, done.stderr)
            files = {str(path.relative_to(folder + "/out")): path.read_text(encoding="utf-8")
                     for path in Path(folder).rglob("*") if path.is_file()}
            return plain(done.stdout), files

    def of_plan(self, *words):
        done = run("plan", *words, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)


class Weights(Launches):
    """An engine that rounds weights while it loads them fetches them as they are published."""

    ASKED = ["--model", "Llama-3.1-405B", *GENERATES, "--gpu", "8x H100 SXM"]

    def beside(self, *words):
        plan = self.of_plan(*self.ASKED, *words)["plans"][0]
        return json.dumps(plan), plan

    def test_disks_hold_what_is_downloaded(self):
        for weights, bits in (("fp8", 16), ("int4", 4.16)):
            text, _ = self.beside("--weights", weights)
            stored = [float(value) for value in re.findall(r'"weights_gb": ([0-9.]+)', text)]
            self.assertAlmostEqual(stored[0], LLAMA * bits / 8e9, delta=0.03 * LLAMA * bits / 8e9, msg=weights)
            _, files = self.launch(*self.ASKED, "--weights", weights, to="skypilot")
            disk = int(re.search(r"disk_size: (\d+)", files["skypilot/01-generate.yaml"]).group(1))
            self.assertGreater(disk, stored[0] + 50)
            settings = files["phases/01-generate/settings.json"]
            self.assertIn('"quantized": ' + ("false" if weights == "fp8" else "true"), settings)

    def test_getting_ready_takes_as_long_as_their_download(self):
        made, published = (re.search(r"(\d+)–(\d+) min setup", plain(run("plan", *self.ASKED, "--weights", weights).stdout)).groups()
                           for weights in ("fp8", "bf16"))
        self.assertEqual(made, published)


if __name__ == "__main__":
    main(__doc__)
