#!/usr/bin/env python3
"""A real terminal, and real pagers: tests/cli/terminal_test.cpp has what they decide. tests/cli/terminal_test.py PROGRAM"""

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


class Colour(unittest.TestCase):
    def coloured(self, **more):
        terminal = Terminal([PROGRAM, "plan", JOB], environment(**{"TERM": "xterm", **more}), 120)  # no pager
        text = terminal.read()
        self.assertEqual(terminal.end(), 0)
        return "\x1b[" in text

    def test_on_a_terminal(self):
        self.assertTrue(self.coloured())
        self.assertFalse(self.coloured(NO_COLOR="1"))


class Progress(unittest.TestCase):
    VARIANTS = 12

    def test_shown_on_a_terminal_and_gone_before_the_answer(self):
        """A job that keeps the program busy for more than half a second on any machine; with a clock of its own
        tests/cli/terminal_test.cpp says when the line comes."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        text = (ROOT / "examples/llama-8b-full.yaml").read_text(encoding="utf-8")
        assert "\nvariants:" not in text
        text += "\nvariants:\n" + "".join(f"  v{i}: {{limits.budget: ${i + 1}}}\n" for i in range(self.VARIANTS))
        job = Path(folder.name, "long.yaml")
        job.write_text(text, encoding="utf-8")
        terminal = Terminal([PROGRAM, "plan", str(job), "--jobs", "1", "--set", "where.nodes=[1,2,3,4,6,8,12,16,24,32]",
                             "--no-pager", "--no-color"], environment(TERM="xterm"))
        text = terminal.read()
        self.assertIn(terminal.end(), (0, 4))
        counts = [int(count) for count in re.findall(rf"searching variants: (\d+) of {self.VARIANTS}", text)]
        self.assertTrue(counts, text[:500])
        self.assertEqual(counts, sorted(counts))
        self.assertLess(text.rindex("\x1b[K"), text.index("HOURS"), "nothing is written over")
        self.assertNotIn("\n", text[:text.rindex("\x1b[K")], "nothing stays")


if __name__ == "__main__":
    main(__doc__)
