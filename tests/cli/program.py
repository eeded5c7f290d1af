"""What the tests of the command line share: the program, an environment without the caller's, and the way out."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("examples/*.yaml"))
PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""


def environment(**more):
    return {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent", "GPUPLAN_CONFIG": "", **more}


def run(*words, stdin=None, stdout=subprocess.PIPE, **more):
    done = subprocess.run([PROGRAM, *words], cwd=ROOT, env=environment(**more), input=stdin, stdout=stdout,
                          stderr=subprocess.PIPE, timeout=60,
                          **({} if stdin is not None else {"stdin": subprocess.DEVNULL}))
    done.stdout = (done.stdout or b"").decode()
    done.stderr = done.stderr.decode()
    return done


def main(usage):
    """Runs the tests of the calling file: FILE_test.py PROGRAM [unittest options]."""
    if not PROGRAM or sys.argv[1].startswith("-"):
        sys.exit(usage)
    del sys.argv[1]
    outcome = unittest.main(exit=False, verbosity=0).result
    bad = len(outcome.failures) + len(outcome.errors)
    print(f"counted {outcome.testsRun - bad} {bad}")
    sys.exit(bool(bad))
