"""A job of two phases in a folder of a test's own, and its launch."""

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
