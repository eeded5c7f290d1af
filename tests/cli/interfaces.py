"""The tables of data/interfaces: whether a program of the version that a script installs knows what the script says."""

import csv
import functools
import re
from pathlib import Path

TABLES = Path(__file__).resolve().parent.parent.parent / "data" / "interfaces"
SIMPLE = {"bool": bool, "int": int, "float": (int, float), "str": str, "list": list, "dict": dict}


def version(text):
    """0.15 and 0.15.0 are one."""
    parts = [int(part) for part in text.split(".")]
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts)


@functools.cache
def index():
    with (TABLES / "index.csv").open(encoding="utf-8", newline="") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


class Table:
    """What one program takes, in all versions from `least` to the last that the table covers."""

    def __init__(self, name, least="", rows=None):
        if rows is None:
            with (TABLES / f"{name}.csv").open(encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
        self.name, self.known, self.least = name, index()[name], least or index()[name]["from"]
        self.rows = {(row["section"], row["name"]): row for row in rows}
        self.sections = {row["section"] for row in rows}

    def row(self, section, name):
        """The row, or why there is none."""
        row = self.rows.get((section, name))
        if row is None:
            return None, f"{self.name} has no {name}" + (f" in {section}" if section else "")
        if row["since"] and self.least and version(row["since"]) > version(self.least):
            return None, f"{self.name} has {name} only since {row['since']}, and {self.least} may be installed"
        if row["until"]:
            return None, f"{self.name} has {name} only until {row['until']}"
        return row, None

    def wrong(self, section, name, value):
        """What is wrong with `name: value`, and with all inside of it; a list of sentences."""
        row, why = self.row(section, name)
        if why:
            return [why]
        return self.wrong_value(row, value)

    def wrong_value(self, row, value):
        kinds = row["type"].split("|")
        inner = [kind for kind in kinds if kind in self.sections and kind not in SIMPLE]
        if inner and isinstance(value, dict):
            tried = [self.wrong_all(kind, value) for kind in inner]
            return min(tried, key=len)
        if inner and isinstance(value, list):
            return [line for one in value if isinstance(one, dict) for line in min((self.wrong_all(kind, one) for kind in inner), key=len)]
        if value is None or "any" in kinds or inner:
            return []
        choices = row["choices"].split("|") if row["choices"] else []
        if isinstance(value, list) and "list" in kinds:
            return [f"{self.name}: {row['name']} holds {one}, which is none of {row['choices']}"
                    for one in value if choices and str(one) not in choices]
        if choices and "bool" not in kinds and str(value) not in choices and not isinstance(value, dict):
            return [f"{self.name}: {row['name']} is {value}, expected one of {row['choices']}"]
        if any(self.of(kind, value) for kind in kinds):
            return []
        return [f"{self.name}: {row['name']} is {value!r}, expected {row['type']}"]

    @staticmethod
    def of(kind, value):
        if kind == "auto":
            return value == "auto"
        if isinstance(value, bool):
            return kind == "bool"
        return isinstance(value, SIMPLE.get(kind, ()))

    def wrong_all(self, section, values):
        return [line for name, value in values.items() for line in self.wrong(section, name, value)]

    def wrong_flags(self, section, words):
        """What is wrong with words of a command line: --name value, --name=value, -n value."""
        wrong, at = [], 0
        while at < len(words):
            word = words[at]
            at += 1
            if not re.match(r"--?[A-Za-z]", word):
                continue
            name, equals, value = word.partition("=")
            row, why = self.row(section, name)
            if why:
                wrong.append(why)
                continue
            if "flag" in row["type"].split("|"):
                if equals and row["type"] == "flag":
                    wrong.append(f"{self.name}: {name} takes no value, and is given {value}")
                continue
            if not equals:
                value = words[at] if at < len(words) else ""
                at += 1
                if value == "" or re.match(r"--[A-Za-z]", value):
                    wrong.append(f"{self.name}: {name} has no value")
                    continue
            wrong += self.wrong_word(row, value)
        return wrong

    def wrong_word(self, row, text):
        """A value as a word of the shell; a variable may be anything."""
        kinds = row["type"].split("|")
        if "$" in text or "any" in kinds:
            return []
        choices = row["choices"].split("|") if row["choices"] else []
        if choices and text not in choices:
            return [f"{self.name}: {row['name']} is {text}, expected one of {row['choices']}"]
        patterns = {"int": r"-?\d+", "float": r"-?\d+(\.\d*)?([eE][-+]?\d+)?", "bool": r"true|false|True|False"}
        if all(kind in patterns and not re.fullmatch(patterns[kind], text) for kind in kinds):
            return [f"{self.name}: {row['name']} is {text}, expected {row['type']}"]
        return []
