#!/usr/bin/env python3
"""Makes a table of data/interfaces anew: the flags, keys, choices and types that a program's source has.

    tools/interfaces/interfaces.py CHECKOUT --framework NAME [--versions TAG...]   CHECKOUT: folder, or git repository
    tools/interfaces/interfaces.py --self-test

With tags, oldest first, each row says since which of them it is there and until which. sources.csv names the files to read.
Rows marked "documentation" are written by hand and stay. Afterwards set commit, versions and date in data/interfaces/index.csv.
"""

import argparse
import csv
import fnmatch
import io
import re
import subprocess
import sys
from pathlib import Path

import other_sources
from python_source import Sources

HERE = Path(__file__).resolve().parent
TABLES = HERE.parent.parent / "data" / "interfaces"
COLUMNS = ["section", "name", "type", "choices", "default", "since", "until", "source"]


class Tree:
    """Files of a folder, or of a revision of a git repository."""

    def __init__(self, place, revision=None):
        self.place, self.revision = Path(place), revision
        if revision:
            self.names = self.git("ls-tree", "-r", "--name-only", revision).splitlines()
        else:
            self.names = [str(path.relative_to(place)) for path in self.place.rglob("*") if path.is_file()]

    def git(self, *words):
        return subprocess.run(["git", "-C", str(self.place), *words], capture_output=True, check=True).stdout.decode()

    def texts(self, patterns):
        # The order of the patterns counts: a class is taken from the first file that has it.
        names = list(dict.fromkeys(name for pattern in patterns.split() for name in sorted(self.names)
                                   if fnmatch.fnmatch(name, pattern) and name.count("/") == pattern.count("/")))
        if self.revision:
            return [self.git("show", f"{self.revision}:{name}") for name in names]
        return [(self.place / name).read_text(encoding="utf-8") for name in names]


def read(reader, section, what, texts):
    """Rows (section, name, type, choices, default) of one line of sources.csv."""
    if reader == "classes":
        sources, rows = Sources(texts), []
        for name in what.split():
            rows += sources.rows(name, section)
        return rows
    if reader == "flags":
        return Sources(texts).flags(section)
    if reader == "constants":
        return Sources(texts).constants(section)
    if reader == "names":
        return Sources(texts).names(section)
    if reader == "signature":
        return Sources(texts).signature(what, section)
    if reader == "commands":
        return Sources(texts).commands(what.split("|"))
    if reader == "set":
        return Sources(texts).set_of(what, section)
    if reader == "go":
        return other_sources.go_structs(texts, what.split())
    if reader == "go-flags":
        return other_sources.go_flags(texts, section)
    if reader == "slurm":
        return other_sources.slurm_options(texts)
    if reader == "schema":
        return [row for text in texts for row in other_sources.schema_rows(text, section, what)]
    raise ValueError(f"sources.csv: no reader {reader}")


def rows_of(tree, lines):
    found = {}
    for line in lines:
        texts = tree.texts(line["files"])
        for row in read(line["reader"], line["section"], line["what"], texts) if texts else []:
            if any("\n" in cell for cell in row):
                row = (*row[:4], "")
            if len(row[4]) > 60:  # templates and the like
                row = (*row[:4], "")
            found.setdefault(row[:2], row)
    return found


def table(place, lines, versions):
    """Rows of a table: over all versions, each as the newest has it that has it."""
    per_version = [rows_of(Tree(place, version), lines) for version in versions or [None]]
    rows = {}
    for found in per_version:
        rows.update(found)
    made = []
    for key, row in rows.items():
        there = [key in found for found in per_version]
        first, last = there.index(True), len(there) - 1 - there[::-1].index(True)
        plain = [re.sub(r"^\D*", "", version) for version in versions]
        made.append(dict(zip(COLUMNS, (*row, plain[first] if first > 0 else "", plain[last] if last < len(there) - 1 else "", ""))))
    return made


def write(framework, made):
    path = TABLES / f"{framework}.csv"
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            by_hand = [row for row in csv.DictReader(file) if row["source"] == "documentation"]
        known = {(row["section"], row["name"]) for row in by_hand}
        made = [row for row in made if (row["section"], row["name"]) not in known] + by_hand
    made.sort(key=lambda row: (row["section"], row["name"]))
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(made)
    path.write_text(out.getvalue(), encoding="utf-8")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", nargs="?")
    parser.add_argument("--framework")
    parser.add_argument("--versions", nargs="*", default=[])
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        import self_test
        sys.exit(self_test.main())
    with (HERE / "sources.csv").open(encoding="utf-8", newline="") as file:
        lines = [line for line in csv.DictReader(file) if line["framework"] == options.framework]
    if not options.checkout or not lines:
        parser.error("expected CHECKOUT and --framework NAME, a name of tools/interfaces/sources.csv")
    made = table(options.checkout, lines, options.versions)
    if not made:
        parser.error(f"{options.checkout} has none of the files that sources.csv names for {options.framework}")
    print(f"{write(options.framework, made)}: {len(made)} rows")


if __name__ == "__main__":
    main()
