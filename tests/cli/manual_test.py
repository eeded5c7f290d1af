#!/usr/bin/env python3
"""Manual pages and help: tests/cli/manual_test.py PROGRAM"""

import re
import shutil
import subprocess
import unittest

from program import environment, main, run

COMMANDS = run("completion", "commands").stdout.split()
PAGES = {"": run("man").stdout, **{command: run("man", command).stdout for command in COMMANDS}}


def shown(page):
    """The page as text, without bold and underlined letters."""
    done = subprocess.run(["groff", "-man", "-Tutf8", "-P-c", "-ww", "-rLL=100n"], input=page, capture_output=True,
                          text=True, env=environment(), timeout=60)
    return re.sub(".\b", "", done.stdout), done.stderr


def installed(program):
    return shutil.which(program, path="/usr/bin:/bin") is not None


class Manual(unittest.TestCase):
    @unittest.skipUnless(installed("groff"), "groff is not installed")
    def test_groff_has_nothing_to_say(self):
        for name, page in PAGES.items():
            text, warnings = shown(page)
            self.assertEqual(warnings, "", name)
            self.assertIn("EXIT STATUS", text)

    @unittest.skipUnless(installed("mandoc"), "mandoc is not installed")
    def test_mandoc_has_nothing_to_say(self):
        for name, page in PAGES.items():
            done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning"], input=page, capture_output=True, text=True,
                                  env=environment(), timeout=60)
            self.assertEqual((done.returncode, done.stdout), (0, ""), name)

    def test_sections_in_their_order(self):
        for name, page in PAGES.items():
            sections = re.findall(r"^\.SH (.+)$", page, re.M)
            expected = ["NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "FILES",
                        "SEE ALSO"]
            self.assertEqual([section for section in sections if section != "COMMANDS"], expected, name)

    @unittest.skipUnless(installed("groff"), "groff is not installed")
    def test_pages_say_what_the_help_says(self):
        for command in COMMANDS:
            text, _ = shown(PAGES[command])
            help_text = run(command, "--help").stdout
            for flag in re.findall(r"^  (?:-\w, )?(--[\w-]+)", help_text, re.M):
                self.assertIn(flag, text, command)
            examples = help_text.split("Examples:\n")[1].split("\nUsage:")[0]
            for line in examples.splitlines():
                self.assertIn(line.strip(), text, f"{command}: examples stay as they are")
            self.assertIn("gpuplan(1)", text)

    @unittest.skipUnless(installed("groff"), "groff is not installed")
    def test_signs_of_roff_stay_text(self):
        text, _ = shown(PAGES["plan"])
        self.assertIn("P10–P90", text)
        self.assertIn("✓", text)
        self.assertIn("limits.budget='$50'", text)

    def test_names_that_a_flag_takes_are_said_once(self):
        self.assertIn("never, allow or only", " ".join(PAGES["plan"].split()))
        self.assertNotIn("never, allow, only", " ".join(PAGES["plan"].split()))

    def test_pages_are_ascii(self):
        for name, page in PAGES.items():
            self.assertTrue(page.isascii(), name)

    def test_unknown_page(self):
        done = run("man", "pln")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("Did you mean 'plan'?", done.stderr)


class Help(unittest.TestCase):
    def test_every_command_is_in_it_once(self):
        text = run("--help").stdout
        for command in COMMANDS:
            self.assertEqual(len(re.findall(rf"^  {command} +\S", text, re.M)), 1, command)

    def test_examples_come_first(self):
        for words in ([], ["--help"], *([command, "--help"] for command in COMMANDS)):
            text = run(*words).stdout
            self.assertLess(text.index("Examples:"), text.index("Usage:"), words)
            self.assertLess(text.index("Usage:"), text.index("Options:"), words)

    def test_first_questions_are_answered(self):
        text = run("--help").stdout
        for words in ("which GPU", "spot", "4090", "double the data"):
            self.assertIn(words, text)

    def test_environment_is_described(self):
        for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "GPUPLAN_PAGER", "COLUMNS", "GPUPLAN_CONFIG",
                     "GPUPLAN_VALUE_OF_TIME", "TERM", "gpuplan/config.toml"):
            self.assertIn(name, PAGES[""])


if __name__ == "__main__":
    main(__doc__)
