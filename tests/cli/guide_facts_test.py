#!/usr/bin/env python3
"""gpuplan report: what a guide says holds, for every example, every job of the seeds and jobs of other kinds: money that is
no machine's, disks and checkpoints as launch writes them, one figure for one plan, no rental where nothing is rented."""

import csv
import functools
import json
import re
import shlex
import tempfile
import unittest
from pathlib import Path

from guide_document import ANSWERS, FLAGS, JOBS, blocks_of, column, document, report, table, tables
from program import ROOT, main, run

LORA = "train: {model: Qwen/Qwen2.5-1.5B, method: lora, data: {samples: 2k, tokens_per_sample: 600}, batch: {sequences: 16}}"
OFFERS = """
market:
  use: only
  as_of: 2026-10
  offers:
    - {gpu: H100 SXM, gpus: 8, price: $20/h, provider: acme}
    - {gpu: A100 SXM 80GB, gpus: 8, price: $11/h, provider: bolt}
    - {gpu: L40S, gpus: 8, price: $8/h, provider: bolt}
"""
OWN_JOBS = {
    "sent": """
job: sent
phases:
  - name: keep
    collect:
      model: meta-llama/Llama-3.1-8B
      forward_only: true
      data: [{name: pile, samples: 20k, prompt_tokens: 1024}]
      store: {layers: 8, width: 4096, dtype: fp16}
storage: {disk_price: $0.10/GB-month, egress_price: $0.09/GB, results: "s3://bucket"}
""" + OFFERS,
    "stages": """
job: stages
phases:
  - {name: prep, cpu: {time: 30 min}}
  - name: sft
    needs: [prep]
    train: {model: Qwen/Qwen2.5-7B, method: full, data: {samples: 20k, tokens_per_sample: {mean: 900, max: 4096}}, epochs: 2, batch: {sequences: 64}}
  - name: answer
    needs: [sft]
    generate: {model: Qwen/Qwen2.5-7B, data: [{name: test, samples: 20k, prompt_tokens: 400, new_tokens: 600}]}
buffer: 20%
""" + OFFERS,
    "long": """
job: long
phases:
  - name: pretrain
    train: {model: {layers: 24, hidden: 2048, heads: 16, vocab: 50304, name: house}, data: {tokens: 26B}, sequence: 2048, batch: {tokens: 1_048_576}}
""" + OFFERS,
    "people": """
job: people
phases:
  - name: train
    before: {note: Ask for access to the data, time: 20 min}
    """ + LORA + """
  - name: review
    needs: [train]
    fixed: {gpus: 1, time: 2 h, human: true}
  - name: final
    needs: [review]
    generate: {model: Qwen/Qwen2.5-1.5B, data: [{samples: 5k, prompt_tokens: 300, new_tokens: 200}]}
market:
  use: only
  offers: [{gpu: RTX 4090, price: $0.50/h, provider: one}, {gpu: L40S, price: $0.90/h, provider: two}]
""",
    "month": """
job: month
phases:
  - name: pretrain
    train: {model: {layers: 16, hidden: 2048, heads: 16, vocab: 128256, name: b1}, data: {tokens: 10B}, sequence: 4096, batch: {sequences: 256}}
market:
  use: only
  offers:
    - {gpu: H100 SXM, gpus: 8, price: $16/h, provider: month, billing: {term: 720 h}}
    - {gpu: H100 SXM, gpus: 8, price: $26/h, provider: hour}
""",
    "beside": """
job: beside
phases:
  - name: a
    train: {model: Qwen/Qwen2.5-3B, method: lora, data: {samples: 20k, tokens_per_sample: 600}, batch: {sequences: 32}}
  - name: b
    train: {model: Qwen/Qwen2.5-7B, method: lora, data: {samples: 20k, tokens_per_sample: 600}, batch: {sequences: 32}}
  - name: compare
    needs: [a, b]
    generate: {models: [Qwen/Qwen2.5-3B, Qwen/Qwen2.5-7B], data: [{samples: 1000, prompt_tokens: 300, new_tokens: 300}]}
where: {gpus: [A100 SXM 80GB, H100 SXM, L40S], counts: [1, 2, 4, 8]}
value_of_time: $40/h
""",
    "spot": "job: spot\nphases:\n  - name: train\n    train: {model: Qwen/Qwen2.5-7B, method: full, data: {samples: 40k, tokens_per_sample: 1000}, batch: {sequences: 64}}\n"
            "where: {spot: only}\n",
}
AT_HOME = {
    "box": "job: box\nphases: [{name: train, " + LORA + "}]\nmarket: {use: only, own: [{name: basement, gpu: RTX 4090, gpus: 2}]}\n",
    "tower": "job: tower\nphases: [{name: train, " + LORA + "}]\n"
             "market: {use: only, own: [{name: tower, gpu: RTX 3090, gpus: 4, watts: 1600, usd_per_kwh: 0.32}, {name: laptop, gpu: RTX 4060, watts: 180, usd_per_kwh: 0.32}]}\n",
    "pool": "job: pool\nphases: [{name: train, " + LORA + "}]\n"
            "market: {use: only, pools: [{name: dgx, gpu: A100 SXM 80GB, gpus: 8, nodes: 4, network: 8x 200 Gbit/s InfiniBand, partition: a100}]}\n",
}


FOLDER = tempfile.TemporaryDirectory()  # for all tests: answers to its files are kept


def pick_of(answer):
    return next((one for one in answer["plans"] if one["id"] == answer["recommendations"]["pick"]), None)


def section(found, key):
    return next((one for one in found["sections"] if one["key"] == key), None)


def items(found, key):
    part = section(found, key)
    return [] if part is None else [item for block in blocks_of(part["blocks"], "list") for item in block["items"]]


def cells(one, title):
    at = [name["title"] for name in one["columns"]].index(title)
    return [row["cells"][at] for row in one["rows"]]


def money(text):
    return float(text.replace("$", "").replace(",", ""))


class Guides(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.own = {name: str(Path(FOLDER.name, f"{name}.yaml")) for name in {**OWN_JOBS, **AT_HOME}}
        for name, text in {**OWN_JOBS, **AT_HOME}.items():
            Path(cls.own[name]).write_text(text, encoding="utf-8")

    def each(self, flags=True):
        yield from ((job,) for job in JOBS)
        if flags:
            yield from FLAGS
        yield from ((job,) for job in self.own.values())

    @staticmethod
    @functools.cache
    def plan(*words):
        done = run("plan", *words, "--json", "--all")
        assert done.returncode in ANSWERS, done.stderr
        return json.loads(done.stdout)


class Money(Guides):
    def test_what_is_no_machine_s_is_named(self):
        told = 0
        for words in self.each():
            pick = pick_of(self.plan(*words))
            if pick is None:
                continue
            found, cost = document(*words), pick["cost_usd"]["p50"]
            bill = table(found, "bill")
            with self.subTest(words=words):
                for key, name in (("egress_usd", "results sent out (egress)"), ("disk_usd", "disk space")):
                    rows = [row for row in bill["rows"] if row["cells"][0].startswith(name)]
                    self.assertEqual(bool(rows), pick[key] > 0)
                    if rows:
                        self.assertAlmostEqual(rows[0]["values"][column(bill, "cost_usd")], pick[key], 2)
                    large = pick[key] >= 0.1 * cost > 0
                    told += large
                    self.assertEqual(name in found["sections"][0]["finding"], large)
                    if large:
                        self.assertIn(f"of it for {name}", re.sub(r"\s+", " ", run("plan", *words).stdout))
                for item in items(found, "bill"):
                    if rate := re.search(r"\$([\d,.]+) per GPU-hour used", item):
                        machines = cost - pick["egress_usd"] - pick["disk_usd"]
                        self.assertAlmostEqual(money(rate[1]) / (machines / pick["gpu_hours"]), 1, delta=0.02)
        self.assertGreater(told, 0)

    def test_what_people_wait_for_is_no_use(self):
        found = document(self.own["people"])
        bill = table(found, "bill")
        review = next(row for row in bill["rows"] if row["cells"][0] == "review")
        self.assertEqual(review["cells"][column(bill, "gpus_used")], "0 of 1")
        self.assertEqual(review["values"][column(bill, "gpu_hours_used")], 0)
        self.assertGreater(review["values"][column(bill, "gpu_hours_billed")], 1.9)
        self.assertRegex(" ".join(items(found, "bill")), r"train are held for 20 min of work by hand before it \(Ask for access to the data\): \$0\.\d+")
        at = column(bill, "idle_usd")
        self.assertGreater(review["values"][at], 0.9)
        total = next(row for row in bill["rows"] if row.get("strong"))
        self.assertAlmostEqual(total["values"][at], sum(row["values"][at] for row in bill["rows"] if not row.get("strong")), 2)

    def test_terms_that_are_paid_whole_stand_beside_the_price(self):
        found = document(self.own["month"])
        told = 0
        for _, one in tables(found):
            for row in one["rows"]:
                for cell in row["cells"]:
                    if "$16.00" in cell:
                        told += 1
                        self.assertIn("x 720 h", cell, one["key"])
        self.assertGreater(told, 1)
        self.assertIn("in whole terms of 720 h", run("plan", self.own["month"], "--set", "where.providers=[month]").stdout)

    def test_ways_to_rent_are_different_ones(self):
        for words in self.each():
            ways = table(document(*words), "ways")
            if ways is None:
                continue
            keys = [name["key"] for name in ways["columns"]]
            rows = [tuple(cell for key, cell in zip(keys, row["cells"]) if key not in ("way", "settings")) for row in ways["rows"]]
            with self.subTest(words=words):
                self.assertEqual(len(rows), len(set(rows)))
                self.assertGreater(len(rows), 1)
                self.assertLessEqual(sum(row["mark"] == "pick" for row in ways["rows"]), 1)


class OnePlan(Guides):
    def test_one_name_has_one_time_and_one_cost(self):
        """In all tables of a guide, for the precision that both are told with."""
        names = {"plan", "gpus"}
        for words in self.each():
            found, known = document(*words), {}
            for key, one in tables(found):
                keys = [name["key"] for name in one["columns"]]
                name = next((keys.index(key) for key in keys if key in names), None)
                # Others are of a variant, a phase or another job; rows of `evidence` and `worth` have other columns.
                if name is None or "hours" not in keys or "cost_usd" not in keys or one["key"] in ("variants", "sensitivity"):
                    continue
                for row in one["rows"]:
                    hours, cost = (row["values"][keys.index(part)] for part in ("hours", "cost_usd"))
                    if not row["cells"][name] or hours is None or cost is None:
                        continue
                    figures = (round(hours, 6), round(cost, 6))
                    with self.subTest(words=words, table=one["key"], plan=row["cells"][name]):
                        self.assertEqual(known.setdefault(row["cells"][name], figures), figures)

    def test_nothing_is_called_unbeaten_that_a_cheaper_way_beats(self):
        cheaper = 0
        for words in self.each():
            found = document(*words)
            answer = " ".join(items(found, "answer"))
            with self.subTest(words=words):
                self.assertNotIn("nothing is cheaper", json.dumps(found))
                if section(found, "choice") and (way := re.search(r"Cheaper way: (.*?), (\$[\d.,]+) ", answer)):
                    cheaper += 1
                    self.assertIn(f"cost less: {way[1]}, {way[2]}.", json.dumps(section(found, "choice")))
        self.assertGreater(cheaper, 0)

    def test_the_pick_is_among_those_whose_speed_is_told(self):
        for words in self.each():
            found = document(*words)
            plans = table(found, "plans")
            pick = pick_of(self.plan(*words))
            if plans is None or "relative_speed" not in [name["key"] for name in plans["columns"]]:
                continue
            told = [row for row in plans["rows"] if row["mark"] == "pick" and row["values"][column(plans, "relative_speed")]]
            if pick is not None and pick["gpu"]:
                with self.subTest(words=words):
                    self.assertEqual(len(told), 1)

    def test_one_gpu_is_one(self):
        with (ROOT / "data/offers.csv").open(encoding="utf-8") as file:
            single = {(row["provider"], row["instance"]) for row in csv.DictReader(file) if "single machine" in row["availability"]}
        for words in self.each():
            fallback = table(document(*words), "fallback")
            for row in fallback["rows"] if fallback else []:
                if row["cells"][0] == "one GPU":
                    self.assertNotIn("at a time", row["cells"][1], words)
            for plan in self.plan(*words)["plans"]:
                if plan["gpu"] and " at a time" in plan["label"]:
                    self.assertNotIn((plan["provider"], plan["instance"]), single, (words, plan["label"]))


class Memory(Guides):
    def test_cards_that_are_named_hold_every_phase(self):
        seen = 0
        for words in self.each():
            pick = pick_of(self.plan(*words))
            part = section(document(*words), "memory")
            if pick is None or part is None:
                continue
            named = re.search(r"fits on ([\d,]+) GB cards", json.dumps(part))
            if not named:
                continue
            machine = pick["gpu"]
            needed = [phase["memory_gib"]["total"]["p90"] for phase in pick["phases"]
                      if phase["steps"] and phase["memory_gib"] and (machine or len(pick["phases"]) == 1)]
            for need in needed:
                seen += 1
                with self.subTest(words=words, need=need):
                    self.assertLess(need, float(named[1].replace(",", "")))
        self.assertGreater(seen, 10)

    def test_a_peak_that_was_seen_fits(self):
        job = """
job: seen
phases:
  - name: train
    train: {model: meta-llama/Llama-3.1-8B, method: full, data: {samples: 40k, tokens_per_sample: {mean: 1000, max: 4096}}, epochs: 2, batch: {sequences: 128}}
    given: [{gpu: H100 SXM, gpus: 8, seconds_per_step: 4.0%s}]
""" + OFFERS
        def h100(memory):
            done = run("plan", "-", "--json", "--all", stdin=(job % memory).encode())
            self.assertIn(done.returncode, ANSWERS, done.stderr)
            return next((one for one in json.loads(done.stdout)["plans"] if one["gpu"] == "H100 SXM"), None)
        without = h100("")
        for gib in (20, 50, 66, 70, 79):
            plan = h100(f", memory: {gib} GiB")
            with self.subTest(gib=gib):
                self.assertEqual(plan["phases"][0]["gpus_used"], 8)
                self.assertEqual(plan["hours"]["p50"], without["hours"]["p50"])
                self.assertAlmostEqual(plan["phases"][0]["memory_gib"]["total"]["p90"], gib)
                self.assertEqual(plan["phases"][0]["evidence"], "given")
        # A range is one: what may be more than there is is a risk.
        self.assertNotEqual(h100(", memory: 60-90 GiB")["phases"][0]["gpus_used"], 8)
        told = "Your figures for 8x H100 SXM are not used: up to 90.0 GiB in 9 of 10 runs may not fit in 79.1 GiB, so 4 GPUs run there."
        for memory, said in ((", memory: 60-90 GiB", True), (", memory: 70 GiB", False)):
            found = json.loads(run("report", "-", "--json", stdin=(job % memory).encode()).stdout)
            self.assertEqual(told in json.dumps(found), said, memory)


class Disks(Guides):
    def test_checkpoints_are_those_that_launch_writes(self):
        several = 0
        with tempfile.TemporaryDirectory() as folder:
            for number, words in enumerate(self.each(flags=False)):
                found = document(*words)
                settings, answer = table(found, "settings"), self.plan(*words)
                pick = pick_of(answer)
                if settings is None or pick is None or not any(row["cells"][0] == "Checkpoints" for row in settings["rows"]):
                    continue
                out = Path(folder, str(number))
                if run("launch", *words, "--to", "bash", "--plan", pick["id"], "-o", str(out)).returncode != 0:
                    continue
                scripts = "\n".join(path.read_text(encoding="utf-8") for path in out.rglob("*.sh"))
                told = next(row["cells"][1:] for row in settings["rows"] if row["cells"][0] == "Checkpoints")
                steps = next(row["cells"][1:] for row in settings["rows"] if row["cells"][0] == "Steps")
                for cell, all_steps in zip(told, steps):
                    if not cell or not all_steps:
                        continue
                    written, kept = (int(one.replace(",", "")) for one in re.match(r"([\d,]+) .* ([\d,]+) kept$", cell).groups())
                    every = re.search(r"every ([\d,]+) steps?", cell)
                    self.assertTrue(every or written == 1 or "every" in cell, cell)
                    apart = int(every[1].replace(",", "")) if every else int(all_steps.replace(",", ""))
                    several += written > 1
                    with self.subTest(words=words, cell=cell):
                        if every or written == 1:
                            self.assertRegex(scripts, rf"checkpoint +every {apart:,} steps?,")
                            self.assertLessEqual(abs(-(-int(all_steps.replace(",", "")) // apart) - written), 0.05 * written)
                        if "keep" not in json.dumps(answer.get("job", {})):
                            for keep in re.findall(r'"?(?:keep_checkpoints|save_total_limit)"?[:=] *(\d+)', scripts):
                                self.assertEqual(kept, min(written, int(keep)))
        self.assertGreater(several, 2)

    def test_a_disk_has_room_for_what_is_kept(self):
        for words in self.each():
            pick = pick_of(self.plan(*words))
            for phase in pick["phases"] if pick else []:
                sizes = phase["bytes"]
                if phase["steps"] and not sizes["checkpoint_gb"] == 0:
                    kept = sizes["checkpoint_gb"] * sizes["kept_checkpoints"]
                    with self.subTest(words=words, phase=phase["name"]):
                        self.assertGreaterEqual(sizes["disk_gb"] * (1 + 1e-9), kept if "s3" not in json.dumps(phase) else 0)


class Limits(Guides):
    def test_a_budget_that_is_named_is_kept_and_no_larger_than_it_must_be(self):
        jobs = [(("examples/llama-8b-full.yaml",), ("limits.deadline=12 h",)), (("examples/sft-node.yaml",), ("limits.deadline=12 h", "contingency=$0")),
                ((self.own["stages"],), ()), ((self.own["long"],), ("where.nodes=[1,2]",)), (("examples/gpt2-1.5b.yaml",), ())]
        seen = 0
        for words, settings in jobs:
            more = [word for one in settings + ("limits.budget=$1",) for word in ("--set", one)]
            answer = self.plan(*words, *more)
            found = document(*words, *more)
            remedies = table(found, "limit_remedies")
            if remedies is None:
                continue
            dear = [plan["cost_usd"]["p90"] for plan in answer["plans"] if plan["fit"] == "fits" and plan["meets_deadline"]]
            for row in remedies["rows"]:
                budget = re.fullmatch(r"limits\.budget: \$([\d,.]+)", row["cells"][0])
                if not budget:
                    continue
                seen += 1
                with self.subTest(words=words):
                    self.assertLessEqual(money(budget[1]), 1.06 * min(dear))
                    done = run("plan", *words, *more[:-1], f"limits.budget=${budget[1].replace(',', '')}")
                    self.assertEqual(done.returncode, 0, done.stdout)
        self.assertGreater(seen, 2)


class Running(Guides):
    def test_what_begins_anew_goes_on_nowhere(self):
        anew = 0
        for words in self.each():
            found = document(*words)
            if section(found, "run") is None:
                continue
            notes = [item for fold in blocks_of(section(found, "run")["blocks"], "fold") for block in fold["blocks"]
                     if block["kind"] == "list" for item in block["items"]]
            text = json.dumps(found, ensure_ascii=False)
            begins = [note for note in notes if re.search(r"restarts? from scratch", note)]
            with self.subTest(words=words):
                anew += bool(begins)
                self.assertEqual("Start again: it resumes" in text and bool(begins), False)
                self.assertEqual("it goes on from the last checkpoint), 78" in text and bool(begins), False)
                rows = {row["cells"][0]: row["cells"][1:] for _, one in tables(found) if one["key"] == "settings" for row in one["rows"]}
                names = [name["title"] for name in (table(found, "settings") or {"columns": []})["columns"]][1:]
                for _, watch in tables(found):
                    if watch["key"] != "watch":
                        continue
                    back = any("go on from a checkpoint before it" in cell for row in watch["rows"] for cell in row["cells"])
                    if back and len(names) == 1 and "Checkpoints" in rows:
                        self.assertNotRegex(rows["Checkpoints"][0], r"^1 checkpoint ")
                        self.assertFalse(begins, watch["caption"])
        self.assertGreater(anew, 0)

    def test_who_rents_by_hand_is_told_to_rent_copy_and_give_back(self):
        by_hand = 0
        for words in self.each():
            found = document(*words)
            part = section(found, "run")
            steps = [block["text"] for block in part["blocks"] if block["kind"] == "text"] if part else []
            code = "\n".join(block["text"] for block in blocks_of(part["blocks"], "code")) if part else ""
            pick = pick_of(self.plan(*words))
            if "--to bash" not in code:
                continue
            rented = pick["cost_usd"]["p50"] > 0 and words[0] not in [self.own[name] for name in AT_HOME]
            places = [next((at for at, step in enumerate(steps) if re.search(sign, step)), None)
                      for sign in (r"\d\. Write the scripts", r"\d\. Rent ", r"\d\. (Rent .*)?Copy the folder", r"\d\. .*[Oo]n ((the|that) )?machine", r"give (back what is rented|the machine back)")]
            with self.subTest(words=words):
                self.assertEqual(places[1] is not None, rented)
                if rented:
                    by_hand += 1
                    self.assertNotIn(None, places)
                    self.assertEqual(places, sorted(places))
                    words_of_disk = re.search(r"with ([\d.,]+ [GTM]B) free on its disk", steps[places[1]])
                    self.assertTrue(words_of_disk or "Disk" not in json.dumps(table(found, "settings") or {}), steps[places[1]])
        self.assertGreater(by_hand, 2)

    def test_nothing_of_rental_where_nothing_is_rented(self):
        for name in AT_HOME:
            text = report(self.own[name])
            text = text[:text.rindex("<!-- gpuplan report")]
            with self.subTest(name=name):
                self.assertIsNone(re.search(r"(?i)\brent(s|ed|al|als|ing)?\b|\bpaid\b|bill(s|ed) (while|per)|take it up to|\"up to\"", text),
                                  re.findall(r"(?i).*(?:\brent|\bpaid\b|bills|billed|up to\").*", text)[:3])

    def test_batches_of_several_kinds_have_their_names(self):
        found = document(self.own["stages"])
        one = table(found, "choices")
        told = cells(one, "Batch") if "Batch" in [name["title"] for name in one["columns"]] else re.findall(r"batch ([\d,]+ \w+)", json.dumps(section(found, "choice")))
        self.assertTrue(told)
        for cell in told:
            if cell:
                self.assertRegex(cell, r"^[\d,]+ (requests|sequences)$")


class Texts(Guides):
    PROSE = (
        "Try this:\n\n```sh\npip install x\n", "~~~\ncode", "- a\n\n  ```\n  code\n", "````md\n```\ninner\n```\n", "```\na\n```\n\n```",
        "Our notes\n=====\nText", "Our notes\n-----\nText", "two\nlines\n===", "# One", "  # Two", "- # Three", "> # Four", "1. # Five", "#\tSix",
        "- name\n  ===", "> quoted\n> ---", "#", "- a\n- b\n---\n", "    # code, no heading", "text\n    # text, too",
    )

    def test_prose_stays_in_its_place(self):
        for prose in self.PROSE:
            job = json.dumps({"job": "prose", "purpose": prose, "notes": prose, "phases": [
                {"name": "train", "notes": prose, "train": {"model": "Qwen/Qwen2.5-0.5B", "method": "lora", "sequence": 1024, "data": {"tokens": "10M"}}}],
                "market": {"use": "only", "offers": [{"gpu": "RTX 4090", "price": "$0.5/h", "provider": "h", "notes": prose}]}})
            done = run("report", "-", stdin=job.encode())
            self.assertIn(done.returncode, ANSWERS, done.stderr)
            found = json.loads(run("report", "-", "--json", stdin=job.encode()).stdout)
            fence, before, high = None, "", []
            for line in done.stdout.split("\n"):
                words = re.sub(r"^( {0,3}>| *[-*+](?= )| *\d+[.)](?= ))*", "", line).strip()
                sign = re.match(r"(`{3,}|~{3,})([^`]*)$", words)
                if fence:
                    fence = None if sign and sign[1].startswith(fence) and not sign[2].strip() else fence
                elif sign:
                    fence = sign[1]
                elif heading := re.match(r"#{1,2}([ \t].*|$)", words):
                    if not line.startswith("    "):
                        high.append(line)
                elif re.fullmatch(r"=+|-+", words) and before.strip() and not before.lstrip().startswith(("-", "|")):
                    high.append(before)
                if fence:
                    self.assertNotIn("<!-- own text", line, (prose, "own text lies in code"))
                before = "" if fence else line
            with self.subTest(prose=prose):
                self.assertIsNone(fence)
                self.assertEqual(len(high), 1 + len(found["sections"]), high)

    def test_sources_are_of_offers_that_are_told(self):
        for words in self.each():
            found = document(*words)
            lines = [item for item in items(found, "basis") if item.startswith("Prices: ")]
            with self.subTest(words=words):
                self.assertEqual(len(lines), len(set(lines)))
                self.assertLess(len(lines), 60)

    def test_known_issues_are_told_once(self):
        for words in self.each():
            found = document(*words)
            risks, others = table(found, "risks"), table(found, "problems")
            if risks and others:
                both = set(cells(risks, "Risk")) & set(cells(others, "Problem"))
                self.assertFalse(both, words)


if __name__ == "__main__":
    main(__doc__)
