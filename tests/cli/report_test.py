#!/usr/bin/env python3
"""gpuplan report: guides of every kind of job, their figures against plan --json, and what becomes of a guide later."""

import json
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from guide_document import ANSWERS, FLAGS, JOBS, blocks_of, column, document, report, table, tables
from program import EXAMPLES, PROGRAM, ROOT, environment, main, run

SMALL = """
job: %s
market:
  use: only
  offers: [{provider: here, gpu: H100 SXM, gpus: 1, price: $2/h}]
phases:
  - name: %s
    train: {model: {layers: 12, hidden: 768, vocab: 65536}, data: {tokens: 100M}, sequence: 1024, batch: {sequences: 64}}
"""
OWN = SMALL.replace("offers: [{provider: here, gpu: H100 SXM, gpus: 1, price: $2/h}]", "own: [{name: box, gpu: H100 SXM, gpus: 2}]")
HOSTILE = "a|b `c` <script>alert(1)</script> [x](http://y.z) # d ![i](j) **k** &lt; <!-- own text: q -->"


def without_record(text):
    return re.sub(r"<!-- gpuplan report \{.*\} -->\n", "", text)


def dollars(cell):
    return 0 if cell == "–" else round(10000 * float(cell.replace("$", "").replace(",", "")))


MACHINES = """
job: turns
market:
  use: only
  offers:
    - {provider: acme, gpu: H100 SXM, gpus: 8, price: $24/h}
    - {provider: beta, gpu: L4, gpus: 1, price: $0.5/h}
%s
schedule: stop_when_idle
phases:
  - {name: prep, cpu: {time: 2 h}}
  - {name: big, needs: [prep], fixed: {gpus: 8, time: 1 h}, before: {note: look, time: 30 min}}
  - {name: look, needs: [big], cpu: {time: 3 h}}
  - {name: small, needs: [look], fixed: {gpus: 1, time: 5 h}}
"""


class Machines(unittest.TestCase):
    """Plans that take machines one after another, and the user's own terms."""

    def guide(self, more=""):
        with tempfile.TemporaryDirectory() as folder:
            job = Path(folder, "job.yaml")
            job.write_text(MACHINES % more, encoding="utf-8")
            text = run("report", str(job)).stdout
            found = json.loads(run("report", str(job), "--json").stdout)
        return text, found

    def test_each_is_rented_in_its_turn_and_given_back(self):
        text, _ = self.guide()
        steps = re.findall(r"\*\*Step \d+\. (.*?)\*\*\n\n(?:```sh\n(.*?)```)?", text, re.DOTALL)
        order = [(words, code) for words, code in steps if any(word in code for word in ("bash ", "scp ", "ssh "))]
        def at(part):
            return next(i for i, (words, code) in enumerate(order) if part in words + code)
        rented = [i for i, (words, _) in enumerate(order) if words.startswith("Rent ")]
        places = [at("bash phases/01-prep.sh"), rented[0], at("bash 02-big.sh"), at("When big is done"),
                  at("bash phases/03-look.sh"), rented[1], at("bash 04-small.sh"), at("When small is done")]
        self.assertEqual(places, sorted(places), [words for words, _ in order])
        rents = [words for words, _ in steps if words.startswith("Rent ")]
        returns = [words for words, _ in steps if "give the machine back" in words]
        self.assertEqual((len(rents), len(returns)), (2, 2))
        # What has run goes with the folder.
        self.assertEqual(text.count("scp -r ../run-turns USER@HOST:"), 2)
        self.assertEqual(text.count("scp -r USER@HOST:run-turns/runs ."), 2)

    def test_hands_hold_gpus_that_are_not_used(self):
        text, found = self.guide()
        rows = table(found, "bill")["rows"]
        keys = [one["key"] for one in table(found, "bill")["columns"]]
        big = next(row for row in rows if row["cells"][0] == "big")
        used, paid = (big["values"][keys.index(key)] for key in ("gpu_hours_used", "gpu_hours_billed"))
        self.assertAlmostEqual(used / paid, 1 / 1.5, delta=0.05)

    def test_credits_pay_rows_that_add_up(self):
        text, found = self.guide("credits: [{provider: acme, amount: $10}]")
        bill = table(found, "bill")
        cost = [one["key"] for one in bill["columns"]].index("cost_usd")
        rows = {row["cells"][0]: row["cells"][cost] for row in bill["rows"]}
        total = rows.pop("In all")
        credit = next(name for name in rows if name.startswith("paid by credits at acme"))
        self.assertEqual(rows.pop(credit), "-$10.00")
        parts = [dollars(cell) for name, cell in rows.items() if "inside" not in name]
        self.assertEqual(sum(parts) - 100000, dollars(total))
        self.assertIn("after $10.00 of credits at acme", text)

    def test_nothing_to_pay_is_no_machine_of_ones_own(self):
        text, found = self.guide("credits: [{provider: acme, amount: $500}, {provider: beta, amount: $500}]")
        self.assertNotIn("the machines are yours", text)
        self.assertIn("nothing to pay", text)
        bill = table(found, "bill")
        cost = [one["key"] for one in bill["columns"]].index("cost_usd")
        self.assertTrue(any(dollars(row["cells"][cost].replace("-", "")) > 0 for row in bill["rows"]))

    def test_prices_move_a_plan_wherever_they_stand(self):
        # The market is sorted; the job's list is not.
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "job.yaml")
            pools = """
job: pools
goal: fastest
market:
  use: only
  pools:
    - {name: big, gpu: H100 SXM, gpus: 8, price: $1.8/h}
    - {name: old, gpu: A100 SXM 40GB, gpus: 8, price: $0.6/h}
phases: [{name: a, train: {model: Qwen2.5-1.5B, data: {tokens: 1B}, batch: {tokens: 0.5M}, sequence: 2048}}]
"""
            path.write_text(pools, encoding="utf-8")
            found = json.loads(run("whatif", str(path), "--sensitivity", "--json").stdout)
        inputs = {one["name"]: one for one in found["sensitivity"]["inputs"]}
        own = next(one for name, one in inputs.items() if name == "price of the machine")
        self.assertAlmostEqual(own["high"]["cost_usd"] / own["low"]["cost_usd"], 1.5, delta=0.02)

    def test_stand_ins_do_without_the_machine(self):
        _, found = self.guide()
        words = next(one for one in found["sections"] if one["key"] == "fallback")["finding"]
        self.assertRegex(words, "(?i)without|no other plan|No alternative")


class EveryJob(unittest.TestCase):
    def each(self):
        for words in [(job,) for job in JOBS] + list(FLAGS):
            yield words

    def test_nothing_is_empty(self):
        for words in self.each():
            found = document(*words)
            with self.subTest(words=words):
                self.assertEqual(found["report"], 1)
                self.assertTrue(found["sections"])
                for section in found["sections"]:
                    self.assertTrue(section["title"])
                    self.assertTrue(section["finding"] or section["blocks"], section["key"])
                for _, one in tables(found):
                    self.assertTrue(one["rows"] and one["columns"], one["key"])
                    for at in range(len(one["columns"])):
                        self.assertTrue(any(row["cells"][at] for row in one["rows"]), (one["key"], one["columns"][at]))
                    for row in one["rows"]:
                        self.assertEqual(len(row["cells"]), len(one["columns"]))
                        self.assertEqual(len(row["values"]), len(one["columns"]))
                text = json.dumps(found, ensure_ascii=False)
                self.assertIsNone(re.search(r"\b1 (plans|phases|offers|steps|machines|GPUs|assumptions|known issues)\b", text), words)
                self.assertNotRegex(text, r"undefined|--show|\(--")

    def test_figures_are_those_of_the_plan(self):
        for words in self.each():
            found = document(*words)
            plan = json.loads(run("plan", *words, "--json", "--all").stdout)
            with self.subTest(words=words):
                if not plan["plans"]:
                    self.assertEqual([one["key"] for one in found["sections"]][0], "answer")
                    continue
                by_name = {(round(one["hours"]["p50"], 9), round(one["cost_usd"]["p50"], 9)) for one in plan["plans"]}
                all_plans = table(found, "plans")
                hours, cost = column(all_plans, "hours"), column(all_plans, "cost_usd")
                for row in all_plans["rows"]:
                    self.assertIn((round(row["values"][hours], 9), round(row["values"][cost], 9)), by_name)
                pick = next(one for one in plan["plans"] if one["id"] == plan["recommendations"]["pick"])
                marked = [row for row in all_plans["rows"] if row["mark"] == "pick"]
                self.assertEqual(len(marked), 1)
                self.assertAlmostEqual(marked[0]["values"][cost], pick["cost_usd"]["p50"])
                bill = table(found, "bill")
                cost = column(bill, "cost_usd")
                self.assertAlmostEqual([row for row in bill["rows"] if row.get("strong")][0]["values"][cost], pick["cost_usd"]["p50"], 2)

    def test_bills_add_up_to_the_cent(self):
        for words in self.each():
            found = document(*words)
            bill = table(found, "bill")
            if bill is not None:
                cost = column(bill, "cost_usd")
                so_far = 0
                for row in bill["rows"]:
                    if row.get("strong"):
                        with self.subTest(words=words):
                            self.assertEqual(so_far, dollars(row["cells"][cost]))
                        break
                    so_far += dollars(row["cells"][cost])
            each = [one for _, one in tables(found) if one["key"] == "plan_phases"]
            for number, row in enumerate(each[-1]["rows"] if each else []):
                cells = [(name["key"], cell) for one in each
                         for name, cell in zip(one["columns"], one["rows"][number]["cells"])]
                parts = sum(dollars(cell.split(", $")[1]) for key, cell in cells if key == "phase_usd" and ", $" in cell)
                parts += sum(dollars(cell) for key, cell in cells if key == "held_usd" and cell)
                total = next(cell for key, cell in cells if key == "cost_usd")
                with self.subTest(words=words, plan=row["cells"][0]):
                    self.assertEqual(parts, dollars(total.split(", $")[1]) if ", $" in total else 0)

    def test_phases_cost_the_same_everywhere(self):
        seen = 0
        for words in self.each():
            found = document(*words)
            bill = table(found, "bill")
            if bill is None:
                continue
            cost, hours, phase = (column(bill, key) for key in ("cost_usd", "hours", "phase"))
            billed = {row["cells"][phase]: (row["cells"][hours], row["cells"][cost]) for row in bill["rows"]}
            for _, one in tables(found):
                if one["key"] != "plan_phases":
                    continue
                for row in one["rows"]:
                    for name, cell in zip(one["columns"], row["cells"]):
                        if row["mark"] != "pick" or name["key"] != "phase_usd":
                            continue
                        seen += 1
                        with self.subTest(words=words, phase=name["title"]):
                            self.assertEqual(cell, ", ".join(text for text in billed[name["title"]] if text != "–"))
        self.assertGreater(seen, 20)

    def test_what_is_alike_is_said_once(self):
        """No two rows that differ in their names alone, and no column that says the same in all rows of a wish or stand-in."""
        for words in self.each():
            for _, one in tables(document(*words)):
                if one["key"] in ("memory", "memory_parts"):
                    rows = [tuple(row["cells"][1:]) for row in one["rows"]]
                    with self.subTest(words=words, key=one["key"]):
                        self.assertEqual(len(rows), len(set(rows)))
                if one["key"] in ("choices", "fallback") and len(one["rows"]) > 1:
                    for at, name in enumerate(one["columns"]):
                        if name["title"] in ("Provider", "Memory per GPU", "Batch", "Offers", "Availability"):
                            with self.subTest(words=words, key=one["key"], column=name["title"]):
                                self.assertGreater(len({row["cells"][at] for row in one["rows"]}), 1)
                if one["key"] == "choices":
                    plans = [row["cells"][1] for row in one["rows"] if row["cells"][1]]
                    self.assertEqual(len(plans), len(set(plans)), words)

    def test_no_list_says_a_sentence_twice(self):
        for words in self.each():
            found = document(*words)
            seen = {}
            for section in found["sections"]:
                for block in blocks_of(section["blocks"], "list"):
                    for item in block["items"]:
                        with self.subTest(words=words, item=item):
                            self.assertNotIn(item, seen)
                        seen[item] = section["key"]

    def test_markdown_is_well_formed(self):
        for words in self.each():
            text = report(*words)
            with self.subTest(words=words):
                self.assertEqual(text, run("report", *words).stdout)  # the same bytes
                self.assertTrue(text.startswith("# "))
                self.assertNotIn("\n\n\n", text)
                code, width = False, None
                for line in text.split("\n"):
                    if line.startswith("```"):
                        code = not code
                    bars = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") and not code else None
                    if bars is not None and width is not None:
                        self.assertEqual(bars, width, line)
                    width = bars
                    self.assertEqual(line, line.rstrip(), repr(line))
                self.assertFalse(code)
                self.assertEqual(text.count("<details>"), text.count("</details>"))
                self.assertTrue(text.rstrip().split("\n")[-1].startswith("<!-- gpuplan report {"))


class Content(unittest.TestCase):
    """What hand-made documents tell and a reader would miss."""

    def section(self, key, job):
        return next(one for one in document(job)["sections"] if one["key"] == key)

    def text(self, key, job):
        return json.dumps(self.section(key, job), ensure_ascii=False)

    def test_what_is_beaten_is_beaten_by_its_row(self):
        seen = 0
        for job in EXAMPLES:
            plans = table(document(job), "plans")
            hours, cost, remark = (column(plans, key) for key in ("hours", "cost_usd", "remark"))
            rows = {row["cells"][0]: row for row in plans["rows"]}
            for name, row in rows.items():
                if by := re.search(r"beaten by (.*)$", row["cells"][remark]):
                    seen += 1
                    with self.subTest(job=job, plan=name):
                        self.assertIn(by[1], rows)
                        self.assertLessEqual(rows[by[1]]["values"][hours], row["values"][hours])
                        self.assertLessEqual(rows[by[1]]["values"][cost], row["values"][cost])
        self.assertGreater(seen, 15)

    def test_each_kind_and_number_of_gpus_stands_once_among_the_beaten(self):
        rows = table(document("examples/neurlang.yaml"), "plans")["rows"]
        names = [row["cells"][0].removesuffix(" spot") for row in rows]
        self.assertEqual(len(names), 14)
        self.assertEqual(len(set(names)), 14)

    def test_ties_are_told_where_the_plan_is_named(self):
        found = document("examples/trm-nanochat.yaml")
        self.assertIn("It has about the lowest total if your time counts $5/h (value_of_time), with fewer GPUs than 8x B200.",
                      found["sections"][0]["finding"])
        self.assertIn("the first has about the least, with fewer GPUs than 8x B200", self.text("fallback", "examples/trm-nanochat.yaml"))

    def test_no_sentence_contradicts_another(self):
        """Who is the best in nearly all cases is no close call; a beaten plan has no other steps than the job's."""
        text = report("examples/sft-node.yaml")
        self.assertIn("99.2%", text)
        self.assertNotIn("Close call", text)
        self.assertNotIn("In 8 of 10 cases", text)
        self.assertIn("Close call", report("examples/llama-8b-lora.yaml"))
        self.assertIn("10,000 steps at batch 256", report("examples/neurlang.yaml"))

    def test_what_is_told_once(self):
        self.assertEqual(report("examples/sft-node.yaml").count("your job file says 45 s per step"), 1)
        rows = table(document("examples/latentwire.yaml"), "choices")["rows"]
        for row in rows:
            self.assertLessEqual(row["cells"][-1].count("no plan is cheaper"), 1, row["cells"][-1])
        nothing = run("report", "--model", "Llama-3.1-405B", "--tokens", "10M", "--gpu", "RTX 3090", "--counts", "1").stdout
        self.assertEqual(nothing.count("Left out of"), 1)

    def test_one_phase_needs_no_timeline_and_no_table_of_phases(self):
        found = document("examples/llama-8b-lora.yaml")
        charts = {block["chart"]["key"]: block["chart"] for section in found["sections"] for block in blocks_of(section["blocks"], "chart")}
        self.assertNotIn("schedule", charts)
        self.assertIsNone(table(found, "plan_phases"))
        self.assertIsNotNone(table(document("examples/sft-node.yaml"), "plan_phases"))
        # In a crowd only plans that somebody may take have their names at their points.
        for mark in charts["cost-time"]["marks"]:
            if mark.get("mark") == "beaten":
                self.assertFalse(mark.get("label"), mark)
        # The chart of what moves the cost has the inputs of its table.
        drawn = {mark["tip"][0].lower() for mark in charts["tornado-cost"]["marks"] if mark["shape"] == "bar"}
        self.assertNotIn("sequence", drawn)

    def test_the_risks_begin_with_what_is_open(self):
        risk = next(section for section in document("examples/llama-8b-lora.yaml")["sections"] if section["key"] == "risk")
        self.assertRegex(risk["finding"], r"^Nothing is known that would stop it; 8 in 10 runs take .+ and cost \$.+\.$")

    def test_guides_are_short(self):
        """Words to read, without bars of tables and the record at the end."""
        for job, most in (("sft-node", 5000), ("neurlang", 4500), ("trm-nanochat", 4900), ("collection", 3800), ("latentwire", 2800)):
            text = without_record(report(f"examples/{job}.yaml"))
            words = [word for word in text.split() if not re.fullmatch(r"[|:-]+", word)]
            with self.subTest(job=job):
                self.assertLess(len(words), most)

    def test_memory_by_batch_is_that_of_fit(self):
        one = table(document("examples/neurlang.yaml"), "batches")
        batches = [int(row["values"][column(one, "batch")]) for row in one["rows"]]
        self.assertEqual(batches, [32 * 2 ** at for at in range(8)])
        needs = [row["values"][column(one, "needed_gib")] for row in one["rows"]]
        self.assertEqual(needs, sorted(needs))
        plans = table(document("examples/neurlang.yaml"), "memory")
        pick = next(row for row in plans["rows"] if row["mark"] == "pick")["cells"]
        pick = pick[[name["title"] for name in plans["columns"]].index("Needs")]
        row = one["rows"][batches.index(1024)]
        self.assertEqual(pick.split(" ")[0], row["cells"][column(one, "needed_gib")])

    def test_weights_of_each_frozen_model_add_up(self):
        found = document("examples/latentwire.yaml")
        one, parts = table(found, "weights"), table(found, "memory_parts")
        total = sum(row["values"][column(one, "weights_gib")] for row in one["rows"])
        beside = 0.1  # encoder and adapters
        self.assertAlmostEqual(total, parts["rows"][0]["values"][column(parts, "weights_gib")], delta=beside)

    def test_searches_only_where_the_provider_may_be_the_market(self):
        self.assertIn("vastai search offers 'gpu_name=RTX_5090", self.text("fallback", "examples/collection.yaml"))
        for job in ("sft-node", "latentwire"):
            self.assertNotIn("vastai", report(f"examples/{job}.yaml"))

    def test_commands_of_each_plan_hold_its_numbers(self):
        text = report("examples/neurlang.yaml")
        for words in ("--gpu-profile h200 --batch_size 1024", "--gpu-profile rtx4090 --batch_size 256"):
            self.assertIn(words, text)

    def test_what_waits_for_hands_comes_after_the_start(self):
        steps = [block["text"] for block in self.section("run", "examples/trm-nanochat.yaml")["blocks"] if block["kind"] == "text"]
        start = next(at for at, step in enumerate(steps) if "On the machine" in step)
        hand = next(at for at, step in enumerate(steps) if "By hand, before produce (5 min (4.2–6))" in step)
        self.assertGreater(hand, start)

    def test_short_notes_on_machines_are_a_list(self):
        self.assertIn("\n- 4x RTX 5090: Brand new: take it when it is there.\n", report("examples/collection.yaml"))

    def test_headings_of_notes_stand_below_ours(self):
        with tempfile.TemporaryDirectory() as folder:
            job = Path(folder, "job.yaml")
            job.write_text(SMALL % ("headed", "train") + "notes: |\n  # Mine\n\n  ## Too\n\n  ```\n  # a comment\n  ```\n", encoding="utf-8")
            text = run("report", str(job)).stdout
        for words in ("\n### Mine\n", "\n### Too\n", "\n# a comment\n"):
            self.assertIn(words, text)

    def test_ranges_are_in_the_unit_of_their_figure(self):
        for job in EXAMPLES:
            for _, one in tables(document(job)):
                keys = [name["key"] for name in one["columns"]]
                if "hours" not in keys or "hours_range" not in keys:
                    continue
                for row in one["rows"]:
                    figure, range_of = row["cells"][keys.index("hours")], row["cells"][keys.index("hours_range")]
                    if " " in figure and range_of:  # others have the unit in their head
                        with self.subTest(job=job, figure=figure):
                            self.assertEqual(figure.split(" ")[1], range_of.split(" ")[1])


class Commands(unittest.TestCase):
    def test_every_command_runs(self):
        for job in EXAMPLES[:3] + ["examples/sft-node.yaml"]:
            found = document(job)
            with tempfile.TemporaryDirectory() as folder:
                for name in ("examples", "tests"):
                    Path(folder, name).symlink_to(ROOT / name)
                Path(folder, "gpuplan").symlink_to(PROGRAM)
                for section in found["sections"]:
                    for block in blocks_of(section["blocks"], "code"):
                        for line in block["text"].split("\n"):
                            if not line.startswith("gpuplan ") or line.startswith("gpuplan check "):
                                continue
                            words = shlex.split(line, comments=True)
                            done = subprocess.run([PROGRAM, *words[1:]], cwd=folder, env=environment(), capture_output=True, timeout=60,
                                                  check=False)
                            with self.subTest(line=line):
                                self.assertIn(done.returncode, ANSWERS, done.stderr.decode())
                            if words[1] == "launch":
                                self.assertEqual(done.returncode, 0, done.stderr.decode())
                                for written in Path(folder).iterdir():
                                    if written.is_dir() and not written.is_symlink():
                                        shutil.rmtree(written)

    def test_scripts_of_the_index_are_written(self):
        found = document("examples/sft-node.yaml")
        named = [row["cells"][0] for row in table(found, "scripts")["rows"]]
        self.assertIn("phases/*.sh", named)
        with tempfile.TemporaryDirectory() as folder:
            lines = [line for section in found["sections"] if section["key"] == "run" for block in blocks_of(section["blocks"], "code")
                     for line in block["text"].split("\n") if line.startswith("gpuplan launch")]
            words = shlex.split(lines[0])
            words[words.index("-o") + 1] = str(Path(folder, "out"))
            self.assertEqual(run(*words[1:]).returncode, 0)
            for name in named:
                self.assertTrue(list(Path(folder, "out").glob(name)), name)


class KindsOfJob(unittest.TestCase):
    def test_one_offer(self):
        found = document("-", stdin=(SMALL % ("one", "train")).encode())
        plans = next(section for section in found["sections"] if section["key"] == "plans")
        self.assertIn("one plan", plans["finding"])
        self.assertEqual(len(table(found, "plans")["rows"]), 1)
        # There is nothing to be the best of.
        text = json.dumps(found)
        self.assertNotIn("How often best", text)
        self.assertIn("the only plan that runs this job", text)
        self.assertNotIn("lowest total", text)

    def test_one_best_trade_off(self):
        found = document("examples/pretrain-7b-2-nodes.yaml")
        choice = next(section for section in found["sections"] if section["key"] == "choice")
        self.assertEqual(choice["finding"], "16x H100 SXM (2 nodes) is the cheapest and the fastest.")

    def test_what_nobody_said_is_told_as_assumed(self):
        found = document("--model", "llama-3.3-70b", "--generate", "--samples", "10k", "--prompt", "500", "--new", "300")
        rows = [row["cells"] for row in table(found, "overheads")["rows"] if row["cells"][0] == "setup"]
        self.assertEqual([cells[2] for cells in rows], ["assumed"])
        text = json.dumps(found, ensure_ascii=False)
        self.assertNotRegex(text, r"\bP90\b|\bp90\b|within the limits|each of the 1 ")
        self.assertRegex(text, r"fewer than \d,\d{3} tokens/s")
        stated = document("--model", "llama-3.3-70b", "--generate", "--samples", "10k", "--prompt", "500", "--new", "300",
                          "--setup", "10 min")
        self.assertEqual([row["cells"][2] for row in table(stated, "overheads")["rows"] if row["cells"][0] == "setup"], ["job"])

    def test_five_thousand_offers(self):
        with tempfile.TemporaryDirectory() as folder:
            prices, guide, page = (Path(folder) / name for name in ("prices.csv", "guide.md", "plan.html"))
            rows = [f"p{i % 50},r{i},8,{gpu},{price:.2f}" for i, (gpu, price) in enumerate(
                (gpu, 20 + 0.01 * n) for n in range(1250) for gpu in ("H100 SXM", "A100 SXM 80GB", "H200 SXM", "B200"))]
            prices.write_text("provider,region,gpus,gpu,price_per_hour\n" + "\n".join(rows) + "\n")
            asked = ("report", "examples/llama-8b-lora.yaml", "--prices", str(prices), "-o")
            self.assertEqual(run(*asked, str(guide)).returncode, 0)
            self.assertEqual(run(*asked, str(page)).returncode, 0)
            self.assertLess(len(guide.read_bytes()), 100_000)
            self.assertLess(len(page.read_bytes()), 2_500_000)
            self.assertIn("5,000 offers", guide.read_text())

    def test_a_machine_of_ones_own_costs_nothing(self):
        found = document("-", stdin=(OWN % ("own", "train")).encode())
        text = json.dumps(found)
        self.assertIn("no charge", text)
        self.assertNotIn("Rent ", found["sections"][0]["finding"])
        self.assertNotIn("nothing is rented any more", text)

    def test_nothing_fits(self):
        done = run("report", "--model", "Llama-3.1-405B", "--tokens", "10M", "--gpu", "RTX 3090", "--counts", "1")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("RTX 3090", done.stdout)
        found = document("examples/llama-8b-full.yaml", "--set", "where.gpus=[RTX 3060]")
        self.assertEqual(found["sections"][0]["key"], "answer")
        self.assertIsNotNone(table(found, "remedies"), "what would make it fit")
        # What was searched beside it: the nearest that runs as it is.
        changes = table(found, "limit_remedies")
        self.assertIn("where.gpus: all", [row["cells"][0] for row in changes["rows"]])
        self.assertIn("x ", changes["rows"][-1]["cells"][column(changes, "plan")])

    def test_limits_that_no_plan_keeps(self):
        done = run("report", "examples/collection.yaml", "--set", "limits.deadline=1 min")
        self.assertEqual(done.returncode, 4)
        self.assertIn("No plan keeps to the 1 min deadline", done.stdout)
        self.assertIn("What would keep the limits", done.stdout)

    def test_hostile_texts_are_texts(self):
        for name in (HOSTILE, "- x", "# y", "1. z", "> q", "---", "===", "x" * 300, "</details><h1>"):
            job = (SMALL % (json.dumps(name), json.dumps(name))) + f"    note: {json.dumps(name)}\n    yields: {json.dumps(name)}\n"
            done = run("report", "-", stdin=job.encode())
            if done.returncode not in ANSWERS:
                continue  # no name at all
            text = without_record(done.stdout)
            outside = re.sub(r"```.*?```", "", text, flags=re.S)
            outside = re.sub(r"(`+)[^`\n]+\1", "", outside)
            with self.subTest(name=name):
                self.assertNotRegex(outside, r"(?<!\\)<(script|h1)")
                self.assertNotIn("own text: q -->", re.sub(r"\\<!-- own text: q -->", "", outside))
                self.assertNotRegex(outside, r"(?<!\\)\]\(http")
                self.assertEqual(len(re.findall(r"(?m)^# ", outside)), 1)
                for line in outside.split("\n"):
                    self.assertNotIn(line, ("---", "==="))
        self.assertNotIn("\x1b", run("report", "-", stdin=(SMALL % ('"a\\u001b[31m"', "train")).encode()).stdout)

    def test_pages_hold_the_plan_and_the_document(self):
        with tempfile.TemporaryDirectory() as folder:
            for words in ((EXAMPLES[0],), FLAGS[3]):
                page = Path(folder, "plan.html")
                done = run("report", *words, "-o", str(page))
                if "Node.js" in done.stderr:  # a build without its page says so in a line and writes nothing
                    self.assertEqual((done.returncode, done.stderr.count("\n"), page.exists()), (5, 1, False))
                    continue
                self.assertIn(done.returncode, ANSWERS, done.stderr)
                text = page.read_text(encoding="utf-8")
                # The planner in it is there in some builds only; tests/web holds a page with it against the limit.
                planner = re.search(r'id="gpuplan-engine"[^>]*>([^<]*)<', text)
                self.assertLess(len(text) - (len(planner[1]) if planner else 0), 1_500_000)
                self.assertTrue(text.lower().startswith("<!doctype html>"))
                for section in document(*words)["sections"]:
                    self.assertIn(f'id="s-{section["key"]}"', text)
                charts = [block for section in document(*words)["sections"] for block in blocks_of(section["blocks"], "chart")]
                self.assertEqual(text.count("data:image/svg+xml,"), len(charts))
                self.assertNotRegex(text, r"(src|href)=\"https?:")
                # Time and cost stand large below the answer, and in its sentence for who hears it.
                self.assertRegex(text, r'<span class="finding[^>]*>[^<]+<span class="unseen">\. Plan for [^<]+</span>[.;]')

    def test_charts_stand_beside_a_guide(self):
        with tempfile.TemporaryDirectory() as folder:
            guide = Path(folder, "GUIDE.md")
            self.assertEqual(run("report", EXAMPLES[0], "-o", str(guide), "--charts").returncode, 0)
            named = re.findall(r"\]\((GUIDE\.charts/[^)]+)\)", guide.read_text(encoding="utf-8"))
            drawn = sorted(f"GUIDE.charts/{path.name}" for path in Path(folder, "GUIDE.charts").iterdir())
            self.assertGreater(len(named), 3)
            self.assertEqual(sorted(named), drawn)
            for name in named:
                self.assertTrue(Path(folder, name).read_text(encoding="utf-8").startswith("<svg"))
            self.assertEqual(run("report", "--check", str(guide)).returncode, 0)
            Path(folder, named[0]).unlink()
            self.assertEqual(run("report", "--update", str(guide)).returncode, 0)
            self.assertTrue(Path(folder, named[0]).exists())
            for words in (("--charts",), ("--charts", "-o", str(Path(folder, "x.html")))):
                done = run("report", EXAMPLES[0], *words)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)


class Later(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.job = Path(self.folder.name, "job.yaml")
        self.guide = Path(self.folder.name, "GUIDE.md")
        self.job.write_text(SMALL % ("later", "train"), encoding="utf-8")
        self.assertEqual(run("report", str(self.job), "-o", str(self.guide)).returncode, 0)

    def test_tables_of_its_own_count_again(self):
        data = Path(self.folder.name, "data")
        data.mkdir()
        slow = (ROOT / "data/assumptions.csv").read_text(encoding="utf-8").replace("\nprogram_start,10,20,40,", "\nprogram_start,1000,2000,4000,")
        (data / "assumptions.csv").write_text(slow, encoding="utf-8")
        before = self.guide.read_text(encoding="utf-8")
        done = run("report", str(self.job), "--data", str(data), "-o", str(self.guide), "--force")
        self.assertEqual(done.returncode, 0, done.stderr)
        plan = lambda text: re.search(r"Plan for [^(]*", text).group()
        self.assertNotEqual(plan(self.guide.read_text(encoding="utf-8")), plan(before))
        done = run("report", "--check", str(self.guide))
        self.assertEqual((done.returncode, "nothing changed" in done.stdout), (0, True), done.stdout + done.stderr)

    def edit(self, before, after):
        text = self.guide.read_text(encoding="utf-8")
        self.assertIn(before, text)
        self.guide.write_text(text.replace(before, after, 1), encoding="utf-8")

    def test_unchanged(self):
        done = run("report", "--check", str(self.guide))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("nothing changed", done.stdout)
        before = self.guide.read_bytes()
        self.assertEqual(run("report", "--update", str(self.guide)).returncode, 0)
        self.assertEqual(self.guide.read_bytes(), before)

    def test_changes_are_told_with_old_and_new(self):
        self.job.write_text((SMALL % ("later", "train")).replace("$2/h", "$3/h").replace("100M", "200M"), encoding="utf-8")
        done = run("report", "--check", str(self.guide), "--json")
        self.assertEqual(done.returncode, 6)
        changes = {one["what"]: (one["before"], one["now"]) for one in json.loads(done.stdout)["changes"]}
        self.assertIn(("$2.00/h", "$3.00/h"), changes.values())
        self.assertIn(("100M", "200M"), [value for what, value in changes.items() if what.endswith("tokens")])
        self.assertIn("answer: cost", changes)
        text = self.guide.read_text(encoding="utf-8")
        self.guide.write_text(text.replace('"version":"', '"version":"0.0.'), encoding="utf-8")
        self.assertIn("gpuplan", run("report", "--check", str(self.guide)).stdout)

    def test_own_text_stays(self):
        self.edit("<!-- own text: bill -->\n", "<!-- own text: bill -->\nAsk Ann | about *this*.\n\n- twice\n")
        done = run("report", "--check", str(self.guide))
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("by hand", done.stdout)
        refused = run("report", str(self.job), "-o", str(self.guide))
        self.assertEqual(refused.returncode, 5)
        self.assertIn("--update", refused.stderr)
        self.assertEqual(run("report", "--update", str(self.guide)).returncode, 0)
        self.assertIn("Ask Ann | about *this*.\n\n- twice\n<!-- end of own text -->", self.guide.read_text(encoding="utf-8"))

    def test_own_text_of_a_part_that_is_gone_stays(self):
        self.edit("<!-- own text: bill -->\n", "<!-- own text: elsewhere -->\nKept.\n<!-- end of own text -->\n<!-- own text: bill -->\n")
        for _ in range(2):
            self.assertEqual(run("report", "--update", str(self.guide)).returncode, 0)
            text = self.guide.read_text(encoding="utf-8")
            self.assertEqual((text.count("Kept."), text.count("own text: elsewhere")), (1, 1))

    def test_what_was_edited_elsewhere_is_told_and_kept(self):
        lines = self.guide.read_text(encoding="utf-8").split("\n")
        at = next(i for i, line in enumerate(lines) if line.startswith("## "))
        lines.insert(at + 1, "A line by hand.")
        self.guide.write_text("\n".join(lines), encoding="utf-8")
        edited = self.guide.read_bytes()
        self.assertIn(f"line {at + 2}", run("report", "--check", str(self.guide)).stdout)
        refused = run("report", "--update", str(self.guide))
        self.assertEqual(refused.returncode, 5)
        self.assertIn(f":{at + 2}: edited by hand", refused.stderr)
        self.assertEqual(self.guide.read_bytes(), edited)
        for name in ("GUIDE.edited.md", "GUIDE.edited-2.md"):
            self.assertEqual(run("report", "--update", str(self.guide), "--force").returncode, 0)
            self.assertEqual(Path(self.folder.name, name).read_bytes(), edited)
            self.assertNotIn("A line by hand.", self.guide.read_text(encoding="utf-8"))
            self.guide.write_bytes(edited)

    def test_what_was_edited_fails_a_check(self):
        self.assertEqual(run("report", "--check", str(self.guide)).returncode, 0)
        self.guide.write_text("By hand.\n" + self.guide.read_text(encoding="utf-8"), encoding="utf-8")
        self.assertEqual(run("report", "--check", str(self.guide)).returncode, 6)

    def test_line_ends_of_other_systems_are_no_edits(self):
        self.guide.write_bytes(self.guide.read_bytes().replace(b"\n", b"\r\n"))
        self.assertNotIn("by hand", run("report", "--check", str(self.guide)).stdout)

    def test_marks_that_do_not_end(self):
        text = self.guide.read_text(encoding="utf-8")
        line = text[:text.index("<!-- own text: basis -->")].count("\n") + 1
        at = text.rindex("<!-- end of own text -->")
        self.guide.write_text(text[:at] + text[at + len("<!-- end of own text -->"):], encoding="utf-8")
        done = run("report", "--update", str(self.guide))
        self.assertEqual(done.returncode, 5)
        self.assertIn(f":{line}: own text begins here and never ends", done.stderr)

    def test_no_guide(self):
        self.guide.write_text("# mine\n", encoding="utf-8")
        done = run("report", "--check", str(self.guide))
        self.assertEqual((done.returncode, done.stderr.count("\n")), (5, 1))
        self.assertEqual(run("report", "--check", str(self.guide), "--update", str(self.guide)).returncode, 2)

    def test_its_command_writes_nothing(self):
        """What a guide says it was made by is asked, not obeyed."""
        victim = Path(self.folder.name, "victim")
        text = self.guide.read_text(encoding="utf-8")
        self.guide.write_text(text.replace('"command":"gpuplan report ', f'"command":"gpuplan report -o {victim} '), encoding="utf-8")
        run("report", "--check", str(self.guide))
        run("report", "--update", str(self.guide))
        self.assertFalse(victim.exists())


class PageSize(unittest.TestCase):
    def test_every_example_fits_into_one_file(self):
        """2.5 MB with the planner in it; without it, so much less that it has room."""
        with tempfile.TemporaryDirectory() as folder:
            for job in EXAMPLES:
                page = Path(folder, "plan.html")
                done = run("report", job, "-o", str(page))
                self.assertIn(done.returncode, ANSWERS, (job, done.stderr))
                if not page.exists() or "without the page" in done.stderr:
                    self.skipTest("built without the page")
                most = 1_450_000 if "without the planner" in done.stderr else 2_500_000
                self.assertLess(page.stat().st_size, most, job)


if __name__ == "__main__":
    main(__doc__)
