"""A job of two phases in a folder of a test's own, and its launch."""

import re
import tempfile
import unittest
from pathlib import Path

from program import run

TWO = """
job: two
market:
  use: only
  own: [{name: box, gpu: H100 SXM, gpus: 2}]
phases:
  - name: first
    setup: {run: "echo prepared >> prepared.txt", time: 1 min}
    train: &train {model: {layers: 12, hidden: 768, vocab: 65536}, data: {tokens: 100M}, sequence: 1024, batch: {sequences: 64}}
    command: trainer {micro} {gpus}
    metrics: {a: 'a: ([0-9.]+)'}
    succeed_when: [a > 1]
  - name: second
    needs: [first]
    before: {note: "edit somebody's file", time: 1 min}
    train: *train
    command: trainer {micro} {gpus}
"""


def scripts_of(folder, number=None):
    """The scripts of phases, that of one phase too where a single script beside README.md holds all."""
    found = sorted(Path(folder).glob(f"phases/{number or '[0-9]*'}-*.sh" if number else "phases/[0-9]*.sh"))
    return found or sorted(path for path in Path(folder).glob("*.sh") if re.search(r"^phase=", path.read_text(encoding="utf-8"), re.M))


def files_of(script):
    """The folder of what the phase reads."""
    slug = re.search(r"^slug='?([a-z0-9-]+)", script.read_text(encoding="utf-8"), re.M).group(1)
    return (script.parent if script.parent.name == "phases" else script.parent / "phases") / slug


class Folder(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        self.job = self.folder / "two.yaml"
        self.job.write_text(TWO)
        self.out = self.folder / "out"

    def tearDown(self):
        self.temporary.cleanup()

    def launch(self, *words, job=None):
        return run("launch", str(job or self.job), "--to", "bash", "-o", str(self.out), *words)
