#!/usr/bin/env python3
"""The store of prices when things go wrong: killed imports, two at once, disks that take nothing:
tests/cli/prices_store_test.py PROGRAM"""

import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from program import PROGRAM, environment, main, run

HEAD = "provider,region,zone,instance,gpu,gpus,price_per_hour,spot_price_per_hour,billing_increment_seconds,source,as_of\n"


def price_list(rows, step, day):
    """Believable prices that differ from row to row, and all of them from step to step."""
    return HEAD + "".join(f"aws,r{i % 7},,m{i},H100 SXM,8,{20 + step / 20 + i / 1000:.3f},,1,a list,{day}\n"
                          for i in range(rows))


class Folder(unittest.TestCase):
    def setUp(self):
        self.kept = tempfile.TemporaryDirectory()
        self.addCleanup(self.kept.cleanup)
        self.folder = Path(self.kept.name)
        self.store = self.folder / "prices.db"

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def prices(self, action, *words, **more):
        return run("prices", action, *words, "--store", str(self.store), **more)

    def imported(self, *words, **more):
        done = self.prices("import", *words, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done

    def exported(self):
        done = self.prices("export")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def check(self):
        with sqlite3.connect(self.store) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])


ROWS = 200
TOLD_LAST = ("SELECT (p.price * 3600 - 20 - substr(t.text, 2) / 1000.0) * 20 FROM prices p JOIN series s ON s.id = p.series JOIN texts t "
             "ON t.id = s.instance WHERE p.last_import = (SELECT max(id) FROM imports)")


class Killed(Folder):
    def started(self, name, store):
        return subprocess.Popen([PROGRAM, "prices", "import", name, "--store", str(store)], env=environment(),
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def content(self, store):
        """The step of the last import that was kept, from each price of the list."""
        with sqlite3.connect(store) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            steps = [round(row[0]) for row in database.execute(TOLD_LAST)]
        self.assertEqual((len(steps), len(set(steps))), (ROWS, 1), "all or nothing")
        return steps[0]

    def test_killed_imports_lose_nothing(self):
        self.imported(self.file("first.csv", price_list(ROWS, 10, "2026-11-01")))
        begun = time.monotonic()
        self.imported(self.file("first.csv", price_list(ROWS, 11, "2026-11-01")))
        whole = time.monotonic() - begun
        chance, journal, before, killed, number = random.Random(1), Path(f"{self.store}-journal"), 11, 0, 20
        while killed < 180:  # and 20 first imports below: 200 points
            number += 1
            # Every import changes every price, so that each point of it matters.
            process = self.started(self.file("next.csv", price_list(ROWS, number, "2026-11-02")), self.store)
            if number % 2 == 0:  # anywhere in an import, however long one takes on the machine as busy as it is
                time.sleep(chance.random() * whole)
            else:  # while the file is changed
                until = time.monotonic() + 2
                while not journal.exists() and process.poll() is None and time.monotonic() < until:
                    pass
                time.sleep(chance.random() * whole / 4)
            process.send_signal(signal.SIGKILL)
            ended = process.wait()
            self.assertIn(ended, (0, -signal.SIGKILL))
            killed += ended == -signal.SIGKILL
            whole *= 1.05 if ended else 0.8
            if number % 10 < 2:  # the program itself takes back what was begun
                self.assertEqual(len(self.exported().splitlines()), 1 + ROWS)
            after = self.content(self.store)
            self.assertIn(after, (before, number))
            before = after
        self.imported(self.file("last.csv", price_list(ROWS, number + 1, "2026-11-03")))
        self.assertEqual(self.content(self.store), number + 1)
        self.assertEqual(sorted(name.name for name in self.folder.glob("prices.db*")), ["prices.db", "prices.db.ready"])

    def test_killed_first_imports_leave_no_ruin(self):
        name = self.file("list.csv", price_list(ROWS, 10, "2026-11-01"))
        chance = random.Random(2)
        for number in range(20):
            store = self.folder / f"new{number}.db"
            process = self.started(name, store)
            time.sleep(chance.random() * 0.05)
            process.send_signal(signal.SIGKILL)
            process.wait()
            planned = run("offers", "H100", GPUPLAN_STORE=str(store))
            self.assertEqual(planned.returncode, 0)
            self.assertIn(planned.stderr, ("", f"gpuplan: {store} (GPUPLAN_STORE): no such file; no stored prices are used\n"))
            done = run("prices", "import", name, "--store", str(store))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(self.content(store), 10)


class Long(Folder):
    def ledger(self, machines, days):
        """Records as a ledger keeps them, each machine at a price that changes now and then."""
        path = self.folder / f"ledger-{machines}-{days}.jsonl"
        with open(path, "w") as out:
            for day in range(days):
                for machine in range(machines):
                    price = 16 + machine % 90 / 10 + day // 3 % 5 / 10
                    out.write(f'{{"provider": "host {machine % 5}", "gpu": "H100 SXM", "gpus": 8, "price_per_hour": {price:.2f}, '
                              f'"instance": "machine {machine}", "region": "r{machine % 40}", "date": "2026-11-{day + 1:02d}", '
                              f'"remarks": "{"x" * 200}"}}\n')
        return path

    def test_memory_does_not_grow_with_the_list(self):
        path = self.ledger(6000, 21)
        self.assertGreater(path.stat().st_size, 45_000_000)
        done = subprocess.run([PROGRAM, "prices", "import", str(path), "--store", str(self.store), "--json"], env=environment(),
                              capture_output=True, text=True, timeout=300,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (100_000_000, 100_000_000)))
        self.assertEqual((done.returncode, done.stderr), (0, ""), "all of its offers held at once take more than twice that")
        told = json.loads(done.stdout)
        self.assertEqual((told["rows"], told["kept"]), (126_000, 126_000))
        self.assertEqual(self.exported().count("\n"), 1 + 6000)

    def test_memory_does_not_grow_with_products_whose_prices_come_later(self):
        path, machines = self.folder / "aws.json", 150_000
        with open(path, "w") as out:
            out.write('{"offerCode": "AmazonEC2", "publicationDate": "2026-11-15T00:00:00Z", "products": {"X": {}')
            for i in range(machines):
                out.write(f',\n"{i:016d}": {{"productFamily": "Compute Instance", "attributes": {{"instanceType": "p5.48xlarge", '
                          f'"operatingSystem": "Linux", "gpu": "8", "regionCode": "us-east-{i % 9}"}}}}')
            out.write('}, "terms": {"OnDemand": {')
            out.write(",".join(f'"{i:016d}": {{"t": {{"priceDimensions": {{"d": {{"unit": "Hrs", "pricePerUnit": {{"USD": "{50 + i / 1e5}"}}}}}}}}}}'
                               for i in range(0, machines, 10)))
            out.write("}}}")
        done = subprocess.run([PROGRAM, "prices", "import", str(path), "--store", str(self.store), "--json"], env=environment(),
                              capture_output=True, text=True, timeout=300,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (100_000_000, 100_000_000)))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = json.loads(done.stdout)
        self.assertEqual((told["rows"], told["kept"]), (machines + 1, machines // 10))

    def test_long_lists_are_judged_as_short_ones(self):
        path = self.ledger(3000, 7)
        lines = path.read_text().splitlines()
        dear = lines[0].replace('16.00', '1600').replace('machine 0', 'machine x')
        future = lines[1].replace('2026-11-01', '2027-11-01')
        path.write_text("\n".join([*lines[:-1], dear, future, lines[5], lines[-1]]))
        done = self.prices("import", str(path), "--json", "--details")
        told = json.loads(done.stdout)
        self.assertEqual((told["rows"], told["kept"], told["rejected"]), (21_003, 21_000, 3))
        self.assertEqual({one["reason"]: one["rows"] for one in told["rejections"]},
                         {"a price far above what others ask": 1, "a date in the future": 1, "the same row again": 1})
        self.assertEqual({note["row"] for note in told["notes"]}, {21_000, 21_001})
        stored = self.exported()
        self.assertEqual(len(stored.splitlines()), 3001)
        again = self.prices("import", str(path), "--dry-run", "--json")
        self.assertEqual(json.loads(again.stdout)["kept"], 21_000)
        self.assertEqual(self.exported(), stored)
        (self.folder / "parts").mkdir()
        for part in range(3):
            (self.folder / f"parts/{part}.jsonl").write_text("\n".join(path.read_text().splitlines()[part::3]))
        other = self.folder / "other.db"
        run("prices", "import", str(self.folder / "parts"), "--store", str(other))
        self.assertEqual(run("prices", "export", "--store", str(other)).stdout.replace("own JSON, a record a line", "own JSON"),
                         stored.replace("own JSON, a record a line ledger-3000-7", "own JSON"))

    def test_a_list_that_breaks_off_leaves_nothing(self):
        path = self.ledger(3000, 7)
        with open(path, "a") as out:
            out.write('{"gpu": "H1')
        done = self.prices("import", str(path))
        self.assertEqual(done.returncode, 5)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("cut short", done.stderr)
        self.assertLessEqual(self.prices("export").stdout.count("\n"), 1)


class Together(Folder):
    def test_dates_in_names_make_one_source_other_digits_several(self):
        def row(price, day, instance):
            return f"provider,gpu,gpus,price_per_hour,region,instance,date\nacme,H100 SXM,8,{price},eu,{instance},{day}\n"
        for name, price, day, instance in (("partner1.csv", 22, "2026-11-20", "a"), ("partner2.csv", 23, "2026-11-21", "b"),
                                           ("weekly-2026-11-20.csv", 24, "2026-11-20", "c"),
                                           ("weekly_20261121 (2).csv", 25, "2026-11-21", "d")):
            self.imported(self.file(name, row(price, day, instance)))
        kept = [line for line in self.exported().splitlines() if "H100" in line]
        # The first weekly list is gone with the second; neither partner's is.
        self.assertEqual(sorted(line.split(",")[3] for line in kept), ["a", "b", "d"], kept)

    def test_two_imports_at_once(self):
        names = [self.file(f"list{i}.csv", price_list(300, 1 + i, "2026-11-01").replace("aws,", f"cloud{i},"))
                 for i in range(6)]
        all_of_them = [subprocess.Popen([PROGRAM, "prices", "import", name, "--store", str(self.store)],
                                        env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                       for name in names]
        for process in all_of_them:
            _, said = process.communicate(timeout=60)
            self.assertEqual((process.returncode, said), (0, b""))
        self.assertEqual(len(self.exported().splitlines()), 1 + 6 * 300)
        self.check()

    def test_says_who_writes(self):
        name = self.file("list.csv", price_list(3, 1, "2026-11-01"))
        self.imported(name)
        database = sqlite3.connect(self.store, isolation_level=None)
        database.execute("BEGIN IMMEDIATE")
        self.assertEqual(len(self.exported().splitlines()), 4)  # who reads does not wait
        done = self.prices("import", name)
        database.execute("ROLLBACK")
        database.close()
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, rf"is being written by process {os.getpid()} \(python3.*\); try again")
        self.assertEqual(done.stderr.count("\n"), 1)


class Disks(Folder):
    def test_file_that_cannot_grow(self):
        self.imported(self.file("first.csv", price_list(50, 10, "2026-11-01")))
        before = self.exported()
        name = self.file("big.csv", price_list(4000, 10, "2026-11-02"))
        done = subprocess.run([PROGRAM, "prices", "import", name, "--store", str(self.store)], env=environment(),
                              capture_output=True, text=True, timeout=60,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (120_000, 120_000)))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"^\S+prices\.db: .*nothing was changed\n$")
        self.assertEqual(self.exported(), before)
        self.check()

    @unittest.skipIf(os.geteuid() == 0 and not os.path.exists("/usr/bin/setpriv"), "root may write everywhere")
    def test_folder_without_permission(self):
        name = self.file("list.csv", price_list(3, 1, "2026-11-01"))
        self.imported(name)
        before = self.exported()
        self.folder.chmod(0o755)
        self.store.chmod(0o444)
        as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        self.folder.chmod(0o555)
        try:
            done = subprocess.run([*as_nobody, PROGRAM, "prices", "import", name, "--store", str(self.store)],
                                  env=environment(), capture_output=True, text=True, timeout=60)
            looked = subprocess.run([*as_nobody, PROGRAM, "prices", "export", "--store", str(self.store)],
                                    env=environment(), capture_output=True, text=True, timeout=60)
        finally:
            self.folder.chmod(0o755)
        if as_nobody and not os.access(PROGRAM, os.R_OK):
            self.skipTest("the program is out of reach")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"cannot be (written|read or written).*nothing was changed\n$")
        self.assertEqual((looked.returncode, looked.stdout), (0, before), looked.stderr)
        self.assertEqual(self.exported(), before)

    @unittest.skipIf(os.geteuid() != 0, "only root mounts disks")
    def test_disk_that_is_read_only(self):
        name = self.file("list.csv", price_list(3, 1, "2026-11-01"))
        self.imported(name)
        before = self.exported()
        disk = ["unshare", "-m", "sh", "-c", 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"', str(self.folder)]
        if subprocess.run([*disk, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no namespaces for mounts here")
        ran = [subprocess.run([*disk, PROGRAM, *words, "--store", str(self.store)], env=environment(), capture_output=True,
                              text=True, timeout=60)
               for words in (("prices", "import", name), ("prices", "export"), ("offers", "H100:8", "--json"))]
        self.assertNotEqual(ran[0].returncode, 0)
        self.assertRegex(ran[0].stderr, r"read-only disk.*nothing was changed\n$")
        self.assertEqual((ran[1].returncode, ran[1].stdout, ran[2].returncode), (0, before, 0))
        self.check()
        new = subprocess.run([*disk, PROGRAM, "prices", "import", name, "--store", str(self.folder / "new.db")],
                             env=environment(), capture_output=True, text=True, timeout=60)
        self.assertRegex(new.stderr, r"new\.db: cannot be made there \(Read-only file system\); name another file with --store\n$")

    def test_other_files_stay_as_they_are(self):
        name = self.file("list.csv", price_list(3, 1, "2026-11-01"))
        other = self.folder / "other.db"
        with sqlite3.connect(other) as database:
            database.execute("CREATE TABLE mine (x)")
        for path in (other, Path(name)):
            before = path.read_bytes()
            for words in (["import", name], ["status"], ["export"], ["watch"], ["history", "H100"]):
                done = run("prices", *words, "--store", str(path))
                self.assertEqual(done.returncode, 5, words)
                self.assertIn("stays as it is", done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)
            self.assertEqual(path.read_bytes(), before)
        planned = run("plan", "--model", "gpt2", "--tokens", "1M", GPUPLAN_STORE=str(other))
        self.assertIn("stored prices are not used", planned.stderr)
        self.assertEqual(planned.returncode, 0)


if __name__ == "__main__":
    main(__doc__, at_once=4)
