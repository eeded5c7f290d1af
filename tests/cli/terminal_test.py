#!/usr/bin/env python3
"""What happens on a terminal only: pager, colour, progress. tests/cli/terminal_test.py PROGRAM"""

import re
import stat
import tempfile
import unittest
from pathlib import Path

from program import PROGRAM, ROOT, environment, main, run
from pseudo_terminal import Terminal

JOB = "examples/collection.yaml"


def on_terminal(*words, lines=20, columns=100, **more):
    """What stands on the terminal in the end, and the exit code."""
    terminal = Terminal([PROGRAM, *words], environment(**{"TERM": "xterm", "NO_COLOR": "1", **more}), lines, columns)
    text = terminal.read()
    return text, terminal.end()


class Pager(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def script(self, body):
        path = Path(self.folder.name, "pager.sh")
        path.write_text("#!/bin/sh\n" + body, encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def test_long_results_go_through_it(self):
        plain = run("plan", JOB, COLUMNS="100").stdout
        for name in ("GPUPLAN_PAGER", "PAGER"):
            text, code = on_terminal("plan", JOB, **{name: "sed 's/^/paged: /'"})
            self.assertEqual(text, "".join(f"paged: {line}\n" for line in plain.splitlines()))
            self.assertEqual(code, 0)

    def test_order_of_the_variables(self):
        text, _ = on_terminal("plan", JOB, GPUPLAN_PAGER="echo ours", PAGER="echo theirs")
        self.assertEqual(text, "ours\n")

    def test_short_results_do_not(self):
        lines = run("plan", JOB, COLUMNS="100").stdout.count("\n")
        pager = {"GPUPLAN_PAGER": "echo paged"}
        self.assertNotIn("paged", on_terminal("plan", JOB, lines=lines + 1, **pager)[0])
        self.assertEqual("paged\n", on_terminal("plan", JOB, lines=lines, **pager)[0], "the prompt needs a line")
        self.assertEqual("paged\n", on_terminal("plan", JOB, lines=100, LINES="10", **pager)[0])

    def test_can_be_turned_off(self):
        plain = run("plan", JOB, COLUMNS="100").stdout
        self.assertEqual(on_terminal("plan", JOB, GPUPLAN_PAGER="", PAGER="echo theirs")[0], plain)
        self.assertEqual(on_terminal("plan", JOB, PAGER="")[0], plain)
        self.assertEqual(on_terminal("plan", JOB, PAGER="cat")[0], plain)
        self.assertEqual(on_terminal("plan", JOB, "--no-pager", PAGER="echo theirs")[0], plain)
        self.assertEqual(on_terminal("plan", JOB, PAGER="echo theirs", TERM="dumb")[0], plain)

    def test_never_off_a_terminal_or_to_a_file(self):
        self.assertEqual(run("plan", JOB, GPUPLAN_PAGER="echo paged", TERM="xterm").stdout, run("plan", JOB).stdout)
        target = Path(self.folder.name, "plan.txt")
        text, _ = on_terminal("plan", JOB, "-o", str(target), GPUPLAN_PAGER="echo paged")
        self.assertEqual(text, "")
        self.assertIn("Summary", target.read_text(encoding="utf-8"))

    def test_missing_pager_is_no_failure(self):
        plain = run("plan", JOB, COLUMNS="100").stdout
        not_a_program = Path(self.folder.name, "text")
        not_a_program.write_text("no program", encoding="utf-8")
        for pager in ("no-such-pager-here", str(not_a_program)):
            text, code = on_terminal("plan", JOB, GPUPLAN_PAGER=pager)
            self.assertTrue(text.endswith(plain), text)
            self.assertEqual(code, 0)

    def test_exit_code_is_that_of_the_command(self):
        words = ["plan", "examples/llama-8b-full.yaml", "--set", "limits.budget=$0.01"]
        expected = run(*words).returncode
        self.assertEqual(expected, 4)
        for pager in ("cat >/dev/null", "exit 1", "head -n 1"):
            self.assertEqual(on_terminal(*words, GPUPLAN_PAGER=pager)[1], expected, pager)

    def test_reader_that_leaves_early_is_no_failure(self):
        # More than a pipe holds.
        text, code = on_terminal("plan", "examples/llama-8b-lora.yaml", "--json", "--all", GPUPLAN_PAGER="head -n 2")
        self.assertEqual(code, 0)
        self.assertEqual(len(text.splitlines()), 2)

    def test_interrupt_is_for_the_pager(self):
        pager = self.script("trap 'echo pager-got-it' INT\necho ready\nread answer </dev/tty\nread answer </dev/tty\n")
        terminal = Terminal([PROGRAM, "plan", JOB], environment(TERM="xterm", GPUPLAN_PAGER=pager), 20)
        text = terminal.read(until="ready")
        terminal.type("\x03")
        text += terminal.read(until="pager-got-it")
        self.assertIsNone(terminal.program.poll(), "gpuplan waits for its pager")
        terminal.type("\n\n")
        text += terminal.read()
        self.assertIn("pager-got-it", text)
        self.assertEqual(terminal.end(), 0)

    def test_less_knows_what_we_want_of_it(self):
        self.assertEqual(on_terminal("plan", JOB, GPUPLAN_PAGER="echo $LESS")[0], "FIRX\n")
        self.assertEqual(on_terminal("plan", JOB, GPUPLAN_PAGER="echo $LESS", LESS="S")[0], "S\n")

    def test_help_is_paged_too(self):
        self.assertEqual(on_terminal("plan", "--help", PAGER="echo paged")[0], "paged\n")
        self.assertEqual(on_terminal("man", "plan", PAGER="echo paged")[0], "paged\n")

    def test_files_and_scripts_are_not(self):
        """They have no --no-pager."""
        for words in (["init", "--params", "25M", "--samples", "2.5M"], ["completion", "bash"], ["schema"]):
            self.assertNotIn("paged", on_terminal(*words, PAGER="echo paged")[0], words)


class Colour(unittest.TestCase):
    def coloured(self, **more):
        terminal = Terminal([PROGRAM, "plan", JOB], environment(**{"TERM": "xterm", **more}), 120)  # no pager
        text = terminal.read()
        self.assertEqual(terminal.end(), 0)
        return "\x1b[" in text

    def test_on_a_terminal(self):
        self.assertTrue(self.coloured())
        self.assertTrue(self.coloured(NO_COLOR=""), "an empty NO_COLOR says nothing")
        self.assertTrue(self.coloured(TERM="dumb", FORCE_COLOR="1"))
        self.assertTrue(self.coloured(CLICOLOR="1"))
        for more in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"FORCE_COLOR": "0"}, {"CLICOLOR": "0"},
                     {"NO_COLOR": "1", "FORCE_COLOR": "1"}, {"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}):
            self.assertFalse(self.coloured(**more), more)

    def test_off_a_terminal(self):
        coloured = lambda *words, **more: "\x1b[" in run("plan", JOB, *words, **more).stdout
        self.assertFalse(coloured())
        self.assertFalse(coloured(TERM="xterm", CLICOLOR="1"))
        for more in ({"FORCE_COLOR": "1"}, {"CLICOLOR_FORCE": "1"}, {"FORCE_COLOR": "true", "TERM": "dumb"}):
            self.assertTrue(coloured(**more), more)
        for more in ({"FORCE_COLOR": "0"}, {"FORCE_COLOR": "0", "CLICOLOR_FORCE": "1"}, {"CLICOLOR_FORCE": "0"},
                     {"FORCE_COLOR": "1", "NO_COLOR": "1"}):
            self.assertFalse(coloured(**more), more)
        for form in ("--json", "--csv", "--markdown", "--no-color"):
            self.assertFalse(coloured(form, FORCE_COLOR="1"), form)


class Progress(unittest.TestCase):
    VARIANTS = 50  # the most that a job may have

    @classmethod
    def setUpClass(cls):
        """A job that keeps the program busy for more than half a second on any machine."""
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        text = (ROOT / "examples/llama-8b-full.yaml").read_text(encoding="utf-8")
        assert "\nvariants:" not in text
        text += "\nvariants:\n" + "".join(f"  v{i}: {{limits.budget: ${i + 1}}}\n" for i in range(cls.VARIANTS))
        job = Path(cls.folder.name, "long.yaml")
        job.write_text(text, encoding="utf-8")
        cls.words = ["plan", str(job), "--jobs", "1", "--set", "where.nodes=[1,2,3,4,6,8,12,16,24,32]"]

    def test_shown_on_a_terminal_and_erased(self):
        terminal = Terminal([PROGRAM, *self.words], environment(TERM="xterm"), stdout=False)
        text = terminal.read()
        self.assertEqual(terminal.end(), 0)
        counts = [int(count) for count in re.findall(r"searching variants: (\d+) of 50", text)]
        self.assertTrue(counts, text[:500])
        self.assertEqual(counts, sorted(counts))
        self.assertTrue(text.endswith("\r\x1b[K"), "nothing stays")
        self.assertNotIn("\n", text)

    def test_gone_before_the_answer(self):
        terminal = Terminal([PROGRAM, *self.words, "--no-pager", "--no-color"], environment(TERM="xterm"))
        text = terminal.read()
        self.assertEqual(terminal.end(), 0)
        self.assertIn("searching variants: ", text)
        self.assertLess(text.rindex("\x1b[K"), text.index("HOURS"), "nothing is written over")

    def test_not_shown_elsewhere(self):
        self.assertEqual(run(*self.words, TERM="xterm").stderr, "")
        terminal = Terminal([PROGRAM, *self.words], environment(TERM="dumb"), stdout=False)
        self.assertEqual(terminal.read(), "")
        terminal.end()

    def test_short_work_says_nothing(self):
        terminal = Terminal([PROGRAM, "plan", JOB], environment(TERM="xterm"), stdout=False)
        self.assertEqual(terminal.read(), "")
        terminal.end()


if __name__ == "__main__":
    main(__doc__)
