#!/usr/bin/env python3
"""Checks the house of src/: who may include whom, and that the pure floors stay pure.

    tools/check_floors.py              check src/; one line for each finding, exit code 1 when there is any
    tools/check_floors.py --self-test  check that the checks notice what they should
"""

import re
import sys
from pathlib import Path

# Ground floor first. A folder includes itself and floors below; folders on one floor do not know each other.
FLOORS = [["base"], ["domain"], ["model"], ["spot"], ["plan"], ["evidence"], ["input", "store", "output", "web"], ["launch"],
          ["cli"]]

# Values in, values out: these floors also run in the browser and in parallel.
PURE = {"base", "domain", "model", "spot", "plan"}

# Heavy headers and those that tie a header to a library stay in .cpp files.
NOT_IN_HEADERS = {"iostream", "filesystem", "regex", "chrono", "functional"}
LIBRARIES = ("CLI/", "nlohmann/", "yaml-cpp/", "toml++/", "fmt/", "re2/", "zlib.h", "sqlite3")
NOT_IN_PURE = NOT_IN_HEADERS - {"functional"} | {
    "fstream", "sstream", "istream", "ostream", "cstdio", "ctime", "random", "stdexcept", "csignal", "format", "print"}
# Names that the pure floors may not call: results differ between C libraries, or depend on more than the arguments.
TRANSCENDENTAL = ("exp exp2 expm1 log log2 log10 log1p pow cbrt hypot sin cos tan asin acos atan atan2 sinh cosh tanh "
                  "asinh acosh atanh erf erfc tgamma lgamma fma").split()
IMPURE = "getenv setenv rand srand printf fopen".split()
CALL = re.compile(r"(?<![\w.>:])(?:std::|::)?(?P<name>" + "|".join(TRANSCENDENTAL + IMPURE) + r")[fl]?\s*\(")
KEYWORD = re.compile(r"\b(throw|try|catch)\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)


def without_comments_and_strings(text):
    """Same lines, but comments and the insides of literals are blank."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
    return pattern.sub(lambda match: '""' + "\n" * match.group().count("\n"), text)


def check_file(name, text, exists):
    """Findings for the file `name` (relative to src/); `exists` tells whether a quoted include is there."""
    folder = name.split("/")[0]
    height = {member: level for level, members in enumerate(FLOORS) for member in members}
    header = name.endswith(".h")
    if folder not in height:
        return [f"{name}:1: the folder {folder} is on no floor; tools/check_floors.py lists them"]

    def line_of(position):
        return text.count("\n", 0, position) + 1

    findings = []
    if header and "#pragma once" not in text:
        findings.append(f"{name}:1: a header needs #pragma once")
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
            findings.append(f'{where}: "{target}" is no file of src/; write includes as "floor/file.h"')
        elif other != folder and height[other] >= height[folder]:
            findings.append(f'{where}: {folder} may not include "{target}": {other} is not below it')
    if folder in PURE and not name.startswith("base/math."):
        code = without_comments_and_strings(text)
        for match in CALL.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            findings.append(f"{name}:{line}: {match['name']}() does not belong in the pure floors; base/math.h has its own")
        for match in KEYWORD.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            findings.append(f"{name}:{line}: {match[1]}: the pure floors know no exceptions; use Result")
    return findings


def check_source(source):
    findings = []
    files = sorted(path for path in source.rglob("*") if path.suffix in (".h", ".cpp"))
    for path in files:
        name = path.relative_to(source).as_posix()
        findings += check_file(name, path.read_text(encoding="utf-8"), lambda target: (source / target).is_file())
    return len(files), findings


def self_test():
    """(file, text, findings expected)"""
    once = "#pragma once\n"
    cases = [
        ("model/a.h", once + '#include <vector>\n#include "domain/job.h"\n#include "model/b.h"\n', 0),
        ("model/a.h", '#include "domain/job.h"\n', 1),
        ("domain/a.h", once + '#include "model/b.h"\n', 1),
        ("input/a.cpp", '#include "output/b.h"\n', 1),
        ("cli/a.cpp", '#include "output/b.h"\n#include <iostream>\n', 0),
        ("output/a.h", once + "#include <functional>\n", 1),
        ("output/a.cpp", "#include <fmt/core.h>\n", 0),
        ("plan/a.cpp", "#include <fmt/core.h>\n", 1),
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
        ("input/a.cpp", "try { throw 1; } catch (...) { std::exp(1); }\n", 0),
        ("base/math.cpp", "double exp(double x);\n", 0),
    ]
    code = 0
    for name, text, expected in cases:
        found = check_file(name, text, lambda target: "missing" not in target)
        if len(found) != expected:
            print(f"self-test: {name}: expected {expected} findings, got {found} for:\n{text}")
            code = 1
    print(f"self-test: {len(cases)} cases")
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
