"""A folder with price lists and a store of them, of its own for each test."""

import tempfile
import unittest
from pathlib import Path

from program import run


class PriceFolder(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = Path(kept.name)
        self.store = str(self.folder / "data" / "prices.db")

    def file(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return str(path)

    def prices(self, *words, code=0, **more):
        done = run("prices", *words, "--store", self.store, **more)
        self.assertEqual(done.returncode, code, done.stderr)
        return done
