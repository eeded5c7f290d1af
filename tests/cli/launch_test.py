#!/usr/bin/env python3
"""gpuplan launch: what is written for every example, and what validators make of it; tests/cli/launch_test.cpp has the
choice of the plan and what is refused.

    tests/cli/launch_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import os
import re
import shutil
from pathlib import Path

from launch_folder import Folder
from program import EXAMPLES, main, run


class Writing(Folder):
    def shellcheck_that_remembers(self):
        """A folder with one: the same library lies beside the scripts of every example."""
        stubs = self.folder / "stubs"
        stubs.mkdir()
        if shutil.which("shellcheck"):
            stub = stubs / "shellcheck"
            stub.write_text('#!/bin/sh\nfor file; do :; done\nseen="$0-$3-$(sha256sum <"$file" | cut -c1-64)"\n'
                            '[ -e "$seen" ] || { /usr/bin/shellcheck "$@" && : >"$seen"; }\n')
            stub.chmod(0o755)
        return stubs

    def test_every_example_and_its_shell(self):
        path = f"{self.shellcheck_that_remembers()}:/usr/bin:/bin"
        for example in EXAMPLES:
            with self.subTest(example=example):
                self.out = self.folder / Path(example).stem
                done = run("launch", example, "--to", "bash", "-o", str(self.out), "--check", "--json", PATH=path)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                answer = json.loads(done.stdout)
                self.assertEqual(answer["schema"], "gpuplan/launch@1")
                written = {file["path"] for file in answer["folders"][0]["files"]}
                there = {str(path.relative_to(self.out)) for path in self.out.rglob("*") if path.is_file()}
                self.assertEqual(written, there)
                self.assertIn("README.md", there)
                for script in self.out.rglob("*.sh"):
                    if script.name != "lib.sh":
                        self.assertTrue(os.access(script, os.X_OK), script)


class Choice(Folder):
    def test_all_twelve_scripts_of_the_nanochat_guide(self):
        done = run("launch", "examples/trm-nanochat.yaml", "--to", "bash", "-o", str(self.out), "--plan", "all")
        self.assertEqual(done.returncode, 0, done.stderr)
        scripts = sorted(path.relative_to(self.out) for path in self.out.glob("*/phases/0*.sh"))
        self.assertEqual(len(scripts), 12)
        batches = {}
        index = (self.out / "README.md").read_text()
        for folder in sorted(path for path in self.out.iterdir() if path.is_dir()):
            self.assertRegex(index, rf"\n\| \w+ \| .+ \| .+ h.* \| .+ \| .+ \| `{re.escape(folder.name)}/` \|\n")
            self.assertIn(f"\n    cd {folder.name}\n    GPUPLAN_CODE=~/PROGRAM bash run.sh", index)
            for phase in ("01-validate", "02-produce"):
                command = (folder / "phases" / phase / "command.sh").read_text()
                gpus = int(re.search(r"--nproc_per_node=(\d+)", command).group(1))
                micro = int(re.search(r"--device_batch_size=(\d+)", command).group(1))
                self.assertEqual(524288 % (gpus * micro * 2048), 0, command)
                batches[folder.name, phase] = gpus * micro
        self.assertEqual(len(batches), 12)


if __name__ == "__main__":
    main(__doc__)
