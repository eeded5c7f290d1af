#!/usr/bin/env python3
"""Charts for papers: plan --svg, --chart, --theme.

    tests/cli/charts_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import csv
import json
import os
import re
import tempfile
import unittest
from xml.etree import ElementTree

from program import EXAMPLES, ROOT, main, run

NAMES = ["cost-time", "memory", "step-time", "schedule", "fan-time", "fan-cost", "price-age", "tornado-cost", "tornado-hours"]
SVG = "{http://www.w3.org/2000/svg}"


def missing_from(lines, mark):
    return not any([mark["x"], mark["y"]] in [list(point) for point in line["points"]] for line in lines)


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

    def test_the_chart_of_a_terminal_is_that_of_a_page(self):
        roles = {"pick": "pick", "frontier": "best", "dominated": "beaten", "tight": "beaten"}
        for job in EXAMPLES:
            view = run("plan", job, "--show", "chart", "--csv").stdout
            letters = {(row["plan"], roles[row["kind"]], f"{float(row['hours']):.3g}", f"{float(row['cost_usd']):.3g}")
                       for row in csv.DictReader(view.splitlines())}
            document = json.loads(run("report", job, "--json").stdout)
            blocks = [block for section in document["sections"] for block in section["blocks"]]
            charts = [block["chart"] for block in blocks if block.get("chart", {}).get("kind") == "cost_time"]
            if not charts:
                self.assertEqual(len(letters), 1, job)
                continue
            points = [mark for mark in charts[0]["marks"] if mark["shape"] == "point"]
            drawn = {(mark["tip"][0], mark["mark"], f"{mark['x']:.3g}", f"{mark['y']:.3g}") for mark in points}
            self.assertEqual(drawn - letters, set(), job)
            # What lies far off stands in words.
            missing = letters - drawn
            self.assertEqual({role for _, role, _, _ in missing} - {"beaten"}, set(), job)
            told = re.search(r"Not drawn: ([\d,]+) beaten plan", charts[0]["caption"])
            self.assertEqual(int(told[1].replace(",", "")) if told else 0, len(view.splitlines()) - 1 - len(points), job)
            # The steps of the line are the plans of the frontier.
            lines = [mark for mark in charts[0]["marks"] if mark["shape"] == "line" and mark["mark"] == "best"]
            for mark in points if lines else []:
                if mark["mark"] == "best":
                    self.assertFalse(missing_from(lines, mark), f"{job}: {mark['tip'][0]}")

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
