"""What the tests of the command line share: the program, an environment without the caller's, and the way out."""

import io
import os
import signal
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("examples/*.yaml"))
PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""


def environment(**more):
    return {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent", "GPUPLAN_CONFIG": "", "GPUPLAN_RUNS": "",
            "GPUPLAN_STORE": "", "GPUPLAN_TODAY": "2026-11-22", "HF_HUB_OFFLINE": "1", **more}


# For scripts that are started: a machine without GPUs, whose PyTorch is asked for nothing else.
NO_GPUS = {"PYTHONPATH": str(ROOT / "tests/cli/no_gpus"), "PYTHONDONTWRITEBYTECODE": "1"}


def run(*words, stdin=None, stdout=subprocess.PIPE, **more):
    done = subprocess.run([PROGRAM, *words], cwd=ROOT, env=environment(**more), input=stdin, stdout=stdout,
                          stderr=subprocess.PIPE, timeout=60,
                          **({} if stdin is not None else {"stdin": subprocess.DEVNULL}))
    done.stdout = (done.stdout or b"").decode()
    done.stderr = done.stderr.decode()
    return done


class Together:
    """Runs tests that mostly wait, so many at once. Each has a result of its own: unittest knows no threads."""

    def __init__(self, at_once):
        self.at_once = at_once

    def run(self, suite):
        def cases(tests):
            for test in tests:
                yield from cases(test) if isinstance(test, unittest.TestSuite) else [test]

        def alone(case):
            said = io.StringIO()
            return unittest.TextTestRunner(stream=said, verbosity=0).run(unittest.TestSuite([case])), said.getvalue()

        whole = unittest.TestResult()
        with ThreadPoolExecutor(self.at_once) as pool:
            for result, said in pool.map(alone, cases(suite)):
                whole.testsRun += result.testsRun
                whole.failures += result.failures
                whole.errors += result.errors
                if not result.wasSuccessful():
                    print(said, file=sys.stderr)
        return whole


def main(usage, at_once=1):
    """Runs the tests of the calling file, so many at once: FILE_test.py PROGRAM [unittest options]."""
    if not PROGRAM or sys.argv[1].startswith("-"):
        sys.exit(usage)
    del sys.argv[1]
    # Ignored where the tests run in the background or under nohup, and so by every program they start.
    for sent in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(sent) == signal.SIG_IGN:
            signal.signal(sent, signal.SIG_DFL)
    runner = Together(at_once) if at_once > 1 else None
    outcome = unittest.main(exit=False, verbosity=0, testRunner=runner).result
    bad = len(outcome.failures) + len(outcome.errors)
    print(f"counted {outcome.testsRun - bad} {bad}")
    sys.exit(bool(bad))
