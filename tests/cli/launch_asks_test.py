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
    train: {model: Qwen2.5-32B, data: {tokens: 10M}, sequence: 2048, batch: 64, framework: hf-trainer, offload: optimizer+params}
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


class HostMemory(Launches):
    def needed(self):
        done = run("plan", "-", stdin=(OFFLOADS % "aws").encode())
        self.assertEqual(done.returncode, 0, done.stderr)
        found = re.search(r"([\d,]+)(?: of [\d,]+)? GiB of RAM", plain(done.stdout))
        self.assertIsNotNone(found, done.stdout)
        return int(found.group(1).replace(",", ""))

    def test_every_launcher_that_can_asks_for_it(self):
        gib = self.needed()
        self.assertGreater(gib, 200)
        for to, provider, file, pattern, unit in (
                ("skypilot", "aws", "skypilot/01-a.yaml", r'memory: "?(\d+)\+', 1),
                ("dstack", "aws", "01-a.dstack.yml", r'memory: "?(\d+)GB\.\.', 1000 ** 3 / 1024 ** 3),
                ("vast", "vast", "vast/rent.sh", r"cpu_ram>=(\d+)", 1000 / 1024)):
            said, files = self.launch("-", to=to, stdin=(OFFLOADS % provider).encode())
            asked = [float(value) * unit for value in re.findall(pattern, files[file])]
            self.assertTrue(asked, (to, files[file]))
            for value in asked[:1]:
                self.assertAlmostEqual(value, gib, delta=2 + 0.01 * gib, msg=to)
            for text in (said, plain(files["README.md"])):
                self.assertRegex(text, r"01-a keeps .*weights.* in CPU memory: the machine must have [\d,]+ GiB of RAM")

    def test_runpod_cannot_and_says_so(self):
        said, _ = self.launch("-", to="runpod", stdin=(OFFLOADS % "runpod").encode())
        self.assertIn("runpodctl cannot ask for CPU memory", said)

    def test_the_short_answer_has_it_however_little_room_there_is(self):
        done = run("plan", "--model", "DeepSeek-V3", "--tokens", "10M", "--method", "lora")
        self.assertRegex(plain(done.stdout), r"CPU offload .* GiB per GPU, [\d,]+ (of [\d,]+ )?GiB of RAM")


class WhereItIs(Launches):
    JOB = """
market: {use: only, offers: [{gpu: H100 SXM, gpus: 1, price: $2/h, provider: %s}]}
phases: [{name: a, train: {model: gpt2, framework: torch, sequence: 512, batch: 64, data: {tokens: 100M}}}]
"""

    def next_of(self, provider):
        done = run("plan", "-", stdin=(self.JOB % provider).encode())
        self.assertEqual(done.returncode, 0, done.stderr)
        return re.search(r"Next: gpuplan launch .*--to (\S+)", plain(done.stdout)).group(1)

    def test_the_next_command_is_of_a_launcher_that_rents_there(self):
        for provider, to in (("aws", "skypilot"), ("digitalocean", "skypilot"), ("vast", "vast"), ("runpod", "runpod"),
                             ("lium", "bash"), ("jarvislabs", "bash"), ("hyperstack", "bash")):
            self.assertEqual(self.next_of(provider), to, provider)

    def test_a_cloud_is_called_as_skypilot_calls_it(self):
        _, files = self.launch("-", to="skypilot", stdin=(self.JOB % "digitalocean").encode())
        self.assertIn("infra: do", files["skypilot/01-a.yaml"])

    def test_a_provider_that_skypilot_does_not_have_is_named(self):
        said, files = self.launch("-", to="skypilot", stdin=(self.JOB % "lium").encode())
        self.assertNotIn("infra", files["skypilot/01-a.yaml"])
        self.assertIn("SkyPilot does not rent at lium, whose machine the plan is for", said)
        self.assertIn("for at most $2.2/h (max_hourly_cost)", said)
        self.assertIn("take --to bash", said)


class NoProgram(Launches):
    """Where launch has no program for the pick, the answer says for what it has one."""

    def test_another_plan_that_can_be_written_is_named(self):
        asked = ["--model", "Llama-3.3-70B", "--tokens", "100M", "--method", "full", "--nodes", "2", "--gpu", "H100 SXM"]
        said = plain(run("plan", *asked).stdout)
        self.assertIn("The job needs command: for train", said)
        found = re.search(r"launch writes a program for .*? \([\d.]+ h, \$[\d.,]+\): add --plan (\w+) to Next", said)
        self.assertIsNotNone(found, said)
        pick, files = self.launch(*asked, to="bash")
        self.assertIn("GPUPLAN_COMMAND_01_TRAIN", pick)
        other, files = self.launch(*asked, "--plan", found.group(1), to="bash")
        self.assertNotIn("GPUPLAN_COMMAND", other)
        self.assertGreater(len(files), 4)

    def test_nothing_is_said_where_nothing_is_left_out(self):
        self.assertNotIn("launch writes a program", plain(run("plan", "--model", "Qwen2.5-7B", "--tokens", "10M", "--lora").stdout))


if __name__ == "__main__":
    main(__doc__)
