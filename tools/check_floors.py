#!/usr/bin/env python3
"""Checks the house of src/: who may include whom, and that the pure floors stay pure.

    tools/check_floors.py              check src/; one line for each finding, exit code 1 when there is any
    tools/check_floors.py --self-test  check that the checks notice what they should
"""

import re
import sys
from pathlib import Path

# Ground floor first. A folder includes itself and floors below; folders on one floor do not know each other.
FLOORS = [["base"], ["domain"], ["model"], ["spot"], ["plan"], ["evidence"], ["input", "output"], ["launch"], ["api", "store"],
          ["fetch"],
          ["cli", "web"]]
MOST_FILES = 25  # in a room

# Values in, values out: these floors also run in the browser and in parallel.
PURE = {"base", "domain", "model", "spot", "plan"}

# Hands what a thread threw, memory that is not there, to the thread that waits for it.
PASSES_ON = {"base/threads/parallel.cpp"}

# Heavy headers and those that tie a header to a library stay in .cpp files.
NOT_IN_HEADERS = {"iostream", "filesystem", "regex", "chrono", "functional"}
LIBRARIES = ("CLI/", "nlohmann/", "yaml-cpp/", "toml++/", "fmt/", "re2/", "zlib.h", "sqlite3", "curl/")
NOT_IN_PURE = NOT_IN_HEADERS - {"functional"} | {
    "fstream", "sstream", "istream", "ostream", "cstdio", "ctime", "random", "stdexcept", "csignal", "format", "print"}
# Names that the pure floors may not call: results differ between C libraries, or depend on more than the arguments.
TRANSCENDENTAL = ("exp exp2 expm1 log log2 log10 log1p pow cbrt hypot sin cos tan asin acos atan atan2 sinh cosh tanh "
                  "asinh acosh atanh erf erfc tgamma lgamma fma").split()
IMPURE = "getenv setenv rand srand printf fopen".split()
CALL = re.compile(r"(?<![\w.>:])(?:std::|::)?(?P<name>" + "|".join(TRANSCENDENTAL + IMPURE) + r")[fl]?\s*\(")
KEYWORD = re.compile(r"\b(throw|try|catch)\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)


ROW = re.compile(r"^\| (?P<room>[a-z_/]+) \|(?P<sees>[a-z_/ ]*)\|", re.MULTILINE)


def read_rooms(text):
    """{room: the rooms of its own floor that it sees} from the tables of src/README.md."""
    rooms = {}
    for row in ROW.finditer(text):
        room = row["room"]
        if room == "room":
            continue
        floor = room.split("/")[0]
        rooms[room] = {name if name == floor else f"{floor}/{name}" for name in row["sees"].split()}
    return rooms


def without_comments_and_strings(text):
    """Same lines, but comments and the insides of literals are blank."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
    return pattern.sub(lambda match: '""' + "\n" * match.group().count("\n"), text)


def check_file(name, text, exists, rooms, used=None):
    """Findings for the file `name` (relative to src/); `exists` tells whether a quoted include is there. What it sees of
    other rooms of its floor is added to `used`."""
    folder = name.split("/")[0]
    room = name.rpartition("/")[0]
    height = {member: level for level, members in enumerate(FLOORS) for member in members}
    header = name.endswith(".h")
    if folder not in height:
        return [f"{name}:1: the folder {folder} is on no floor; tools/check_floors.py lists them"]
    if room not in rooms:
        return [f"{name}:1: the folder {room} is no room; src/README.md lists them"]

    def line_of(position):
        return text.count("\n", 0, position) + 1

    findings = []
    if header and "#pragma once" not in text:
        findings.append(f"{name}:1: a header needs #pragma once")
    own = name[: -len(".cpp")] + ".h"
    if not header and exists(own):
        first = INCLUDE.search(text)
        if first is None or first.group(2) != own:
            findings.append(f'{name}:1: includes "{own}" first, so that this header is seen to need nothing before it')
    for match in INCLUDE.finditer(text):
        kind, target = match.groups()
        where = f"{name}:{line_of(match.start())}"
        if kind == "<":
            if header and (target in NOT_IN_HEADERS or target.startswith(LIBRARIES)):
                findings.append(f"{where}: <{target}> does not belong in a header")
            if folder in PURE and (target in NOT_IN_PURE or target.startswith(LIBRARIES)):
                findings.append(f"{where}: <{target}> does not belong in the pure floors ({', '.join(sorted(PURE))})")
            continue
        other = target.split("/")[0]
        if other not in height or not exists(target):
            findings.append(f'{where}: "{target}" is no file of src/; write includes as "floor/room/file.h"')
        elif other != folder and height[other] >= height[folder]:
            findings.append(f'{where}: {folder} may not include "{target}": {other} is not below it')
        elif other == folder and (seen := target.rpartition("/")[0]) != room:
            if used is not None:
                used.add((room, seen))
            if seen not in rooms[room]:
                findings.append(f'{where}: {room} may not include "{target}": it does not see {seen} (src/README.md)')
    if folder in PURE and not name.startswith("base/math."):
        code = without_comments_and_strings(text)
        for match in CALL.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            findings.append(f"{name}:{line}: {match['name']}() does not belong in the pure floors; base/math.h has its own")
        for match in KEYWORD.finditer(code) if name not in PASSES_ON else ():
            line = code.count("\n", 0, match.start()) + 1
            findings.append(f"{name}:{line}: {match[1]}: the pure floors know no exceptions; use Result")
    return findings


def check_rooms(rooms, files, used):
    """Findings about the tables of rooms: what is in them is there, is used, and has no circles."""
    findings = []
    for room, seen in rooms.items():
        count = sum(1 for name in files if name.rpartition("/")[0] == room)
        if count == 0:
            findings.append(f"README.md: the room {room} has no files")
        if count > MOST_FILES:
            findings.append(f"{room}: {count} files; more than {MOST_FILES} are two rooms")
        listed = list(rooms)
        for other in sorted(seen):
            if other not in rooms:
                findings.append(f"README.md: {room} sees {other}, which is no room")
            elif listed.index(other) >= listed.index(room):
                findings.append(f"README.md: {room} sees {other}, which stands below it in the table")
            elif (room, other) not in used:
                findings.append(f"README.md: {room} sees {other} and includes nothing of it")
    return findings


def check_source(source):
    findings = []
    rooms = read_rooms((source / "README.md").read_text(encoding="utf-8"))
    files = sorted(path for path in source.rglob("*") if path.suffix in (".h", ".cpp"))
    names = [path.relative_to(source).as_posix() for path in files]
    used = set()
    for path, name in zip(files, names):
        findings += check_file(name, path.read_text(encoding="utf-8"), lambda target: (source / target).is_file(), rooms, used)
    return len(files), findings + check_rooms(rooms, names, used)


def self_test():
    """(file, text, findings expected)"""
    once = "#pragma once\n"
    rooms = read_rooms("| room | sees | what |\n| --- | --- | --- |\n" + "".join(
        f"| {room} | {sees} | - |\n" for room, sees in [
            ("base", ""), ("base/threads", ""), ("domain", ""), ("model", ""), ("plan/low", ""), ("plan", "low"), ("plan/high", "low plan"),
            ("input", ""), ("output", ""), ("cli", "")]))
    cases = [
        ("model/a.h", once + '#include <vector>\n#include "domain/work/job.h"\n#include "model/b.h"\n', 0),
        ("model/a.h", '#include "domain/work/job.h"\n', 1),
        ("domain/a.h", once + '#include "model/b.h"\n', 1),
        ("input/a.cpp", '#include "output/b.h"\n', 1),
        ("cli/a.cpp", '#include "output/b.h"\n#include <iostream>\n', 0),
        ("output/a.h", once + "#include <functional>\n", 1),
        ("output/a.cpp", "#include <fmt/core.h>\n", 0),
        ("plan/a.cpp", "#include <fmt/core.h>\n", 1),
        ("plan/high/a.cpp", '#include "plan/high/b.h"\n#include "plan/b.h"\n#include "plan/low/b.h"\n#include "model/b.h"\n', 0),
        ("plan/a.cpp", '#include "plan/low/b.h"\n', 0),
        ("plan/a.cpp", '#include "plan/high/b.h"\n', 1),
        ("plan/low/a.cpp", '#include "plan/b.h"\n', 1),
        ("plan/attic/a.cpp", "", 1),
        ("plan/a.cpp", "#include <fstream>\n", 1),
        ("base/a.cpp", '#include "../base/b.h"\n', 1),
        ("base/a.cpp", '#include "base/missing.h"\n', 1),
        ("attic/a.h", once, 1),
        ("model/a.cpp", "double x = std::exp(1.0);\n", 1),
        ("model/a.cpp", "double x = pow(2.0, y) + logf(3);\n", 2),
        ("model/a.cpp", "double x = math::exp(1.0) + gpuplan::math::pow(2.0, y) + std::sqrt(2.0) + job.time();\n", 0),
        ("model/a.cpp", '// std::exp(x)\n/* throw */ auto s = "std::log(x) throw";\n', 0),
        ("model/a.cpp", "int separated = 1'000'000; double x = exp(1.0); char c = '\\'';\n", 1),
        ("model/a.cpp", "throw 1;\n", 1),
        ("base/threads/parallel.cpp", '#include "base/threads/parallel.h"\n' + "try { f(); } catch (...) {}\n", 0),
        ("input/a.cpp", "try { throw 1; } catch (...) { std::exp(1); }\n", 0),
        ("base/math.cpp", '#include "base/math.h"\n' + "double exp(double x);\n", 0),
        ("base/own.cpp", '#include "base/own.h"\n\n#include <vector>\n', 0),
        ("base/own.cpp", '#include <vector>\n#include "base/own.h"\n', 1),
        ("base/own.cpp", "", 1),
    ]
    code = 0
    for name, text, expected in cases:
        found = check_file(name, text, lambda target: target.rpartition("/")[2] not in ("missing.h", "a.h"), rooms)
        if len(found) != expected:
            print(f"self-test: {name}: expected {expected} findings, got {found} for:\n{text}")
            code = 1
    # (rooms, files, what is seen, findings expected)
    tables = [
        ({"a": set(), "b": {"a"}}, ["a/x.h", "b/x.h"], {("b", "a")}, 0),
        ({"a": set(), "b": {"a"}}, ["a/x.h", "b/x.h"], set(), 1),
        ({"a": set(), "b": set()}, ["a/x.h"], set(), 1),
        ({"a": {"b"}, "b": set()}, ["a/x.h", "b/x.h"], {("a", "b")}, 1),
        ({"a": {"c"}}, ["a/x.h"], set(), 1),
        ({"a": set()}, [f"a/{i}.h" for i in range(MOST_FILES + 1)], set(), 1),
    ]
    for table in tables:
        found = check_rooms(*table[:3])
        if len(found) != table[3]:
            print(f"self-test: expected {table[3]} findings, got {found} for {table[:3]}")
            code = 1
    print(f"self-test: {len(cases) + len(tables)} cases")
    return code


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    count, findings = check_source(Path(__file__).resolve().parent.parent / "src")
    for finding in findings:
        print(f"src/{finding}")
    print(f"{count} files, {len(findings)} findings")
    return 1 if findings or not count else 0


if __name__ == "__main__":
    sys.exit(main())
