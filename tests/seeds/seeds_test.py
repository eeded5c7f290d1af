#!/usr/bin/env python3
"""The numbers of five hand-made planning documents, recomputed by the program from the documents' own inputs.

    tests/seeds/seeds_test.py build/release/gpuplan [unittest options]

decided.csv holds a row for each claim that is wrong or contradicts another and that the program decides:

    document, claim   the file in the public repository, and what it says, in few words
    command           words after "gpuplan"; --json is added unless `says` is given; `against` is a second command
    exit              the exit code expected
    value             an expression over {paths} into the JSON, such as {plans[gpu=B200].hours.p50} * 60; paths that
                      begin with "against:" look into the second command's
    expected          a number, a range A..B, or a word; numbers may be off by `tolerance` (absolute, or 1% of expected)
    document_says     what must not come out: a number (met within half a percent), a range A..B (met when both ends
                      are; a value inside the range is no proof), or a word; empty where there is nothing to meet
    says              a regular expression for what the command prints, in place of a value

docs/seeds.md quotes commands; every one of them is run too. shown.csv holds, for each of its rows of the five documents,
what the row's commands together have to show:

    document, item    the heading's number, and how the row's first cell begins
    shows             regular expressions, parted by " ;; ", for the words that the commands print (blanks made one)

Prints "counted PASSED FAILED" last, for ./test.
"""

import csv
import json
import re
import shlex
import sys
import tempfile
import unittest
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cli"))
from program import ROOT, main, run  # noqa: E402

DECIDED = ROOT / "tests/seeds/decided.csv"
GUIDE = ROOT / "docs/seeds.md"
SHOWN = ROOT / "tests/seeds/shown.csv"


@cache
def outcome(command, json_wanted):
    words = shlex.split(command)
    if json_wanted and "--json" not in words:
        words.append("--json")
    done = run(*words)
    return done.returncode, done.stdout, done.stderr


def look_up(document, path):
    """The value at a path: names, [position], [#] for the length, [name=value,...]; "path|name" takes the id at the path
    and looks up the name in the plan of that id."""
    if "|" in path:
        path, rest = path.split("|")
        return look_up(document, f"plans[id={look_up(document, path)}].{rest}")
    value = document
    for name, inside in re.findall(r"([A-Za-z_0-9]+)|\[([^\]]*)\]", path):
        if name:
            value = value[name]
        elif re.fullmatch(r"-?\d+", inside):
            value = value[int(inside)]
        elif inside == "#":
            value = len(value)
        else:
            wanted = [part.split("=", 1) for part in inside.split(",")]
            rows = [row for row in value if all(str(row[key]) == text for key, text in wanted)]
            if len(rows) != 1:
                raise LookupError(f"{len(rows)} rows match [{inside}]")
            value = rows[0]
    return value


def worth(expression, document, other):
    """A number, a word, true, false or null."""
    def value(path):
        if path.startswith("against:"):
            return look_up(other, path.removeprefix("against:"))
        return look_up(document, path)

    if re.fullmatch(r"\{[^{}]*\}", expression):
        return value(expression[1:-1])
    arithmetic = re.sub(r"\{([^{}]*)\}", lambda match: repr(float(value(match[1]))), expression)
    if not re.fullmatch(r"[-+*/() 0-9.e]+", arithmetic):
        raise ValueError(f"not arithmetic: {arithmetic}")
    return eval(arithmetic)  # noqa: S307  checked in the line above


def span(text):
    """(low, high) of "A..B" or of a single number; None when it is neither."""
    parts = text.split("..")
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        return None
    return (numbers[0], numbers[-1]) if len(numbers) <= 2 else None


def word_of(value):
    return json.dumps(value) if value is None or isinstance(value, bool) else str(value)


class Decided(unittest.TestCase):
    """One test a row; made below."""

    def check(self, row):
        says = row["says"]
        code, out, err = outcome(row["command"], not says)
        self.assertEqual(code, int(row["exit"]), err)
        if says:
            self.assertRegex(re.sub(r"\s+", " ", out + err), says)
            return
        document = json.loads(out)
        other = json.loads(outcome(row["against"], True)[1]) if row["against"] else None
        value = worth(row["value"], document, other)
        wanted = span(row["expected"])
        if wanted is None or isinstance(value, bool) or value is None or isinstance(value, str):
            self.assertEqual(word_of(value), row["expected"])
            self.assertNotEqual(word_of(value), row["document_says"])
            return
        tolerance = row["tolerance"] or "0.5%"
        off = max(map(abs, wanted)) * float(tolerance[:-1]) / 100 if tolerance.endswith("%") else float(tolerance)
        self.assertGreaterEqual(value, wanted[0] - off)
        self.assertLessEqual(value, wanted[1] + off)
        theirs = span(row["document_says"])
        if theirs is not None and theirs[0] == theirs[1]:
            self.assertGreater(abs(value - theirs[0]), 0.005 * abs(theirs[0]), "the document's value came out")
        elif theirs is not None:
            self.assertFalse(theirs[0] <= value <= theirs[1], "a value that the document gives came out")


class Guide(unittest.TestCase):
    """docs/seeds.md: no empty cell, and every command that it quotes runs."""

    def test_every_command_runs(self):
        text = GUIDE.read_text(encoding="utf-8")
        commands = sorted(set(re.findall(r"`gpuplan ([^`]+)`", text)))
        self.assertGreater(len(commands), 30)
        for command in commands:
            with self.subTest(command=command):
                words = command.replace("\\|", "|")
                with tempfile.TemporaryDirectory() as folder:
                    if command.startswith("launch "):
                        words += f" -o {folder}/out"
                    code, _, err = outcome(words, False)
                self.assertIn(code, (0, 3, 4, 5, 6), err)
                if code == 5:  # refused, and the row says that it is
                    row = next(line for line in text.splitlines() if f"`gpuplan {command}`" in line)
                    self.assertIn("exit code 5", row)

    def test_no_cell_is_empty(self):
        rows = [line for line in GUIDE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
        self.assertGreater(len(rows), 100)
        for line in rows:
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
            self.assertTrue(all(cells), line)


class Shown(unittest.TestCase):
    """Each row of the guide shows what it says it shows."""

    def rows(self):
        document = ""
        for line in GUIDE.read_text(encoding="utf-8").splitlines():
            if line.startswith("## "):
                document = line[3:6]
            if document.isdigit() and line.startswith("| ") and not line.startswith(("| ---", "| item")):
                cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
                yield document, cells[0], [command.replace("\\|", "|") for command in re.findall(r"`gpuplan ([^`]+)`", cells[1])]

    def test_every_row(self):
        with open(SHOWN, encoding="utf-8", newline="") as file:
            wanted = list(csv.DictReader(file))
        rows = list(self.rows())
        self.assertGreater(len(rows), 100)
        for document, item, commands in rows:
            with self.subTest(document=document, item=item):
                known = [row for row in wanted if row["document"] == document and item.startswith(row["item"])]
                self.assertEqual(len(known), 1, "a row in tests/seeds/shown.csv")
                text = ""
                for command in commands:
                    with tempfile.TemporaryDirectory() as folder:
                        words = shlex.split(command) + (["-o", f"{folder}/out"] if command.startswith("launch ") else [])
                        done = run(*words, COLUMNS="200")
                    text += " " + done.stdout + done.stderr
                text = re.sub(r"\s+", " ", text)
                for shows in known[0]["shows"].split(" ;; "):
                    self.assertRegex(text, shows)

    def test_no_row_too_many(self):
        rows = list(self.rows())
        with open(SHOWN, encoding="utf-8", newline="") as file:
            for wanted in csv.DictReader(file):
                self.assertTrue(any(document == wanted["document"] and item.startswith(wanted["item"])
                                    for document, item, _ in rows), wanted["item"])


class Launched(unittest.TestCase):
    """The scripts, batch jobs and searches that the documents write by hand."""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.out = Path(self.temporary.name) / "out"

    def tearDown(self):
        self.temporary.cleanup()

    def launch(self, job, launcher, *words):
        done = run("launch", f"examples/{job}.yaml", "--to", launcher, "-o", str(self.out), *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {str(path.relative_to(self.out)): path.read_text() for path in self.out.rglob("*") if path.is_file()}

    def test_twelve_scripts_of_the_training_guide(self):
        files = self.launch("trm-nanochat", "bash", "--plan", "all")
        heads = {name: text for name, text in files.items() if re.search(r"/phases/0[12]-\w+\.sh$", name)}
        self.assertEqual(len(heads), 12)
        for name, text in heads.items():
            for said in ("# time ", "# cost ", "# memory ", "# succeeds   when refinement in ", "# yields "):
                self.assertIn(said, text, name)
        commands = [text for name, text in files.items() if name.endswith("/command.sh")]
        self.assertEqual(len(commands), 12)
        for text in commands:  # 28, 14 and the like do not divide 524,288 tokens
            gpus, micro = (int(re.search(rf"--{flag}=(\d+)", text).group(1))
                           for flag in ("nproc_per_node", "device_batch_size"))
            self.assertEqual(524_288 % (gpus * micro * 2048), 0, text)
        setups = {text for name, text in files.items() if name.endswith("/setup.sh")}
        self.assertEqual(len(setups), 1)
        self.assertIn("python -m scripts.tok_train", setups.pop())
        for name, text in heads.items():
            if "02-produce" in name:
                self.assertIn("manual='nanochat/gpt.py: supervision_weight_base 10.0", text)
                self.assertIn("needs=('01-validate')", text)
            else:
                self.assertIn("gated=1", text)

    def test_searches_of_the_marketplace(self):
        text = self.launch("collection", "vast")["vast/rent.sh"].replace("'\\''", "'")
        searches = re.findall(r"vastai search offers '([^']*)'.* -o '([^']*)'", text)
        self.assertGreater(len(searches), 3)
        for query, order in searches[:-1]:
            self.assertEqual(order, "dph")  # upwards: the cheapest first
            self.assertRegex(query, r"\bnum_gpus=[14]\b")  # no machines of 8 and 16
        gpus = [re.search(r"gpu_name=(\w+)", query).group(1) for query, _ in searches[:-1]]
        self.assertEqual(gpus[0], "RTX_5090")
        self.assertIn("RTX_3090", gpus)
        query, order = searches[-1]  # any GPUs that hold it
        self.assertNotIn("gpu_name", query)
        self.assertEqual(order, "dlperf_usd-")  # downwards: the most for a dollar first

    def test_three_jobs_for_the_cluster(self):
        files = self.launch("latentwire", "slurm", "--plan", "all")
        asked = {}
        for name, text in files.items():
            if "\n#SBATCH --gpus-per-node=" in text:
                options = dict(re.findall(r"^#SBATCH --([a-z-]+)=(\S+)", text, flags=re.M))
                asked[int(options["gpus-per-node"].split(":")[-1])] = options
        self.assertEqual(sorted(asked), [1, 2, 4])
        for gpus, options in asked.items():
            hours, minutes, _ = (int(part) for part in options["time"].split(":"))
            self.assertLessEqual(hours + minutes / 60, 12)
            self.assertGreater(hours + minutes / 60, {1: 5.6, 2: 3.2, 4: 1.9}[gpus])  # --time is not below the plan
            self.assertGreater(int(options["mem"].rstrip("G")), 30)  # two checkpoints lie in it
            self.assertEqual(options["partition"], "preempt")
        self.assertGreater(int(asked[4]["mem"].rstrip("G")), int(asked[1]["mem"].rstrip("G")))  # not less for four
        four = next(text for name, text in files.items() if name.startswith("4x") and "\n#SBATCH" in text)
        self.assertIn("torchrun", four)  # one process for each GPU, not one in all

    def test_checkpoints_of_the_node(self):
        files = self.launch("sft-node", "bash")
        settings = json.loads(files["phases/02-sft/settings.json"])
        text = json.dumps(settings)
        self.assertRegex(text, r'"\w*(save|checkpoint)\w*": ')
        keeps = [value for name, value in settings.items() if "keep" in name or "save_total" in name]
        self.assertTrue(all(value in (None, 0, -1, "all") for value in keeps), keeps)  # all of them


class Checked(unittest.TestCase):
    """Logs in the form of the training guide, with the refinements that it writes down."""

    def check(self, log, phase):
        done = run("check", f"tests/seeds/{log}.log", "--job", "examples/trm-nanochat.yaml", "--phase", phase)
        return done.returncode, done.stdout

    def test_its_first_sample_passes(self):
        code, text = self.check("trm-validate", "validate")
        self.assertEqual(code, 0, text)
        self.assertIn("19%", text)

    def test_its_second_sample_is_above_what_it_asks_for(self):
        code, text = self.check("trm-produce", "produce")
        self.assertEqual(code, 6, text)
        self.assertIn("97.1%", text)

    def test_poor_refinement_is_not_enough_and_says_what_to_do(self):
        code, text = self.check("trm-weak", "validate")
        self.assertEqual(code, 6, text)
        self.assertIn("7.98%", text)
        self.assertIn("learning rate", text)

    def test_out_of_memory_halves_the_batch(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log.txt"
            log.write_text((ROOT / "tests/seeds/trm-validate.log").read_text().split("step 00040")[0] +
                           "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 16.00 GiB.\n")
            done = run("check", str(log), "--job", "examples/trm-nanochat.yaml", "--phase", "validate")
        self.assertEqual(done.returncode, 6, done.stdout)
        self.assertRegex(done.stdout, r"micro-batch .*16")


def add_rows():
    with open(DECIDED, encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file), start=2):
            name = re.sub(r"\W+", "_", f"{row['document']} {row['claim']}")[:80]
            setattr(Decided, f"test_line_{number:03}_{name}", lambda self, row=row: self.check(row))


if __name__ == "__main__":
    add_rows()
    main(__doc__)
