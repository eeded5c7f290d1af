#!/usr/bin/env python3
"""The first and the last lines of a guide, its quick choice, words of the job in it, and scripts that lie beside it.

    tests/cli/guide_ends_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

from guide_document import ANSWERS, FLAGS, JOBS, blocks_of, document, report, table
from program import PROGRAM, ROOT, environment, main, run

GUIDES = ("neurlang", "trm-nanochat", "collection", "sft-node", "latentwire")
TRAIN = ("train: {model: Qwen/Qwen2.5-7B-Instruct, method: lora, data: {samples: 1000}, epochs: 1, sequence: 1024, "
         "batch: {sequences: 16}}")
NO_START = "no time to boot and to install"


def sections(text):
    return re.split(r"^## ", text, flags=re.M)


class Start(unittest.TestCase):
    """Whether a plan counts any time for the start of its machines: one that was said is never denied."""

    def said(self, first, second, more=""):
        job = f"""job: starts
market:
  use: only
  offers:
    - {{gpu: H100 SXM, gpus: 1, price: $2.49/h}}
{more}
phases:
  - {{name: one, {first}{TRAIN}}}
  - {{name: two, needs: [one], {second}{TRAIN}}}
"""
        done = run("plan", "-", stdin=job.encode())
        self.assertEqual(done.returncode, 0, done.stderr)
        flat = " ".join(done.stdout.split())
        return NO_START in flat, flat

    def test_what_one_phase_says_counts_for_the_machine(self):
        setup = "setup: {time: 10-20 min}, "
        for first, second in (("", ""), (setup, ""), ("", setup), (setup, setup), ("overhead: {time: 5 min}, ", "")):
            with self.subTest((first, second)):
                told, flat = self.said(first, second)
                self.assertEqual(told, not first and not second, flat)

    def test_a_share_of_overhead_is_no_start(self):
        self.assertTrue(self.said("overhead: {share: 10%}, ", "")[0])

    def test_a_boot_that_an_offer_states_counts(self):
        job = ("job: b\nmarket: {use: only, offers: [{gpu: H100 SXM, price: $2/h, billing: {startup: 4 min}}]}\n"
               f"phases: [{{name: one, {TRAIN}}}]\n")
        self.assertNotIn(NO_START, run("plan", "-", stdin=job.encode()).stdout)
        bare = job.replace(", billing: {startup: 4 min}", "")
        self.assertIn(NO_START, " ".join(run("plan", "-", stdin=bare.encode()).stdout.split()))

    def test_examples_that_state_a_setup_are_not_told_they_have_none(self):
        for name in GUIDES:
            job = (ROOT / f"examples/{name}.yaml").read_text()
            plan = json.loads(run("plan", f"examples/{name}.yaml", "--json").stdout)
            pick = next(one for one in plan["plans"] if one["id"] == plan["recommendations"]["pick"])
            if re.search(r"^ +(setup|overhead):", job, re.M) and len(pick["leases"]) == 1:
                self.assertNotIn(NO_START, report(f"examples/{name}.yaml"), name)


class From(unittest.TestCase):
    def test_plan_and_page_are_read_back(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = Path(folder, "plan.json")
            done = run("plan", "examples/llama-8b-lora.yaml", "-o", str(kept))
            self.assertEqual(done.returncode, 0, done.stderr)
            page = Path(folder, "plan.html")
            page.write_text('<!doctype html>\n<script type="application/json" id="gpuplan-plan">' +
                            kept.read_text().replace("<", "\\u003c") + "</script>", encoding="utf-8")
            wanted = json.loads(kept.read_text())
            for file in (kept, page):
                for words in (["--from", str(file)], [f"--from={file}"], [str(file)]):
                    again = run("plan", *words, "--json")
                    self.assertEqual(again.returncode, 0, again.stderr)
                    found = json.loads(again.stdout)
                    self.assertEqual([one["id"] for one in found["plans"]], [one["id"] for one in wanted["plans"]])
                    self.assertEqual(found["recommendations"], wanted["recommendations"])
            changed = json.loads(run("plan", "--from", str(page), "--json", "--set", "limits.deadline=900 h").stdout)
            self.assertEqual(changed["limits"]["deadline_hours"], 900)
            text = run("plan", "--from", str(page)).stdout
            # What is to be typed next works as it stands.
            self.assertIn(f"gpuplan launch {page}", " ".join(text.split()))

    def test_what_is_no_plan_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "other.html")
            page.write_text("<!doctype html><p>hello", encoding="utf-8")
            for words, wanted in ((["--from", "examples/sft-node.yaml"], "no saved plan"), (["--from", str(page)], "no saved plan"),
                                  (["--from", "nothing.html"], "no such file"),
                                  (["examples/sft-node.yaml", "--from", str(page)], "two jobs")):
                done = run("plan", *words)
                self.assertNotEqual(done.returncode, 0)
                self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)
                self.assertIn(wanted, done.stderr)


class Ends(unittest.TestCase):
    """Head and end of a guide."""

    def test_the_goal_stands_under_the_title(self):
        for name in GUIDES:
            with self.subTest(name):
                text = report(f"examples/{name}.yaml")
                head = sections(text)[0]
                goal = re.search(r"^purpose: \|\n((?:  .*\n|\n)+)", (ROOT / f"examples/{name}.yaml").read_text(), re.M).group(1)
                first = " ".join(goal.strip().split("\n\n")[0].split())
                self.assertIn(first, " ".join(head.split()))
                self.assertLess(head.index("# "), head.index(first[:20]))
                self.assertEqual(" ".join(text.split()).count(first), 1)

    def test_a_purpose_is_markdown_however_short(self):
        job = "job: x\npurpose: %s\nmarket: {use: only, offers: [{gpu: H100 SXM, price: $2/h}]}\nphases: [{name: one, " + TRAIN + "}]\n"
        for written, head, below in (('"Find **the best** `batch`."', "Find **the best** `batch`.", None),
                                     ('"- one\\n- two"', None, "- one"),
                                     ('"Why it is.\\n\\n- a list\\n- of two"', "Why it is.", "- a list"),
                                     ('"141 GB are enough?"', "141 GB are enough?", None),
                                     ('"<script>alert(1)</script> of it"', "script", None)):
            with self.subTest(written):
                text = run("report", "-", stdin=(job % written).encode()).stdout
                parts = sections(text)
                if head:
                    self.assertIn(head, parts[0])
                if below:
                    self.assertNotIn(below, parts[0])
                    self.assertIn(below, text)
                self.assertNotIn("<script", text)

    def test_it_ends_with_a_card_and_the_command(self):
        for words in [(job,) for job in JOBS] + list(FLAGS):
            with self.subTest(words):
                done = run("report", *words)
                self.assertIn(done.returncode, ANSWERS)
                text = done.stdout
                command = re.search(r"To make this guide again: `+ ?(.*?) ?`+$", sections(text)[0], re.M).group(1)
                shown = [line for line in text.splitlines() if line and not line.startswith("<!--")]
                self.assertIn(command, shown[-1])
                self.assertTrue(shown[-1].startswith("To make this guide again: "), shown[-1])
                if done.returncode == 3:
                    continue
                titles = [part.splitlines()[0] for part in sections(text)[1:]]
                self.assertEqual(titles[-2], "Summary card")

    def test_the_card_holds_the_figures_of_the_answer(self):
        for name in JOBS:
            found = document(name)
            card = table(found, "card")
            if card is None:
                continue
            with self.subTest(name):
                rows = {row["cells"][0]: row["cells"][1] for row in card["rows"]}
                answer = found["sections"][0]
                pick = next((row for block in answer["blocks"] if block["kind"] == "table" for row in block["rows"]
                             if row["mark"] == "pick"), None)
                self.assertIn("Machines", rows)
                if pick is None:
                    continue
                cells = [cell for cell in pick["cells"] if cell]
                self.assertTrue(any(rows["Time"].startswith(cell) for cell in cells), (rows, cells))
                if "Cost" in rows:
                    self.assertTrue(any(rows["Cost"].startswith(cell) for cell in cells), (rows, cells))

    def test_quick_choice_has_price_balance_and_commands(self):
        balanced = 0
        for name in JOBS:
            found = document(name)
            wishes = table(found, "choices")
            if wishes is None:
                continue
            with self.subTest(name):
                plan = json.loads(run("plan", name, "--json", "--all").stdout)
                section = next(one for one in found["sections"] if one["key"] == "choice")
                commands = [line for block in blocks_of(section["blocks"], "code") for line in block["text"].splitlines()]
                ids = {one["id"] for one in plan["plans"]}
                for line in commands:
                    typed = shlex.split(line, comments=True)
                    self.assertEqual(typed[:2], ["gpuplan", "launch"])
                    self.assertIn(typed[typed.index("--plan") + 1], ids)
                balanced += any("balanced" in row["cells"][0] for row in wishes["rows"])
        self.assertGreater(balanced, 10)

    def test_balanced_is_the_least_product_of_cost_and_time(self):
        for name in ("neurlang", "trm-nanochat", "collection"):
            plan = json.loads(run("plan", f"examples/{name}.yaml", "--json", "--all").stdout)
            rows = json.loads(run("plan", f"examples/{name}.yaml", "--json", "--all", "--show", "decisions").stdout)
            found = [one for one in json.dumps(rows).split('"priority"') if '"balanced"' in one[:20]]
            keeps = [one for one in plan["plans"] if one.get("fit", "fits") == "fits"]
            least = min(keeps, key=lambda one: one["cost_usd"]["p50"] * one["hours"]["p50"])
            if found:
                self.assertIn(least["id"], found[0], name)


class Words(unittest.TestCase):
    JOB = """job: words
market:
  use: only
  offers:
    - {gpu: H100 SXM, price: $2/h, notes: "80 GB a GPU", title: "The *usual* one", purpose: "For `urgent` work"}
    - {gpu: H200 SXM, price: $3/h, notes: "141 GB a GPU; 2 more"}
    - {gpu: L40S, price: $1/h, notes: "1. first"}
options:
  - {gpu: H100 SXM, title: "Way", purpose: "Why so", notes: "Note on it"}
tasks:
  - {do: look, purpose: "to see", notes: "with care"}
phases: [{name: one, %s}]
""" % TRAIN

    def test_titles_and_goals_of_offers_options_and_tasks_are_told(self):
        text = run("report", "-", stdin=self.JOB.encode()).stdout
        machines = next(part for part in sections(text) if part.startswith("What do the machines cost?"))
        self.assertIn("**The \\*usual\\* one**\n\nFor `urgent` work\n\n80 GB a GPU", machines)
        self.assertIn("Why so\n\nNote on it", text)
        self.assertLess(text.index("to see"), text.index("with care"))

    def test_their_order_in_the_file_changes_nothing(self):
        told = json.loads(run("plan", "-", "--json", stdin=self.JOB.encode()).stdout)["prose"]
        turned = self.JOB.replace('notes: "80 GB a GPU", title: "The *usual* one", purpose: "For `urgent` work"',
                                  'purpose: "For `urgent` work", notes: "80 GB a GPU", title: "The *usual* one"')
        self.assertNotEqual(turned, self.JOB)
        self.assertEqual(json.loads(run("plan", "-", "--json", stdin=turned.encode()).stdout)["prose"], told)

    def test_notes_that_begin_with_a_digit_stay_in_their_list(self):
        text = run("report", "-", stdin=self.JOB.encode()).stdout
        self.assertRegex(text, r"(?m)^- H200 SXM: 141 GB a GPU; 2 more$")
        self.assertNotRegex(text, r"(?m)^- L40S: 1\. first$")

    def test_a_goal_elsewhere_is_told_its_name(self):
        done = run("plan", "-", stdin=self.JOB.replace("title: \"The", "goal: \"The").encode())
        self.assertEqual(done.returncode, 5)
        self.assertIn("purpose", done.stderr)

    def test_a_price_list_in_a_job_is_pointed_to_its_option(self):
        offers = ", ".join(["{gpu: H100 SXM, price: $2/h}"] * 1001)
        job = f"job: x\nmarket: {{offers: [{offers}]}}\nphases: [{{name: one, {TRAIN}}}]\n"
        done = run("plan", "-", stdin=job.encode())
        self.assertEqual((done.returncode, done.stderr.count("\n")), (5, 1))
        self.assertIn("--prices", done.stderr)


class Scripts(unittest.TestCase):
    def test_they_are_linked_where_they_lie_beside_the_guide(self):
        with tempfile.TemporaryDirectory() as folder:
            def made(*words):
                done = subprocess.run([PROGRAM, *words], cwd=folder, env=environment(), capture_output=True, timeout=60)
                self.assertIn(done.returncode, ANSWERS, done.stderr)
            job = str(ROOT / "examples/sft-node.yaml")
            made("report", job, "-o", "G.md")
            bare = Path(folder, "G.md").read_text()
            self.assertNotIn("](run-", bare)
            command = re.search(r"^gpuplan launch .* -o (run-sft-node)$", bare, re.M)
            made(*shlex.split(command.group(0))[1:])
            made("report", job, "-o", "G.md")
            text = Path(folder, "G.md").read_text()
            links = re.findall(r"\]\((run-[^)]*)\)", text)
            self.assertGreater(len(links), 4)
            for link in links:
                self.assertTrue(Path(folder, link).is_file(), link)
            with_links = {part.splitlines()[0] for part in sections(text) if "](run-" in part}
            self.assertEqual(with_links, {"What runs?", "How do I run it?", "What does this rest on?"} & {
                part.splitlines()[0] for part in sections(text)} | with_links)
            self.assertGreaterEqual(len(with_links), 3)
            Path(folder, links[0]).unlink()
            made("report", "--update", "G.md")
            self.assertNotIn(f"]({links[0]})", Path(folder, "G.md").read_text())


class Figures(unittest.TestCase):
    def test_gpus_used_are_the_same_everywhere(self):
        for name in ("sft-node", "trm-nanochat", "neurlang"):
            found = document(f"examples/{name}.yaml")
            text = run("plan", f"examples/{name}.yaml", "--details").stdout
            for _, one in ((0, table(found, key)) for key in ("phases", "schedule")):
                if one is None:
                    continue
                keys = [column["key"] for column in one["columns"]]
                if "phase" not in keys or "gpus_used" not in keys:
                    continue
                for row in one["rows"]:
                    used, phase = row["cells"][keys.index("gpus_used")], row["cells"][keys.index("phase")]
                    if " of " not in used:
                        continue
                    line = next((line for line in text.splitlines() if re.match(rf"\s*{re.escape(phase)}\s+\S+\s+\S+\s+\d+ of \d+", line)), "")
                    if line:
                        self.assertIn(used, line)

    def test_a_time_and_its_limit_are_in_one_unit(self):
        for name in JOBS:
            one = table(document(name), "watch")
            for row in one["rows"] if one else ():
                over = re.search(r"takes longer than [\d.,]+ (h|min|days|s)\b", " ".join(row["cells"]))
                if over and over.group(1) == "h":
                    self.assertFalse(any(re.fullmatch(r"[\d.]+ min", cell) for cell in row["cells"]), row)


if __name__ == "__main__":
    main(__doc__)
