#!/usr/bin/env python3
"""Scripts look at the version of their launcher's program before anything is rented or started.

    tests/cli/launch_versions_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import csv
import subprocess
import tempfile
import unittest
from pathlib import Path

from program import ROOT, environment, main, run

JOB = """
market: {{use: only, offers: [{{gpu: H100 SXM, gpus: 8, price: $16/h, provider: {provider}}}]}}
where: {{nodes: {nodes}}}
phases:
  - name: train
    train: {{model: Qwen/Qwen2.5-1.5B, data: {{samples: 9000, tokens_per_sample: 512}}, batch: {{sequences: 64}}, framework: hf-trainer}}
"""
# Launcher: provider of the offers, machines, the program's name, what it prints of a version, rows of the index.
LAUNCHERS = {
    "skypilot": ("aws", 1, "sky", "skypilot, version {}", ["skypilot"]),
    "dstack": ("aws", 1, "dstack", "{}", ["dstack"]),
    "vast": ("vast", 1, "vastai", "{}", ["vast"]),
    "runpod": ("runpod", 1, "runpodctl", "runpodctl {}", ["runpod"]),
    "kubernetes": ("aws", 2, "kubectl", None, ["kubernetes", "jobset"]),
}
KUBECTL = """#!/bin/sh
echo "$*" >>"$CALLS"
case $* in
  version) printf 'Client Version: v9.9.9\\nKustomize Version: v5.4.2\\nServer Version: v%s\\n' "$KUBERNETES" ;;
  *deployment*) printf 'registry.k8s.io/jobset/jobset:v%s' "$JOBSET" ;;
  *localqueues*) printf '%s\\n' "${QUEUE:-user-queue}" >&2; [ -z "${QUEUE:-}" ] ;;
  *jsonpath*) echo Complete ;;
esac
"""


def known():
    with open(ROOT / "data/interfaces/index.csv", encoding="utf-8", newline="") as file:
        return {row["name"]: (row["from"], row["before"]) for row in csv.DictReader(file)}


def older(version):
    """The last number of it less one, or the one before."""
    parts = [int(part) for part in version.split(".")]
    at = max(i for i, part in enumerate(parts) if part > 0)
    return ".".join(str(part - (i == at)) for i, part in enumerate(parts))


class Versions(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.place = Path(temporary.name)
        self.bin = self.place / "bin"
        self.bin.mkdir()
        self.known = known()

    def launch(self, to):
        provider, nodes, name, form, _ = LAUNCHERS[to]
        out = self.place / to
        done = run("launch", "-", "--to", to, "-o", str(out), stdin=JOB.format(provider=provider, nodes=nodes).encode())
        self.assertEqual(done.returncode, 0, done.stderr)
        stub = self.bin / name
        text = KUBECTL if form is None else '#!/bin/sh\necho "$*" >>"$CALLS"\ncase $1 in --version) echo "%s" ;; esac\n' % form.format("$VERSION")
        stub.write_text(text, encoding="utf-8")
        stub.chmod(0o755)
        return out

    def bash(self, out, *words, **variables):
        calls = self.place / "calls"
        calls.write_text("")
        done = subprocess.run(["bash", *words], cwd=out, capture_output=True, text=True, timeout=60, check=False,
                              env=environment(PATH=f"{self.bin}:/usr/bin:/bin", CALLS=str(calls), DATA="x", **variables))
        return done.returncode, done.stdout + done.stderr, calls.read_text().splitlines()

    def test_known_older_newer_and_none(self):
        for to, (_, _, name, form, rows) in LAUNCHERS.items():
            out = self.launch(to)
            good = {row: self.known[row][0] for row in rows}
            for row in rows:
                first, before = self.known[row]
                for version, code, said in ((first, 0, ""), (older(first), 78, "lacks options"), (before if "." in before else before + ".0", 0, "is newer"),
                                            ("", 0, "cannot be found")):
                    with self.subTest(launcher=to, row=row, version=version):
                        told = {**good, row: version}
                        names = {"VERSION": told[row]} if form else {"KUBERNETES": told["kubernetes"], "JOBSET": told["jobset"]}
                        got, output, _ = self.bash(out, f"{to}/versions.sh", **names)
                        self.assertEqual(got, code, output)
                        self.assertIn(said, output)
                        self.assertEqual(output == "", said == "")
            (self.bin / name).unlink()
            code, output, _ = self.bash(out, f"{to}/versions.sh")
            self.assertEqual(code, 0, output)
            self.assertIn("cannot be found", output)

    def test_nothing_is_rented_with_one_that_is_too_old(self):
        for to, words in (("vast", ("vast/rent.sh", "rent", "123")), ("runpod", ("runpod/rent.sh", "rent")),
                          ("kubernetes", ("kubernetes/submit.sh",))):
            out = self.launch(to)
            row = LAUNCHERS[to][4][0]
            old = older(self.known[row][0])
            code, output, calls = self.bash(out, *words, VERSION=old, KUBERNETES=old, JOBSET=self.known["jobset"][0])
            self.assertEqual(code, 78, output)
            self.assertTrue(all(call.startswith(("--version", "version", "get deployment")) for call in calls), calls)

    def test_nothing_waits_for_a_queue_that_is_not_there(self):
        out = self.launch("kubernetes")
        good = {"KUBERNETES": self.known["kubernetes"][0], "JOBSET": self.known["jobset"][0]}
        for queue, code, said in (("", 0, ""), ("error: the server doesn't have a resource type \"localqueues\"", 78, "no Kueue"),
                                  ('Error from server (NotFound): localqueues.kueue.x-k8s.io "user-queue" not found', 78, "no queue user-queue"),
                                  ("Error from server (Forbidden): you may not", 0, "")):
            got, output, calls = self.bash(out, "kubernetes/submit.sh", QUEUE=queue, **good)
            self.assertEqual(got, code, output)
            self.assertIn(said, output)
            self.assertEqual(any(call.startswith("apply") for call in calls), code == 0, calls)

    def test_where_commands_are_typed_it_is_the_first(self):
        for to in ("skypilot", "dstack"):
            readme = (self.launch(to) / "README.md").read_text()
            start = readme[readme.index("## Start it"):].splitlines()
            self.assertTrue(start[2].startswith(f"    bash {to}/versions.sh"), start[2])


if __name__ == "__main__":
    main(__doc__)
