#!/usr/bin/env python3
"""Compares docs/guides, the planning documents of five example jobs, with what the program writes.

    tools/guides.py build/release/gpuplan            compare, byte by byte
    tools/guides.py --update build/release/gpuplan   write them anew, to be read in the diff

Each is `gpuplan report examples/NAME.yaml --charts -o docs/guides/NAME.md`, made in the root of the repository as on the day
on which tools/golden.py runs. Links from docs/seeds.md to headings of the guides must lead to one. Prints "counted
PASSED FAILED" last, for ./test.
"""

import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import golden

ROOT = golden.ROOT
GUIDES = ROOT / "docs/guides"
PAGE = ROOT / "docs/seeds.md"
NAMES = ("neurlang", "trm-nanochat", "collection", "sft-node", "latentwire")
LARGEST = 600_000  # bytes that the folder may have


def written(program, name, folder):
    """The guide and its charts as the program writes them now, by path below docs/guides."""
    out = Path(folder) / f"{name}.md"
    words = ["report", f"examples/{name}.yaml", "--charts", "-o", str(out)]
    done = subprocess.run([program, *words], cwd=ROOT, env=golden.fresh_environment(100), stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=120)
    if done.returncode not in (0, 3, 4):
        sys.exit(f"guides: gpuplan {' '.join(words)}: {done.stderr.decode()}")
    paths = [out, *sorted((Path(folder) / f"{name}.charts").glob("*.svg"))]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def anchors(markdown):
    """Of its headings, as GitHub makes them."""
    titles = re.findall(r"^#{1,6} (.+)$", markdown, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken_links(guides):
    """Links of docs/seeds.md into the guides that lead nowhere, and how many there are."""
    links = re.findall(r"\(guides/([^)#]+)(?:#([^)]*))?\)", PAGE.read_text(encoding="utf-8"))
    broken = []
    for name, anchor in links:
        text = guides.get(name)
        if text is None or (anchor and anchor not in anchors(text.decode("utf-8"))):
            broken.append(f"docs/seeds.md: no guides/{name}#{anchor}")
    return broken, len(links)


def main():
    arguments = sys.argv[1:]
    update = "--update" in arguments
    arguments = [argument for argument in arguments if argument != "--update"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    program = os.path.abspath(arguments[0])
    now = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            now |= written(program, name, folder)
    if update:
        shutil.rmtree(GUIDES, ignore_errors=True)
        for name, text in now.items():
            (GUIDES / name).parent.mkdir(parents=True, exist_ok=True)
            (GUIDES / name).write_bytes(text)
        print(f"written: {len(now)} files, {sum(map(len, now.values())):,} bytes")
        return 0
    there = {str(path.relative_to(GUIDES)): path.read_bytes() for path in GUIDES.rglob("*") if path.is_file()}
    passed = failed = 0
    for name in sorted(now.keys() | there.keys()):
        old, new = there.get(name, b""), now.get(name, b"")
        if old == new:
            passed += 1
            continue
        failed += 1
        if name.endswith(".md"):
            lines = difflib.unified_diff(old.decode().splitlines(), new.decode().splitlines(), f"docs/guides/{name}", "now",
                                         lineterm="")
            print("\n".join(line[:400] for line in lines))
        else:
            print(f"docs/guides/{name} differs; tools/guides.py --update writes it anew")
    broken, links = broken_links(now)
    print("\n".join(broken + ([] if links else ["docs/seeds.md: no link to a guide"])))
    small = sum(map(len, now.values())) <= LARGEST
    if not small:
        print(f"docs/guides has more than {LARGEST:,} bytes")
    passed += links - len(broken) + small
    failed += len(broken) + (not links) + (not small)
    print(f"counted {passed} {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
