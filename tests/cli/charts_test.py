#!/usr/bin/env python3
"""Charts for papers: plan --svg, --chart, --theme.

    tests/cli/charts_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import os
import re
import tempfile
import unittest
from xml.etree import ElementTree

from program import EXAMPLES, ROOT, main, run

NAMES = ["cost-time", "memory", "step-time", "schedule", "fan-time", "fan-cost", "price-age", "tornado-cost", "tornado-hours"]
SVG = "{http://www.w3.org/2000/svg}"


def parsed(text):
    return ElementTree.fromstring(text)


class Charts(unittest.TestCase):
    def test_every_chart_of_every_example_is_svg_or_said_to_be_none(self):
        drawn = dict.fromkeys(NAMES, 0)
        for job in EXAMPLES:
            for name in NAMES:
                done = run("plan", job, "--svg", "-", "--chart", name)
                self.assertIn(done.returncode, (0, 4), f"{job} {name}: {done.stderr}")
                if not done.stdout:
                    self.assertRegex(done.stderr, f"^gpuplan: --svg: nothing to draw in the chart {name}", job)
                    continue
                root = parsed(done.stdout)
                self.assertEqual(root.tag, SVG + "svg")
                self.assertEqual(root.get("role"), "img")
                self.assertTrue(root.find(SVG + "title").text and root.find(SVG + "desc").text)
                self.assertFalse(root.findall(f".//{SVG}script"))
                self.assertNotRegex(done.stdout, r"(?i)nan\b|https?://(?!www\.w3\.org/2000/svg)")
                drawn[name] += 1
        self.assertTrue(all(drawn.values()), drawn)

    def test_the_file_stands_beside_the_answer(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "chart.svg")
            plain = run("plan", EXAMPLES[0], "--json")
            done = run("plan", EXAMPLES[0], "--json", "--svg", file)
            self.assertEqual(done.returncode, plain.returncode)
            keys = lambda text: [p["id"] for p in json.loads(text)["plans"]]
            self.assertEqual(keys(done.stdout), keys(plain.stdout))
            with open(file, encoding="utf-8") as opened:
                svg = opened.read()
            self.assertEqual(svg, run("plan", EXAMPLES[0], "--svg", "-").stdout)
            self.assertEqual(parsed(svg).find(SVG + "title").text, "Which plans are worth a look?")
            self.assertEqual(os.listdir(folder), ["chart.svg"])

    def test_the_pick_of_the_chart_is_that_of_the_answer(self):
        for job in EXAMPLES:
            answer = json.loads(run("plan", job, "--json").stdout)
            svg = run("plan", job, "--svg", "-").stdout
            if not svg:
                self.assertEqual(len(answer["plans"]), 1, job)
                continue
            picks = [g for g in parsed(svg).iter(SVG + "g") if any(c.get("class") == "pick" for c in g)]
            self.assertEqual(len(picks), 1, job)
            pick = next(p for p in answer["plans"] if p["id"] == answer["recommendations"]["pick"])
            self.assertIn(pick["label"], picks[0].find(SVG + "title").text)

    def test_themes(self):
        light = run("plan", EXAMPLES[0], "--svg", "-").stdout
        self.assertEqual(light, run("plan", EXAMPLES[0], "--svg", "-", "--theme", "light").stdout)
        self.assertIn("#0e1116", run("plan", EXAMPLES[0], "--svg", "-", "--theme", "dark").stdout)
        self.assertIn("prefers-color-scheme", run("plan", EXAMPLES[0], "--svg", "-", "--theme", "both").stdout)

    def test_wrong_use(self):
        for words, hint in [(["--chart", "memory"], "--svg"), (["--theme", "dark"], "--svg"), (["--width", "400"], "--svg"),
                            (["--svg", "-", "--chart", "pie"], "cost-time"), (["--svg", "-", "--theme", "pink"], "dark"),
                            (["--json", "--svg", "a.svg", "-o", "a.svg"], "different files")]:
            done = run("plan", EXAMPLES[0], *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(hint, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_what_can_not_be_written_is_said_and_nothing_is_left(self):
        done = run("plan", EXAMPLES[0], "--svg", "/nonexistent/chart.svg")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("/nonexistent/chart.svg", done.stderr)

    def test_nothing_fits(self):
        done = run("plan", EXAMPLES[0], "--gpu", "no such", "--svg", "-")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "")
        done = run("plan", "--model", "Llama-3.1-405B", "--tokens", "1M", "--gpu", "RTX 3090", "--svg", "-")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertIn("nothing fits", done.stderr)

    def test_hostile_names_stay_text(self):
        job = (ROOT / EXAMPLES[0]).read_text(encoding="utf-8")
        name = '<script>&"]]>'
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "job.yaml")
            with open(file, "w", encoding="utf-8") as opened:
                opened.write(re.sub(r"(?m)^job: .*$", "job: " + json.dumps(name), job))
            for chart in NAMES:
                text = run("plan", file, "--svg", "-", "--chart", chart).stdout
                self.assertNotIn("<script", text)
                if text:
                    parsed(text)


if __name__ == "__main__":
    main(__doc__)
