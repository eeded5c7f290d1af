#!/usr/bin/env python3
"""Strings that try to become shell, YAML, Python, SQL or terminal commands, in every field that launch scripts are
written from, under every launcher: nothing of them is executed, nothing is lost, and what can not be is one clear line.

    tests/cli/hostile_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import csv
import io
import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml
from program import NO_GPUS, environment, main, run

LAUNCHERS = ["bash", "slurm", "skypilot", "dstack", "kubernetes", "vast", "runpod"]
TOUCH = "touch PWNED"

SHELL = [f"; {TOUCH}", f"$({TOUCH})", f"`{TOUCH}`", f"| {TOUCH}", f"&& {TOUCH}", f"|| {TOUCH}", f"& {TOUCH} &",
         f"'; {TOUCH} #", f"\"; {TOUCH} #", f"\\'; {TOUCH} #", f"\\\"; {TOUCH} #", f"'$({TOUCH})'", f"\"$({TOUCH})\"",
         "${IFS}touch${IFS}PWNED", ">PWNED", "<>PWNED", f"<({TOUCH})", "{touch,PWNED}", "!!", f"!{TOUCH}", "$((1+1))",
         f"$[$({TOUCH})]", "$HOME", "${PATH}", f"${{x:-$({TOUCH})}}", "$'\\x27'", "~root", "*", "?", "[a-z]", "-rf /",
         "--help", "-o PWNED", "EOF", f"EOF; {TOUCH}", "END", f"}}; {TOUCH}; {{", f") ; {TOUCH} ; (", f"done; {TOUCH}",
         f"#SBATCH --wrap='{TOUCH}'", "%j%x", "%s%n%x", "\\", "\\\\", "a\\", "'\"'\"'", "$IFS$9", f"x=$({TOUCH})",
         f"eval {TOUCH}", f"a || exec {TOUCH}"]
YAML = ["a: b", "- x", f"!!python/object/apply:os.system ['{TOUCH}']", "&a *a", "*a", "| x", "> x", "{a: b}", "[a, b]",
        "# comment", "x # comment", "---", "...", "%YAML 1.2", "null", "~", "yes", "No", "0x1F", "1e9", "2001-01-01",
        "<<: x", "? x", "@x", ": x", "x:", f"}}, run: '{TOUCH}', {{a: b", f"', run: '{TOUCH}", "\", \"a\": \"b", "0o17",
        ".inf", ".nan", "12:30:45"]
PYTHON = [f"__import__('os').system('{TOUCH}')", f"'); __import__('os').system('{TOUCH}'); ('", "\"\"\"", "'''",
          f"\"\"\"; import os; os.system('{TOUCH}')", "{0.__class__}", "%(name)s", "\\N{BULLET}", "\\u0041", "f'{1}'",
          f"{{__import__('os').system('{TOUCH}')}}", "lambda: 0"]
SQL = ["' OR '1'='1", "'; DROP TABLE runs; --", "\"; DROP TABLE runs; --", "1); DELETE FROM offers; --",
       "Robert'); DROP TABLE students;--", "' UNION SELECT 1 --", "%_%", "0; ATTACH 'x' AS y"]
OTHER = ["<script>alert(1)</script>", "</script>", "[x](javascript:alert(1))", "![](http://x)", "| a | b |",
         "{{ 7*7 }}", "{% raw %}", "${{ secrets.TOKEN }}", "<!--", "-->", "&amp;", "http://x/?a=b&c=d", "../../etc/passwd",
         "/etc/passwd", "C:\\con", ".", "..", "a/b", "a//b", "-", "--", "''", "\"\"", "\t", "é", "日本語", "😀", "ａ",
         "a" * 300]
MOVING = ["\u202etxt", "a\u2028b", "a\u2029b", "\ufeffa", "\u200fa", "\u2066a", "a\u200bb", "a\u200cb", "a\u200db", "\u2060a",
          "a\u00adb", "\u061ca", "\u206aa", "\U000e0041\U000e0042", "\U000e0001a\U000e007f", "\U000e0101", "a\u3164",
          "\u180ea", "\ufff9a\ufffbb"]
FORMULAS = ["=1+1", "=cmd|'/c calc'!A0", "@SUM(1+1)", "+1-1", "-1+1", "-2-3|x", " =1+1", "=HYPERLINK(\"http://x\")", "+", "-",
            "\uff1d1+1", "\uff20SUM(1)", "+cmd|' /C calc'!A0", "-x", "=", "@"]
WRAPS = ["{}", "x {}", "{} x", "'{}'", "\"{}\"", "({})", "{0}{0}", "a={}"]
ACCEPTED = list(dict.fromkeys(wrap.replace("{0}", core).replace("{}", core)
                              for core in SHELL + YAML + PYTHON + SQL + OTHER + MOVING + FORMULAS for wrap in WRAPS))
CONTROL = ["\x1b[31m", "\x1b[2J", "\x1b]0;title\x07", "\x9b31m", "\x00", "\x07", "\x08\x08", "\r", "\x7f", "\x85",
           f"a\n{TOUCH}", f"a\r\n{TOUCH}", f"a\nEOF\n{TOUCH}", "a\n#SBATCH --uid=0", f"a\nrun: {TOUCH}", "\x1bP", "\x0c",
           "\x0e", "\x1b[6n", "a\x1b[1A"]

# Characters that must not stand in what is written or printed, whatever a job holds.
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u2028-\u202e"
                    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]")
SAFE = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the parser in C is ten times as fast
NAME = re.compile(r"[a-zA-Z0-9._-]+")
STUBS = ["sbatch", "squeue", "scontrol", "scancel", "srun", "sky", "dstack", "kubectl", "vastai", "runpodctl", "ssh", "scp",
         "rsync", "gpuplan"]


def job_of(strings, pool):
    """A job with a string in every field that is free text, and how many it took."""
    source = iter(strings)
    taken = []

    def text():
        taken.append(next(source, "plain"))
        return taken[-1]

    model = {"layers": 12, "hidden": 768, "vocab": 65536}

    def phase(name, needs):
        return {"name": name, **({"needs": needs} if needs else {}), "note": text(), "yields": text(),
                "before": {"note": text() or "x", "time": "1 min"}, "args": {f"{name}_{i}": text() for i in range(4)},
                "command": "trainer {micro} {args}", "checkpoint": {"every": "10 min", "to": text()},
                "train": {"model": {**model, "name": text()}, "data": {"tokens": "100M"}, "sequence": 1024,
                          "batch": {"sequences": 64}, "parallel": {"tp": 1, "pp": 1, "cp": 1}}}

    job = {"job": text() or "x", "phases": [phase("first", []), phase("second", ["first"])]}
    if pool:
        job["market"] = {"use": "only", "pools": [{"name": text(), "gpu": "H100 SXM", "gpus": 4, "max_time": "12 h",
                                                   "partition": text(), "account": text(), "qos": text(),
                                                   "queue": text()}]}
    else:
        job["market"] = {"use": "only", "offers": [{"provider": text(), "region": text(), "instance": text(),
                                                    "gpu": "RTX 4090", "gpus": 1, "price": "$0.5/h", "label": text(),
                                                    "availability": text()}]}
    return job, taken


class Hostile(unittest.TestCase):
    parsed = set()  # texts of scripts that bash has read

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        stubs = self.folder / "stubs"
        stubs.mkdir()
        for name in STUBS:
            (stubs / name).write_text("#!/bin/sh\necho ' Complete '\n")
            (stubs / name).chmod(0o755)
        (stubs / "trainer").write_text('#!/bin/bash\nprintf "%s\\0" "$@" >"$GPUPLAN_RUN_DIR/words"\n')
        (stubs / "trainer").chmod(0o755)
        self.environment = environment(PATH=f"{stubs}:/usr/bin:/bin", HOME=str(self.folder), **NO_GPUS)

    def tearDown(self):
        self.temporary.cleanup()

    def nothing_happened(self):
        self.assertEqual([str(path) for path in self.folder.rglob("PWNED*")], [])

    def launch(self, job, launcher, where):
        path = self.folder / "job.yaml"
        path.write_text(json.dumps(job, ensure_ascii=False))
        return run("launch", str(path), "--to", launcher, "-o", str(where))

    def written(self, where):
        for path in where.rglob("*"):
            for part in path.relative_to(where).parts:
                self.assertRegex(part, NAME)
            if not path.is_file():
                continue
            text = path.read_text(encoding="utf-8")
            self.assertIsNone(UNSAFE.search(text), path)
            if path.suffix in (".yaml", ".yml"):
                self.assertTrue([document for document in yaml.load_all(text, Loader=SAFE) if document], path)
            elif path.suffix == ".json":
                json.loads(text)
        scripts = [str(path) for path in where.rglob("*") if path.suffix in (".sh", ".sbatch")]
        unread = []
        for path in scripts:
            text = Path(path).read_bytes()
            if text not in self.parsed:  # the same library lies in every folder
                unread.append(path)
                self.parsed.add(text)
        done = subprocess.run(["bash", "-c", 'for f; do bash -n "$f" || exit 1; done', "-", *unread], env=self.environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return scripts

    def start(self, script, **more):
        return subprocess.run(["bash", script], cwd=self.folder, env={**self.environment, **more}, capture_output=True,
                              text=True, errors="replace", timeout=300, stdin=subprocess.DEVNULL, check=False)

    def test_there_are_enough(self):
        self.assertGreaterEqual(len(ACCEPTED) + len(CONTROL), 1000)

    def text_stays_text(self, strings):
        left = list(strings)
        count = 0
        while left:
            job, taken = job_of(left, pool=count % 2 == 1)
            left = left[len(taken):]
            with self.subTest(strings=taken):
                for launcher in LAUNCHERS:
                    where = self.folder / f"{count}-{launcher}"
                    done = self.launch(job, launcher, where)
                    self.assertIsNone(UNSAFE.search(done.stdout), done.stdout)
                    if "pools" in job["market"] and done.returncode == 5:  # names that Slurm and Kueue do not take
                        self.assertRegex(done.stderr, r"^\S+/job\.yaml:1: .* is not a valid (Slurm|Kueue queue) name.*\n$")
                        self.assertFalse(where.exists())
                        plain = {"name": job["market"]["pools"][0]["name"], "gpu": "H100 SXM", "gpus": 4}
                        done = self.launch({**job, "market": {"use": "only", "pools": [plain]}}, launcher, where)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    scripts = self.written(where)
                    # Everything beside the phases, with stubs in place of the clouds' programs.
                    for script in scripts:
                        if launcher != "bash" and "/phases/" not in script and script.endswith(".sh") and not script.endswith("run.sh"):
                            self.start(script, GPUPLAN_WAIT="0")
                self.phases_run(self.folder / f"{count}-bash", job)
                self.nothing_happened()
            count += 1

    # All of them, in parts that run side by side.
    def test_text_stays_text_1(self):
        self.text_stays_text(ACCEPTED[:len(ACCEPTED) // 3])

    def test_text_stays_text_2(self):
        self.text_stays_text(ACCEPTED[len(ACCEPTED) // 3:2 * len(ACCEPTED) // 3])

    def test_text_stays_text_3(self):
        self.text_stays_text(ACCEPTED[2 * len(ACCEPTED) // 3:])

    def phases_run(self, where, job):
        for number, phase in enumerate(job["phases"], 1):
            runs = where / "runs" / f"0{number}-{phase['name']}"
            runs.mkdir(parents=True)
            (runs / "prepared").touch()
        for script in sorted(where.glob("*.sh")):  # one for each machine
            done = self.start(str(script))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for number, phase in enumerate(job["phases"], 1):
            words = (where / "runs" / f"0{number}-{phase['name']}" / "words").read_bytes().split(b"\0")[1:-1]
            self.assertEqual([word.decode() for word in words],
                             [f"--{name}={value}" for name, value in phase["args"].items()])

    def test_control_characters_are_refused_in_one_line(self):
        for number, text in enumerate(CONTROL):
            for place in ("args", "before", "provider", "job"):
                with self.subTest(text=text, place=place):
                    job, _ = job_of([], pool=False)
                    if place == "args":
                        job["phases"][0]["args"] = {"x": text}
                    elif place == "before":
                        job["phases"][0]["before"]["note"] = text
                    elif place == "provider":
                        job["market"]["offers"][0]["provider"] = text
                    else:
                        job["job"] = text
                    where = self.folder / f"c{number}-{place}"
                    done = self.launch(job, "slurm", where)
                    self.assertIsNone(UNSAFE.search(done.stderr.rstrip("\n")), done.stderr)
                    if done.returncode == 0:  # a line end in a text is text
                        self.written(where)
                    else:
                        self.assertEqual(done.returncode, 5)
                        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                        self.assertFalse(where.exists())
                    self.nothing_happened()

    def test_names_of_folders_and_files(self):
        for number, name in enumerate([f"$({TOUCH})", "a b", "it's", "-x", f"; {TOUCH}", "é", "\x1b[31mred", "new\nline"]):
            with self.subTest(name=name):
                folder = self.folder / f"n{number}"
                folder.mkdir()
                job, _ = job_of([], pool=False)
                path = folder / f"{name}.yaml"
                path.write_text(json.dumps(job))
                done = run("launch", str(path), "--to", "bash", "-o", str(folder / name))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIsNone(UNSAFE.search(done.stdout), done.stdout)
                self.written(folder / name)
                self.phases_run(folder / name, job)
                self.nothing_happened()

    def test_prices_of_hostile_lists(self):
        cells = [text for text in ACCEPTED if "\n" not in text and "\r" not in text][::9]
        prices = self.folder / "prices.csv"
        rows = ["gpu,gpus,price_per_hour,provider,region,instance"]
        for at in range(0, len(cells) - 2, 3):
            rows.append(",".join(["RTX 4090", "1", f"{0.5 + at * 1e-4:.4f}"] +
                                 ['"' + cell.replace('"', '""') + '"' for cell in cells[at:at + 3]]))
        prices.write_text("\n".join(rows) + "\n")
        job, _ = job_of([], pool=False)
        del job["market"]
        path = self.folder / "job.yaml"
        path.write_text(json.dumps(job))
        for launcher in LAUNCHERS:
            where = self.folder / f"p-{launcher}"
            done = run("launch", str(path), "--prices", str(prices), "--to", launcher, "-o", str(where))
            self.assertEqual(done.returncode, 0, done.stderr)
            for script in self.written(where):
                if "/phases/" not in script and script.endswith(".sh") and not script.endswith("run.sh"):
                    self.start(script, GPUPLAN_WAIT="0")
        self.nothing_happened()

    def generating(self, strings):
        """A job that generates and collects, with strings in the fields that training has not."""
        source = iter(strings)
        taken = []

        def text():
            taken.append(next(source, "plain"))
            return taken[-1]

        def data():
            return [{"name": text() or "x", "samples": 20, "prompt_tokens": 10, "new_tokens": 10}]

        def model():
            return {"like": "Qwen/Qwen2.5-0.5B", "name": text() or "x"}

        stage = text().strip() or "x"
        job = {"job": text() or "x", "storage": {"results": text() or "x"},
               "phases": [{"name": "gen", "note": text(), "generate": {"model": model(), "data": data()}},
                          {"name": "col", "yields": text(), "collect": {"model": model(), "data": data(),
                                                                         "store": {"layers": 2, "to": text() or "x"}}},
                          {"name": "work", "work": {"items": 5, "each": {stage: "2 s"}, "gpus": 1}}],
               "market": {"use": "only", "offers": [{"gpu": "RTX 4090", "gpus": 2, "price": "$1/h", "label": text(),
                                                     "provider": text(), "region": text()}]}}
        return job, taken

    def safe_streams(self, done):
        self.assertIsNone(UNSAFE.search(done.stdout), done.stdout)
        self.assertIsNone(UNSAFE.search(done.stderr), done.stderr)

    def test_generation_collection_and_stages(self):
        left = list(ACCEPTED)[::3]
        count = 0
        while left:
            job, taken = self.generating(left)
            left = left[len(taken):]
            with self.subTest(strings=taken):
                path = self.folder / "job.yaml"
                path.write_text(json.dumps(job, ensure_ascii=False))
                launcher = LAUNCHERS[count % len(LAUNCHERS)]
                done = self.launch(job, launcher, self.folder / f"g{count}")
                self.safe_streams(done)
                self.assertIn(done.returncode, (0, 5), done.stderr)
                if done.returncode == 5:
                    self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                    self.assertRegex(done.stderr, r"job\.yaml:\d+: ")
                else:
                    self.written(self.folder / f"g{count}")
                self.every_form(path)
                self.nothing_happened()
            count += 1
            if count > 60:
                break

    def every_form(self, path, *more):
        for form in ([], ["--csv"], ["--markdown"], ["--json"], ["--explain"]):
            done = run("plan", str(path), *more, *form)
            self.assertIn(done.returncode, (0, 3, 4, 5), done.stderr)
            self.safe_streams(done)
            if done.returncode == 5:
                return
            if form == ["--json"]:
                json.loads(done.stdout)
            if form == ["--csv"]:
                self.no_formula(done.stdout)

    def no_formula(self, text):
        for row in csv.reader(io.StringIO(text)):
            for cell in row:
                if re.fullmatch(r"[-+]?[\d.,]+(e[-+]?\d+)?", cell):
                    continue  # a number stays one
                self.assertNotRegex(cell, "^[ \t\r]*[=@\uff1d\uff20\uff0b\uff0d]")
                self.assertNotRegex(cell, r"^[ \t\r]*[-+][^\d]")

    def test_formulas_in_csv(self):
        for text in FORMULAS + MOVING:
            with self.subTest(text=text):
                offer = {"gpu": "H100 SXM", "price": "$2/h", "label": text, "provider": text, "region": text, "instance": text}
                job, _ = job_of([], pool=False)
                job["market"]["offers"] = [offer]
                path = self.folder / "job.yaml"
                path.write_text(json.dumps(job, ensure_ascii=False))
                self.every_form(path, "--all")
                for view in ("phases", "memory", "decisions", "ledger"):
                    done = run("plan", str(path), "--show", view, "--csv")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.safe_streams(done)
                    self.no_formula(done.stdout)

    def test_values_survive_in_json(self):
        """Escaped, not dropped: what a program reads back is what the job said."""
        for text in MOVING:
            job, _ = job_of([], pool=False)
            job["phases"][0]["args"] = {"x": text}
            job["market"]["offers"][0]["region"] = text
            where = self.folder / f"s{MOVING.index(text)}"
            done = self.launch(job, "bash", where)
            self.assertEqual(done.returncode, 0, done.stderr)
            plan = json.loads((where / "plan.json").read_text())
            self.assertIn(text, json.dumps(plan, ensure_ascii=False))
            kept = yaml.safe_load(plan["job_file"]["text"])
            self.assertEqual(kept["phases"][0]["args"]["x"], text)

    def test_names_of_jobs_and_outputs(self):
        for number, name in enumerate(["a\u202eb", "a\u200bb", "\U000e0041x", "=1+1", "@x", "\u2066y"]):
            with self.subTest(name=name):
                folder = self.folder / f"o{number}"
                folder.mkdir()
                job, _ = job_of([], pool=False)
                job.pop("job")
                path = folder / f"{name}.yaml"
                path.write_text(json.dumps(job))
                self.every_form(path)
                for words in (["plan", str(path), "-o", str(folder / f"{name}.txt")],
                              ["launch", str(path), "--to", "bash", "-o", str(folder / name)],
                              ["plan", str(folder / f"{name}.nosuch.yaml")]):
                    self.safe_streams(run(*words))
                self.assertIsNone(UNSAFE.search((folder / f"{name}.txt").read_text()))
                self.written(folder / name)


if __name__ == "__main__":
    main(__doc__, at_once=2)  # the longest of these files
