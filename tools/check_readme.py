#!/usr/bin/env python3
"""Compares the outputs shown in README.md and docs/*.md with what the program prints.

    tools/check_readme.py build/release/gpuplan            compare
    tools/check_readme.py --update build/release/gpuplan   write the blocks anew, to be read in the diff
    tools/check_readme.py --self-test                      check that the check notices what it should

A block is a fenced one under a comment that says where it comes from:

    <!-- output of: ./gpuplan plan examples/a.yaml, 100 columns -->
    <!-- output of: ./gpuplan plan examples/a.yaml --explain, 100 columns, from "TERM" to "one step" -->
    <!-- output of: ./gpuplan plan examples/b.yaml, 100 columns, exit 4 -->

A whole page may be what a command prints; a line under its title says so:

    <!-- this page is the output of: ./gpuplan validate --report -->

The first line of a block is the command after "$ ". "from" and "to" name words in the first and last line shown; what is cut
off shows as "...". The program runs as in tools/golden.py. Prints "counted PASSED FAILED" last, for ./test.
"""

import difflib
import os
import re
import sys

import golden

MARKER = re.compile(r"<!-- output of: \./(?P<command>gpuplan .*?), (?P<columns>\d+) columns"
                    r'(?:, from "(?P<first>[^"\n]*)")?(?:,? to "(?P<last>[^"\n]*)")?(?:, exit (?P<exit>\d+))? -->\n'
                    r"```console\n(?P<text>.*?)```\n", re.DOTALL)
WHOLE = re.compile(r"<!-- this page is the output of: \./(?P<command>gpuplan [^\n]*?) -->")
CUT = "...\n"


def shown(output, first, last):
    """The lines that the block shows; None when a line named is not there."""
    lines = output.splitlines(keepends=True)
    start = next((i for i, line in enumerate(lines) if first is None or first in line), None)
    if start is None:
        return None
    end = len(lines) - 1
    if last is not None:
        end = next((i for i in range(start, len(lines)) if last in lines[i]), None)
        if end is None:
            return None
    return (CUT if start > 0 else "") + "".join(lines[start:end + 1]) + (CUT if end + 1 < len(lines) else "")


def block(match, run):
    """The block as it should be, and what is wrong with the run itself (or nothing)."""
    text = run(match["command"], int(match["columns"])).removeprefix(f"$ {match['command']}\n")
    ending = re.search(r"\[exit (-?\d+)\]\n\Z", text)
    if not ending:
        return None, "did not end"
    wrong = "" if ending[1] == (match["exit"] or "0") else f"exit code {ending[1]}"
    # Blanks at the ends of lines and empty lines at the end are not shown.
    output = re.sub(r"[ \t]+$", "", text[:ending.start()], flags=re.MULTILINE).rstrip("\n") + "\n"
    output = shown(output, match["first"], match["last"])
    if output is None:
        return None, "the first or last line named is not in the output"
    return f"$ ./{match['command']}\n{output}", wrong


def check_page(name, text, command, run):
    """The same as check() for a page that is one output, whose lines are not cut at its columns."""
    output = run(command, 80).removeprefix(f"$ {command}\n")
    ending = re.search(r"\[exit (-?\d+)\]\n\Z", output)
    if not ending or ending[1] != "0":
        return text, 0, [f"{name}: {command}: " + (f"exit code {ending[1]}" if ending else "did not end")]
    output = output[:ending.start()]
    if output == text:
        return text, 1, []
    return output, 0, ["\n".join(difflib.unified_diff(text.splitlines(), output.splitlines(), name, "now", lineterm=""))]


def check(name, text, run):
    """The text with its blocks as they should be, and one finding for each that is not so."""
    if whole := WHOLE.search(text):
        return check_page(name, text, whole["command"], run)
    findings = []

    def replaced(match):
        where = f"{name}:{text.count(chr(10), 0, match.start()) + 1}"
        expected, wrong = block(match, run)
        if wrong:
            findings.append(f"{where}: {match['command']}: {wrong}")
            return match[0]
        if expected != match["text"]:
            findings.append("\n".join(difflib.unified_diff(
                match["text"].splitlines(), expected.splitlines(), where, "now", lineterm="")))
        return match[0][:match.start("text") - match.start()] + expected + "```\n"

    new = MARKER.sub(replaced, text)
    good = len(MARKER.findall(text)) - len(findings)
    # A marker that is not read as one would never be checked.
    for stray in re.finditer(r"<!-- output of:", text):
        if not any(match.start() == stray.start() for match in MARKER.finditer(text)):
            findings.append(f"{name}:{text.count(chr(10), 0, stray.start()) + 1}: not understood; see tools/check_readme.py")
    return new, good, findings


def self_test():
    whole = "# Page\n\n<!-- this page is the output of: ./gpuplan page -->\n"
    outputs = {"gpuplan a": "one  \ntwo\nthree\n\n[exit 0]\n", "gpuplan b": "late\n[exit 4]\n",
               "gpuplan page": whole + "[exit 0]\n"}

    def run(command, columns):
        return f"$ {command}\n" + outputs[command]

    def page(marker, body):
        return f"text\n<!-- output of: {marker} -->\n```console\n{body}```\nmore\n"

    cases = [
        (page("./gpuplan a, 80 columns", "$ ./gpuplan a\none\ntwo\nthree\n"), 1, 0),
        (page("./gpuplan a, 80 columns", "$ ./gpuplan a\none\ntwo\n"), 0, 1),
        (page('./gpuplan a, 80 columns, from "tw" to "tw"', "$ ./gpuplan a\n...\ntwo\n...\n"), 1, 0),
        (page('./gpuplan a, 80 columns, to "two"', "$ ./gpuplan a\none\ntwo\n...\n"), 1, 0),
        (page('./gpuplan a, 80 columns, from "four"', "$ ./gpuplan a\none\ntwo\n...\n"), 0, 1),
        (page("./gpuplan b, 80 columns", "$ ./gpuplan b\nlate\n"), 0, 1),
        (page("./gpuplan b, 80 columns, exit 4", "$ ./gpuplan b\nlate\n"), 1, 0),
        (page("./gpuplan a", "$ ./gpuplan a\none\ntwo\nthree\n"), 0, 1),
        (whole, 1, 0),
        (whole + "more\n", 0, 1),
        (whole.replace("gpuplan page", "gpuplan b"), 0, 1),
    ]
    for text, good, wrong in cases:
        _, found_good, findings = check("page", text, run)
        if (found_good, len(findings)) != (good, wrong):
            sys.exit(f"check_readme: self-test: expected {good} good and {wrong} wrong in\n{text}got {found_good}, {findings}")
    written, _, _ = check("page", cases[1][0], run)
    if written != cases[0][0]:
        sys.exit(f"check_readme: self-test: --update wrote\n{written}")


def main():
    arguments = sys.argv[1:]
    if arguments == ["--self-test"]:
        return self_test()
    update = "--update" in arguments
    arguments = [argument for argument in arguments if argument != "--update"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    program = os.path.abspath(arguments[0])
    passed = failed = 0
    for path in [golden.ROOT / "README.md", *sorted((golden.ROOT / "docs").glob("*.md"))]:
        old = path.read_text(encoding="utf-8")
        new, good, findings = check(str(path.relative_to(golden.ROOT)), old,
                                    lambda command, columns: golden.run(program, command, columns, colour=False))
        if update and new != old:
            path.write_text(new, encoding="utf-8")
            print(f"written: {path.relative_to(golden.ROOT)}")
            continue
        passed += good
        failed += len(findings)
        print("\n".join(findings), end="\n" if findings else "")
    if not update:
        if passed + failed == 0:
            sys.exit("check_readme: no block to compare")
        print(f"counted {passed} {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
