#!/usr/bin/env python3
"""What stored and own prices are trusted with: sanity, single machines, stock, damaged stores:
tests/cli/prices_trust_test.py PROGRAM"""

import json
import tempfile
import unittest
from pathlib import Path

from program import main, run

OWN = "provider,gpu,gpus,price_per_hour,region,date\n"


class Trust(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = Path(kept.name)
        self.store = str(self.folder / "prices.db")

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def prices(self, *words, code=0, **more):
        done = run("prices", *words, "--store", self.store, **more)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def imported(self, name, text, *words):
        told = json.loads(self.prices("import", self.file(name, text), *words, "--json").stdout)
        self.assertEqual(told["rows"], told["kept"] + told["rejected"])
        return told

    def test_rows_of_one_call_do_not_vouch_for_each_other(self):
        for gpu, prices in (("A100 SXM 80GB", (0.14, 0.15)), ("H100 SXM", (2.49, 2.99)), ("H200 SXM", (0.39, 0.4))):
            rows = "".join(f"new{i},{gpu},8,{price},us,2026-11-20\n" for i, price in enumerate(prices))
            self.assertEqual(self.imported("two.csv", OWN + rows, "--dry-run")["kept"], 0, gpu)

    def test_what_was_kept_against_advice_does_not_vouch(self):
        self.assertEqual(self.imported("a.csv", OWN + "acme,H100 SXM,8,2.49,us,2026-11-20\n", "--keep-unlikely")["kept"], 1)
        self.assertEqual(self.imported("b.csv", OWN + "bravo,H100 SXM,8,2.6,us,2026-11-20\n")["kept"], 0)
        self.assertEqual(self.imported("a2.csv", OWN + "acme,H100 SXM,8,2.3,us,2026-11-21\n")["kept"], 1)

    def test_a_slip_at_either_end_of_the_market(self):
        # A machine of eight at the price of one at the cheapest, and one GPU at the price of eight at the cheapest.
        rows = "acme,H100 SXM,8,6.16,us,2026-11-20\nacme,L40S,1,7.60,us,2026-11-20\n"
        self.assertEqual(self.imported("ends.csv", OWN + rows)["kept"], 0)
        rows = "acme,H100 SXM,8,16,us,2026-11-20\nacme,L40S,1,1.2,us,2026-11-20\n"
        self.assertEqual(self.imported("fair.csv", OWN + rows)["kept"], 2)


if __name__ == "__main__":
    main(__doc__)
