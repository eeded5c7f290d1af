#!/usr/bin/env python3
"""Where the program touches the world: files, full disks, locks, kills, little memory, and flags that make no sense.

    tests/cli/edges_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import fcntl
import json
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

from program import PROGRAM, ROOT, environment, main, run

JOB = "examples/collection.yaml"
LOG = "tests/seeds/trm-validate.log"
QUESTION = ["--model", "Qwen2.5-7B", "--tokens", "10M", "--method", "lora"]
# Every command that writes, with words that make it write something.
WRITERS = [["plan", JOB], ["plan", JOB, "--json"], ["plan", JOB, "--csv"], ["plan", JOB, "--markdown"], ["gpus"],
           ["offers"], ["model", "Llama-3.1-8B"], ["fit", "Llama-3.1-8B", "--gpu", "RTX 4090"], ["profiles", JOB],
           ["whatif", JOB, "--set", "samples=x2"], ["init", *QUESTION], ["schema"], ["completion", "bash"], ["man"],
           ["--version"], ["--help"], ["plan", "--help"], ["config", "show"], ["validate"],
           ["check", LOG, "--job", "examples/trm-nanochat.yaml", "--phase", "validate"]]
INTO_FILES = [words for words in WRITERS if words[0] in ("plan", "gpus", "offers", "model", "fit", "profiles", "whatif",
                                                         "init", "check") and "--help" not in words]


def limited(*words, limit=None, signals=None, **more):
    """The program with a limit of the system."""
    def before():
        if limit is not None:
            resource.setrlimit(*limit)
    return subprocess.run([PROGRAM, *words], cwd=ROOT, env=environment(**more), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120, preexec_fn=before, check=False)


class Case(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)

    def one_line(self, done, code):
        self.assertEqual(done.returncode, code, (done.args, done.stdout[:200], done.stderr))
        self.assertEqual(done.stderr.count("\n"), 1, (done.args, done.stderr))
        self.assertNotIn("internal error", done.stderr)
        self.assertNotIn("report it", done.stderr)

    def as_nobody(self, *words, stdin="", limit=None):
        """As somebody whom rights and limits hold: root is let through."""
        self.folder.chmod(0o777)
        program = self.folder / "gpuplan"
        shutil.copy(PROGRAM, program)

        def before():
            if os.geteuid() == 0:
                os.setgroups([])
                os.setresgid(65534, 65534, 65534)
                os.setresuid(65534, 65534, 65534)
            if limit is not None:
                resource.setrlimit(*limit)
        return subprocess.run([program, *words], cwd="/", env=environment(), input=stdin, capture_output=True, text=True,
                              timeout=120, preexec_fn=before, check=False)

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())


class Files(Case):
    def test_rights_and_links_stay(self):
        for words in INTO_FILES:
            with self.subTest(words=words):
                target = self.folder / "target.txt"
                link = self.folder / "link.txt"
                target.write_text("old")
                target.chmod(0o600)
                if not link.is_symlink():
                    link.symlink_to("target.txt")
                force = ["--force"] if words[0] == "init" else []
                done = run(*words, *force, "-o", str(link))
                self.assertIn(done.returncode, (0, 6), done.stderr)
                self.assertTrue(link.is_symlink())
                self.assertEqual(stat.S_IMODE(target.stat().st_mode), 0o600)
                self.assertNotEqual(target.read_text(), "old")
                self.assertEqual(self.names(), ["link.txt", "target.txt"])

    def test_a_new_file_has_the_rights_of_the_umask(self):
        target = self.folder / "new.txt"
        for mask in (0o022, 0o077, 0o002):
            target.unlink(missing_ok=True)
            before = os.umask(mask)
            try:
                self.assertEqual(run("gpus", "-o", str(target)).returncode, 0)
            finally:
                os.umask(before)
            self.assertEqual(stat.S_IMODE(target.stat().st_mode), 0o666 & ~mask)

    def test_links_of_links_and_links_to_nothing(self):
        (self.folder / "deep").mkdir()
        (self.folder / "a").symlink_to("deep/b")
        (self.folder / "deep" / "b").symlink_to("../c")
        self.assertEqual(run("gpus", "-o", str(self.folder / "a")).returncode, 0)
        self.assertTrue((self.folder / "a").is_symlink() and (self.folder / "deep" / "b").is_symlink())
        self.assertIn("H100", (self.folder / "c").read_text())
        (self.folder / "x").symlink_to("y")
        (self.folder / "y").symlink_to("x")
        self.one_line(run("gpus", "-o", str(self.folder / "x")), 1)

    def test_a_file_that_may_not_be_written_stays(self):
        target = self.folder / "mine.txt"
        target.write_text("mine")
        target.chmod(0o444)
        self.one_line(self.as_nobody("gpus", "-o", str(target)), 1)
        self.assertEqual(target.read_text(), "mine")

    def test_what_a_killed_one_left_goes_with_the_next(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        target = self.folder / "plan.txt"
        left = self.folder / f"plan.txt.tmp{gone.pid}"
        left.write_text("half")
        mine = self.folder / "plan.txt.tmp"
        mine.write_text("no process is named here")
        alive = self.folder / f"plan.txt.tmp{os.getpid()}"
        alive.write_text("its process lives")
        self.assertEqual(run("gpus", "-o", str(target)).returncode, 0)
        self.assertEqual(self.names(), sorted(["plan.txt", mine.name, alive.name]))

    def test_full_disks(self):
        for words in WRITERS:
            with self.subTest(words=words):
                with open("/dev/full", "wb") as full:
                    done = subprocess.run([PROGRAM, *words], cwd=ROOT, env=environment(), stdout=full, check=False,
                                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=60, text=True)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("No space left on device", done.stderr)

    def test_closed_stdout(self):
        for words in (["gpus"], ["plan", JOB, "--json"], ["--version"], ["init", *QUESTION]):
            with self.subTest(words=words):
                done = subprocess.run(["sh", "-c", '"$@" >&-', "-", PROGRAM, *words], cwd=ROOT, env=environment(),
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(done.returncode, 1)
                self.assertIn("can not write to standard output", done.stderr)

    def test_messages_never_go_into_a_result(self):
        target = self.folder / "job.yaml"
        done = subprocess.run(["sh", "-c", 'exec "$@" <&- >&- 2>&-', "-", PROGRAM, "init", *QUESTION, "-o", str(target)],
                              cwd=ROOT, env=environment(), timeout=60, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("gpuplan: wrote", target.read_text())

    def test_files_that_grow_too_large(self):
        for words in INTO_FILES:
            with self.subTest(words=words):
                target = self.folder / "target.txt"
                target.write_text("old")
                force = ["--force"] if words[0] == "init" else []
                done = limited(*words, *force, "-o", str(target), limit=(resource.RLIMIT_FSIZE, (64, 64)))
                self.one_line(done, 1)
                self.assertIn("File too large", done.stderr)
                self.assertEqual(target.read_text(), "old")
                self.assertEqual(self.names(), ["target.txt"])

    def test_no_place_to_write(self):
        for target in (self.folder / "nosuch" / "x.txt", self.folder):
            self.one_line(run("plan", JOB, "-o", str(target)), 1)
        self.assertEqual(self.names(), [])


class Memory(Case):
    def test_little_of_it_is_said_in_one_line(self):
        most = None
        for megabytes in (20, 24, 28, 32, 40, 48, 64, 96, 128, 192):
            limit = megabytes << 20
            done = limited("plan", JOB, "--jobs", "4", limit=(resource.RLIMIT_AS, (limit, limit)))
            if done.returncode == 127:
                continue  # not even the loader has enough
            if done.returncode == 0:
                most = megabytes
                break
            self.one_line(done, 1)
            self.assertIn("out of memory", done.stderr)
        self.assertIsNotNone(most)

    def test_no_threads(self):
        job = (ROOT / JOB).read_text()
        answers = [self.as_nobody("plan", "-", "--jobs", jobs, "--csv", stdin=job, limit=(resource.RLIMIT_NPROC, (0, 0)))
                   for jobs in ("1", "8")]
        self.assertEqual([done.returncode for done in answers], [0, 0], answers[1].stderr)
        self.assertEqual(answers[0].stdout, answers[1].stdout)


class Folders(Case):
    JOBS = ("examples/trm-nanochat.yaml", "examples/collection.yaml")

    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"

    def words(self, job=JOB, *more, out=None):
        return ["launch", job, "--to", "bash", "-o", str(out or self.out), *more]

    def of_one_plan(self, folder):
        """The job that all files of the folder are of."""
        jobs = set()
        for path in folder.rglob("*"):
            if path.is_file():
                text = path.read_text()
                jobs |= {job for job in self.JOBS if Path(job).stem in text or json_name(job) in text}
        return jobs

    def test_no_room(self):
        done = limited(*self.words(), limit=(resource.RLIMIT_FSIZE, (2000, 2000)))
        self.one_line(done, 1)
        self.assertEqual(self.names(), [])
        self.assertEqual(run(*self.words()).returncode, 0)
        before = {path: path.read_bytes() for path in self.out.rglob("*") if path.is_file()}
        done = limited(*self.words(self.JOBS[0], "--force"), limit=(resource.RLIMIT_FSIZE, (2000, 2000)))
        self.one_line(done, 1)
        self.assertEqual({path: path.read_bytes() for path in self.out.rglob("*") if path.is_file()}, before)

    def test_folders_above_go_again(self):
        deep = self.folder / "a" / "b" / "out"
        done = limited(*self.words(out=deep), limit=(resource.RLIMIT_FSIZE, (2000, 2000)))
        self.one_line(done, 1)
        self.assertEqual(self.names(), [])
        self.assertEqual(run(*self.words(out=deep)).returncode, 0)
        self.assertTrue((deep / "run.sh").exists())

    def test_no_right_to_write(self):
        if os.geteuid() == 0:
            for out in ("/proc/out", "/sys/out"):  # where even root may make nothing
                self.one_line(run(*self.words(out=out)), 1)
            return
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o755)
        self.one_line(run(*self.words()), 1)

    def test_here(self):
        self.out.mkdir()
        for name in (".", "./", str(self.out) + "/."):
            done = subprocess.run([PROGRAM, "launch", str(ROOT / JOB), "--to", "bash", "-o", name, "--force"], cwd=self.out,
                                  env=environment(), capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.out / "run.sh").exists())

    def test_two_at_once(self):
        for round_ in range(12):
            out = self.folder / f"out{round_}"
            if round_ % 2:
                out.mkdir()
            both = [subprocess.Popen([PROGRAM, *self.words(job, "--force", out=out)], cwd=ROOT, env=environment(),
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for job in self.JOBS * 2]
            for process in both:
                _, wrong = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 0, wrong)
            launched = json.loads((out / "plan.json").read_text())["job"]
            self.assertIn(launched, (out / "README.md").read_text())
            self.assertIn(launched, (out / "run.sh").read_text())
            self.assertEqual([path.name for path in self.folder.rglob("*tmp*")], [])

    def unfinished(self):
        """What is being written now, or was left."""
        return {path for folder in (self.folder, self.out) if folder.exists()
                for path in map(folder.joinpath, os.listdir(folder)) if ".tmp" in path.name}

    def test_killed_at_any_time(self):
        for sent in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            for round_ in range(8):
                out = self.folder / "out"
                before = self.unfinished()
                process = subprocess.Popen([PROGRAM, *self.words(self.JOBS[round_ % 2], "--force", out=out)], cwd=ROOT,
                                           env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                # Not at a time but at an event: when the first new name is there, or the process is done.
                while process.poll() is None and not self.unfinished() - before:
                    pass
                process.send_signal(sent)
                process.wait(timeout=60)
                if sent != signal.SIGKILL:
                    self.assertEqual(self.unfinished() - before, set(), sent)
        self.assertEqual(run(*self.words(self.JOBS[0], "--force")).returncode, 0)
        self.assertEqual(self.unfinished(), set())

    def test_a_lock_that_somebody_holds(self):
        self.out.mkdir()
        held = os.open(self.out, os.O_RDONLY)
        self.addCleanup(os.close, held)
        fcntl.flock(held, fcntl.LOCK_EX)
        waiting = subprocess.Popen([PROGRAM, *self.words()], cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        with self.assertRaises(subprocess.TimeoutExpired):
            waiting.wait(timeout=1)
        fcntl.flock(held, fcntl.LOCK_UN)
        self.assertEqual(waiting.wait(timeout=60), 0)
        waiting.stderr.close()


def json_name(job):
    return json.loads(run("plan", job, "--json").stdout)["job"]


class Flags(Case):
    def commands(self):
        text = run("--help").stdout
        return [name for name in re.findall(r"^  ([a-z]+) ", text, re.M) if run(name, "--help").returncode == 0]

    def flags(self, command):
        """[(flag, whether it takes a value)]"""
        text = run(command, "--help").stdout
        return [(match[1], bool(match[2])) for match in re.finditer(r"^  (?:-\w, ?)?(--[\w-]+)( [A-Z$][^ ]*)?", text, re.M)]

    def test_empty_unknown_and_repeated(self):
        commands = self.commands()
        self.assertGreater(len(commands), 12)
        tried = 0
        for command in commands:
            subject = {"plan": [JOB], "model": ["gpt2"], "fit": ["gpt2"], "profiles": [JOB], "simulate": [JOB],
                       "whatif": [JOB, "--set", "samples=x2"], "completion": ["bash"], "check": [LOG],
                       "launch": [JOB, "--to", "bash"], "config": ["show"]}.get(command, [])
            self.one_line(run(command, *subject, "--nosuch"), 2)
            for flag, takes_value in self.flags(command):
                if flag == "--help":
                    continue
                if not takes_value:
                    self.one_line(run(command, *subject, flag, flag), 2)
                    continue
                for words in ([flag, ""], [flag, " "], [flag + "="], [flag]):
                    tried += 1
                    done = run(command, *subject, *words)
                    self.one_line(done, 2)
                    self.assertIn(flag, done.stderr)
        self.assertGreater(tried, 300)

    def test_empty_subjects(self):
        for words in (["plan", ""], ["model", ""], ["fit", ""], ["launch", "", "--to", "bash"], ["check", ""],
                      ["gpus", ""], ["schema", ""], [""]):
            self.one_line(run(*words), 2)

    def test_twice(self):
        for words in (["--model", "gpt2", "--model", "gpt2"], [*QUESTION, "--deadline", "2 h", "--deadline", "3 h"],
                      [*QUESTION, "-o", "a.json", "-o", "b.json"], [*QUESTION, "--seed", "1", "--seed", "2"]):
            done = run("plan", *words)
            self.one_line(done, 2)
            self.assertIn("more than once", done.stderr)

    def test_contradictions(self):
        for words in (["--json=false"], ["--json=x"], ["--nodes", "1,,2"], ["--nodes=,1"], ["--gpu", ","], ["--gpu=L4,"],
                      ["--spot", "never", "--interruptions", "5%/h"], ["--json", "--csv"], ["--csv", "--markdown"], ["--top", "3", "--json"], ["--explain", "--csv"]):
            self.one_line(run("plan", JOB, *words), 2)
        self.one_line(run("plan", JOB, *QUESTION), 2)
        self.one_line(run("plan", "--params", "25M", *QUESTION), 2)

    def test_times_say_their_unit(self):
        for words in (["--deadline", "12"], ["--setup", "10-20"], ["--set", "limits.deadline=12"]):
            done = run("plan", *QUESTION, *words)
            self.one_line(done, 2)
            self.assertRegex(done.stderr, r"\b(12|10) h, (12|10) min or (12|10) s\?")
        self.assertEqual(run("plan", *QUESTION, "--deadline", "12 h").returncode, 0)
        self.assertEqual(run("plan", *QUESTION, "--setup", "0").returncode, 0)
        job = self.folder / "job.yaml"
        job.write_text((ROOT / JOB).read_text() + "\nlimits: {deadline: 12}\n"
                       if "\nlimits:" not in (ROOT / JOB).read_text() else
                       re.sub(r"^limits:.*\n(  .*\n)*", "limits: {deadline: 12}\n", (ROOT / JOB).read_text(), flags=re.M))
        done = run("plan", str(job))
        self.one_line(done, 5)
        self.assertRegex(done.stderr, r"job\.yaml:\d+: limits\.deadline: .*12 h, 12 min or 12 s\?")

    def test_nothing_found(self):
        for words in (["gpus", "Nosuch"], ["gpus", "Nosuch", "--json"], ["gpus", "memory>=4000"], ["offers", "Nosuch"],
                      ["offers", "gpus=7", "--csv"]):
            done = run(*words)
            self.assertEqual(done.returncode, 3, words)
            self.assertTrue(done.stdout)
        self.one_line(run("model", "Nosuch"), 5)


class Sentences(Case):
    """What stands in a table is true of its other rows."""

    def test_an_hour_saved_is_against_the_row_above(self):
        for top in ("2", "3", "5", "10", "100"):
            plans = json.loads(run("plan", *QUESTION, "--json").stdout)["plans"]
            text = run("plan", *QUESTION, "--top", top, "--markdown").stdout
            lines = [[cell.strip(" *") for cell in line.split("|")] for line in text.splitlines() if line.startswith("|")]
            column = lines[0].index("$/HOUR SAVED")
            rows = [(row[1].split()[0], row[column].strip("$")) for row in lines[2:] if row[1] and row[1][0].isdigit()
                    and len(row) == len(lines[0])]
            rows = rows[:next((n for n in range(1, len(rows)) if int(rows[n][0]) <= int(rows[n - 1][0])), len(rows))]
            self.assertTrue(rows)
            for (above, _), (number, said) in zip(rows, rows[1:]):
                a, b = plans[int(above) - 1], plans[int(number) - 1]
                saved = (b["cost_usd"]["p50"] - a["cost_usd"]["p50"]) / (a["hours"]["p50"] - b["hours"]["p50"])
                self.assertAlmostEqual(float(said.replace(",", "")), saved, delta=max(0.006, 0.05 * saved), msg=(top, number))

    def test_a_check_mark_keeps_the_limits(self):
        missed = run("plan", JOB, "--set", "limits.budget=$0.01")
        self.assertEqual(missed.returncode, 4)
        self.assertNotRegex(missed.stdout, r"(?m)^ *\d+ ✔")
        self.assertRegex(missed.stdout, r"(?m)^ *\d+ ~")
        self.assertRegex(run("plan", JOB).stdout, r"(?m)^ *\d+ ✔")

    def test_what_lies_on_the_host_is_named(self):
        for gpu in ("RTX 4090", "RTX 3090"):
            done = run("fit", "Llama-3.1-8B", "--gpu", gpu, COLUMNS="200")
            for line in done.stdout.splitlines():
                if "offload optimizer+params" in line:
                    self.assertGreaterEqual(line.count("host"), 2, line)
            self.assertNotIn("with the optimizer's states in the host's memory", done.stdout)


if __name__ == "__main__":
    main(__doc__)
