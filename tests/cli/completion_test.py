#!/usr/bin/env python3
"""Completion scripts, driven by real shells: tests/cli/completion_test.py PROGRAM

zsh and fish are tested where they are installed; ./test installs them."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from program import PROGRAM, ROOT, environment, main, run
from pseudo_terminal import Terminal

COMMANDS = run("completion", "commands").stdout.split()

# What is typed before the key of completion, and what the words are afterwards.
TYPED = [
    ("gpuplan pla", "gpuplan plan"),
    ("gpuplan fit X --gpu RTX\\ 409", "gpuplan fit X --gpu RTX\\ 4090"),
    ("gpuplan fit X --gpu 'RTX 409", "gpuplan fit X --gpu 'RTX 4090'"),
    ("gpuplan fit X --gpu 'rtx 409", "gpuplan fit X --gpu 'RTX 4090'"),
    ("gpuplan plan examples/collecti", "gpuplan plan examples/collection.yaml"),
    ("gpuplan plan x --show domi", "gpuplan plan x --show dominated"),
    ("gpuplan model llama-3.1-8", "gpuplan model Llama-3.1-8B"),
    ("gpuplan plan x --markd", "gpuplan plan x --markdown"),
    ("gpuplan completion fi", "gpuplan completion fish"),
    ("gpuplan man offe", "gpuplan man offers"),
    ("gpuplan help offe", "gpuplan help offers"),
    ("gpuplan prices hist", "gpuplan prices history"),
    ("gpuplan prices history L4 --provi", "gpuplan prices history L4 --provider"),
    ("gpuplan prices import examples/collecti", "gpuplan prices import examples/collection.yaml"),
    ("gpuplan plan x --data exampl", "gpuplan plan x --data examples/"),
]


# The shells look the program up by its name, whatever the file that is tested is called.
BIN = tempfile.TemporaryDirectory()
Path(BIN.name, "gpuplan").symlink_to(PROGRAM)


def shell_environment(**more):
    return environment(**{"TERM": "xterm", "PATH": f"{BIN.name}:/usr/bin:/bin", **more})


class Screen:
    """Just enough of a terminal to read what a line editor leaves on its line."""

    def __init__(self):
        self.line, self.at = [], 0

    def show(self, text):
        for part in re.findall(r"\x1b\[\??[0-9;]*[A-Za-z]|\x1b[=>]|.|\n", text, re.S):
            if part == "\b":
                self.at = max(self.at - 1, 0)
            elif part == "\r":
                self.at = 0
            elif match := re.fullmatch(r"\x1b\[(\d*)([CDKP])", part):
                count = int(match[1] or 1)
                if match[2] == "C":
                    self.at += count
                elif match[2] == "D":
                    self.at = max(self.at - count, 0)
                elif match[2] == "K":
                    del self.line[self.at:]
                else:
                    del self.line[self.at:self.at + count]
            elif part.startswith("\x1b") or part < " ":
                continue
            else:
                self.line.extend(" " * (self.at + 1 - len(self.line)))
                self.line[self.at] = part
                self.at += 1
        return "".join(self.line).rstrip()


class Scripts(unittest.TestCase):
    def test_known_shells(self):
        for shell in ("bash", "zsh", "fish"):
            done = run("completion", shell)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for command in COMMANDS:
                self.assertIn(command, done.stdout)
        self.assertEqual(run("completion").returncode, 2)

    def test_names_are_those_of_the_tables(self):
        gpus = run("completion", "gpus").stdout.splitlines()
        self.assertIn("RTX 4090", gpus)
        self.assertEqual(len(gpus), len(set(gpus)))
        self.assertIn("Llama-3.1-8B", run("completion", "models").stdout.splitlines())
        self.assertIn("plan", COMMANDS)

    def test_every_flag_of_the_help(self):
        for command in COMMANDS:
            flags = set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", run(command, "--help").stdout, re.M))
            self.assertIn("--help", flags)
            for shell, form in (("bash", "{}"), ("zsh", "{}"), ("fish", "-l {}")):
                script = run("completion", shell).stdout
                for flag in flags:
                    name = flag if shell != "fish" else form.format(flag[2:])
                    self.assertRegex(script, re.escape(name) + r"\b", f"{shell} {command}")


class Typing(unittest.TestCase):
    """Types into an interactive shell and presses the key."""

    def start(self, words, setup):
        terminal = Terminal(words, shell_environment(), 40, 160)
        terminal.type(f"{setup}; cd {ROOT}; PS1='> '; echo rea''dy\n")
        self.assertIn("ready\n", terminal.read(until="ready\r?\n.*> "))
        return terminal

    def check(self, words, setup):
        for typed, expected in TYPED:
            terminal = self.start(words, setup)
            screen = Screen()
            terminal.type(typed + "\t")
            shown = ""
            for _ in range(50):  # the shell writes in pieces
                shown = screen.show(terminal.read(seconds=0.1))
                if shown.rstrip(", ") == expected:
                    break
            terminal.kill()
            self.assertEqual(shown.rstrip(", "), expected, typed)

    def test_bash(self):
        self.check(["bash", "--norc", "--noprofile", "-i"], "source <(gpuplan completion bash)")

    @unittest.skipUnless(shutil.which("zsh", path="/usr/bin:/bin"), "zsh is not installed")
    def test_zsh(self):
        self.check(["zsh", "-f", "-i"], "autoload -U compinit; compinit -u -D; source <(gpuplan completion zsh)")

    @unittest.skipUnless(shutil.which("zsh", path="/usr/bin:/bin"), "zsh is not installed")
    def test_zsh_as_a_file_of_its_path(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "_gpuplan").write_text(run("completion", "zsh").stdout, encoding="utf-8")
            terminal = self.start(["zsh", "-f", "-i"], f"fpath+={folder}; autoload -U compinit; compinit -u -D")
            screen = Screen()
            for typed, expected in (("gpuplan offe\t", "gpuplan offers"), ("--mark\t", "gpuplan offers --markdown")):
                terminal.type(typed)
                for _ in range(50):
                    shown = screen.show(terminal.read(seconds=0.1))
                    if shown == expected:
                        break
                self.assertEqual(shown, expected)
            terminal.kill()


class BashFunction(unittest.TestCase):
    def candidates(self, *words):
        """What the function offers for the last of the words."""
        script = 'source <(gpuplan completion bash)\n' \
                 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))\n' \
                 '_gpuplan gpuplan "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}" 2>/dev/null\n' \
                 'for word in "${COMPREPLY[@]}"; do echo "$word"; done\n'
        done = subprocess.run(["bash", "--norc", "-c", script, "bash", *words], cwd=ROOT, env=shell_environment(),
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines()

    def test_candidates(self):
        self.assertEqual(self.candidates("gpuplan", ""), COMMANDS + ["help", "--help", "--version"])
        self.assertIn("--json", self.candidates("gpuplan", "plan", "x", "-"))
        self.assertEqual(self.candidates("gpuplan", "plan", "--gpu", "zzz"), [])
        self.assertEqual(self.candidates("gpuplan", "fit", "X", "--gpu", "=", "RTX 409"), ["RTX 4090"])
        self.assertEqual(self.candidates("gpuplan", "fit", "X", "--gpu", "="), run("completion", "gpus").stdout.splitlines())
        self.assertEqual(self.candidates("gpuplan", "plan", "x", "--show", "dominated,dom"), ["dominated,dominated"])
        self.assertEqual(self.candidates("gpuplan", "plan", "x", "--set", ""), [], "nothing is known of values")
        self.assertEqual(self.candidates("gpuplan", "nonsense", ""), [])

    def test_without_the_program_names_are_missing_and_nothing_else(self):
        self.assertEqual(self.candidates("/no/such/gpuplan", "fit", "X", "--gpu", "RTX"), [])

    def test_shellcheck(self):
        if not shutil.which("shellcheck", path="/usr/bin:/bin"):
            self.skipTest("shellcheck is not installed")
        done = subprocess.run(["/usr/bin/shellcheck", "-s", "bash", "-"], input=run("completion", "bash").stdout,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout, "")


@unittest.skipUnless(shutil.which("fish", path="/usr/bin:/bin"), "fish is not installed")
class Fish(unittest.TestCase):
    def candidates(self, line):
        quoted = "'" + line.replace("\\", "\\\\").replace("'", "\\'") + "'"
        with tempfile.TemporaryDirectory() as home:
            done = subprocess.run(["fish", "--no-config", "-c",
                                   f"gpuplan completion fish | source; complete -C {quoted}"], cwd=ROOT,
                                  env=shell_environment(HOME=home), capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr, "")
        return [line.split("\t")[0] for line in done.stdout.splitlines()]

    def test_candidates(self):
        for typed, expected in TYPED:
            word = expected.split(" ", 1)[1]
            last = re.sub(r".* (--?\S+ )?(?=\S)", "", word) if "RTX" not in expected else "RTX 4090"
            self.assertIn(last, self.candidates(typed), typed)

    def test_flags_belong_to_their_command(self):
        self.assertIn("--explain", self.candidates("gpuplan plan x --exp"))
        self.assertEqual(self.candidates("gpuplan gpus --exp"), [])
        self.assertEqual(set(COMMANDS) - set(self.candidates("gpuplan ")), set())
        self.assertEqual(self.candidates("gpuplan plan x --set "), [])
        # A file called like a command is no command.
        self.assertEqual(self.candidates("gpuplan gpus plan --exp"), [])


class Install(unittest.TestCase):
    """cmake --install puts program, pages and completions where Debian looks for them."""

    def test_install(self):
        build = Path(PROGRAM).parent
        if not (build / "cmake_install.cmake").exists() or not shutil.which("cmake", path="/usr/bin:/bin"):
            self.skipTest("the program does not stand in a build folder")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["cmake", "--install", str(build), "--component", "program", "--prefix", "/usr"],
                                  capture_output=True, text=True, env=environment(DESTDIR=folder), timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            installed = {str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file()}
            expected = {"usr/bin/gpuplan", "usr/share/bash-completion/completions/gpuplan",
                        "usr/share/zsh/site-functions/_gpuplan", "usr/share/fish/vendor_completions.d/gpuplan.fish",
                        "usr/share/man/man1/gpuplan.1"}
            expected |= {f"usr/share/man/man1/gpuplan-{command}.1" for command in COMMANDS}
            self.assertEqual(installed, expected)
            for name, words in (("bash-completion/completions/gpuplan", ["completion", "bash"]),
                                ("man/man1/gpuplan-plan.1", ["man", "plan"])):
                self.assertEqual(Path(folder, "usr/share", name).read_text(encoding="utf-8"), run(*words).stdout)
            self.assertTrue(os.access(Path(folder, "usr/bin/gpuplan"), os.X_OK))


if __name__ == "__main__":
    main(__doc__)
