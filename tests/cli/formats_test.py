#!/usr/bin/env python3
"""Results as CSV, Markdown and JSON: tests/cli/formats_test.py PROGRAM"""

import csv
import io
import json
import re
import tempfile
import unittest
from pathlib import Path

from program import EXAMPLES, main, run

COLLECTION = "examples/collection.yaml"
# Every command that prints tables, with words that make it answer.
TABLES = [["plan", COLLECTION], ["plan", "examples/trm-nanochat.yaml"], ["plan", COLLECTION, "--all"],
          ["plan", COLLECTION, "--show", "dominated"], ["fit", "Llama-3.1-8B"], ["fit", "examples/sft-node.yaml"],
          ["fit", "Llama-3.1-8B", "--gpu", "RTX 4090"], ["gpus"], ["gpus", "--all"], ["offers"], ["offers", "H100"],
          ["model", "DeepSeek-V3"], ["whatif", COLLECTION, "--set", "market.offers[*].price=-20%"],
          ["whatif", COLLECTION, "--sensitivity"], ["validate"], ["validate", "--by", "source,trait"]]


def rows_of(*words):
    done = run(*words, "--csv")
    assert done.returncode in (0, 3, 4), done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout, newline=""), strict=True))


def cells(line):
    """Cells of a line of a Markdown table; bars with a backslash are text."""
    return re.split(r"(?<!\\)\|", line)[1:-1]


class Csv(unittest.TestCase):
    def near(self, text, figure, what):
        if figure is None:
            self.assertEqual(text, "", what)
        else:
            self.assertAlmostEqual(float(text), figure, delta=abs(figure) * 1e-5 + 1e-9, msg=what)

    def test_plans_are_those_of_the_json(self):
        for job in EXAMPLES:
            rows, answer = rows_of("plan", job), json.loads(run("plan", job, "--json").stdout)
            plans = answer["plans"]
            self.assertEqual([row["id"] for row in rows], [plan["id"] for plan in plans], job)
            for row, plan in zip(rows, plans):
                what = f"{job} {plan['id']}"
                for amount in ("hours", "cost_usd"):
                    for part in ("p10", "p50", "p90", "mean"):
                        self.near(row[f"{amount}_{part}"], plan[amount][part], what)
                for figure in ("gpu_hours", "billed_gpu_hours", "usd_per_hour_saved", "chance_in_time", "gpus", "nodes",
                               "interruptions", "interruption_hours", "idle_usd"):
                    self.near(row[figure], plan[figure], f"{what} {figure}")
                for text in ("label", "provider", "region", "instance", "gpu", "evidence", "fit", "availability"):
                    self.assertEqual(row[text], plan[text] or "", what)
                for flag in ("on_frontier", "meets_deadline", "meets_budget"):
                    self.assertEqual(row[flag], str(plan[flag]).lower(), what)
                self.assertEqual(row["dominated_by"].split(), plan["dominated_by"], what)
                self.assertEqual(row["pick"] == "true", plan["id"] == answer["recommendations"]["pick"], what)
                if plan["memory_gib"]:
                    self.near(row["usable_gib"], plan["memory_gib"]["usable"], what)
                    self.near(row["memory_gib_p50"], plan["memory_gib"]["total"]["p50"], what)

    def test_gpus_offers_and_fit_are_those_of_the_json(self):
        for words, name in ((["gpus", "--all"], "gpus"), (["offers", "--all"], "offers")):
            rows, items = rows_of(*words), json.loads(run(*words, "--json").stdout)[name]
            self.assertEqual(len(rows), len(items))
            self.assertGreater(len(rows), 20)
            for row, item in zip(rows, items):
                for key, text in row.items():
                    if isinstance(item[key], (int, float)) or item[key] is None:
                        self.near(text, item[key], f"{name} {key}")
                    else:
                        self.assertEqual(text, item[key], f"{name} {key}")
        rows = rows_of("fit", "Llama-3.1-8B")
        answer = json.loads(run("fit", "Llama-3.1-8B", "--json").stdout)
        expected = [(section["name"], row) for section in answer["sections"] for row in section["rows"]]
        self.assertEqual(len(rows), len(expected))
        for row, (question, item) in zip(rows, expected):
            self.assertEqual((row["question"], row["gpu"], int(row["gpus"])), (question, item["gpu"], item["gpus"]))
            self.near(row["needed_gib_p50"], item["needed_gib"], row)
            if item["memory_gib"]:
                for part in ("weights", "gradients", "optimizer", "activations", "logits", "kv_cache"):
                    self.near(row[part + "_gib"], item["memory_gib"][part], row)

    def test_model_is_that_of_the_json(self):
        (row,) = rows_of("model", "DeepSeek-V3")
        answer = json.loads(run("model", "DeepSeek-V3", "--json").stdout)
        self.assertEqual(float(row["parameters"]), answer["parameters"]["total"], "counts are whole")
        self.assertEqual(float(row["parameters_active"]), answer["parameters"]["active"])
        self.assertEqual(int(row["layers"]), answer["shape"]["layers"])
        self.assertEqual(float(row["weight_bytes_bf16"]), answer["weight_bytes"]["bf16"])

    def test_every_line_has_every_cell(self):
        for words in TABLES:
            text = run(*words, "--csv").stdout
            widths = {len(row) for row in csv.reader(io.StringIO(text, newline=""), strict=True)}
            self.assertEqual(len(widths), 1, words)
            self.assertNotIn("\x1b", run(*words, "--csv", FORCE_COLOR="1").stdout)

    def test_view_is_its_table(self):
        rows = rows_of("plan", COLLECTION, "--show", "dominated")
        plans = json.loads(run("plan", COLLECTION, "--json").stdout)["plans"]
        self.assertEqual(len(rows), sum(bool(plan["dominated_by"]) for plan in plans))
        self.assertIn("hours", rows[0])

    def test_one_table_at_a_time(self):
        views = re.findall(r"^  (\S+)  ", run("plan", "--help").stdout.split("Tables for --show")[1], re.M)
        if len(views) > 1:
            done = run("plan", COLLECTION, "--csv", "--show", ",".join(views[:2]))
            self.assertEqual(done.returncode, 2)
            self.assertIn("one table", done.stderr)
        self.assertEqual(run("plan", COLLECTION, "--csv", "--explain").returncode, 2)

    def test_nothing_fits(self):
        words = ["plan", "examples/llama-8b-full.yaml", "--set", "where.gpus=[RTX 4090]", "--set", "where.counts=[1]"]
        done = run(*words, "--csv")
        self.assertEqual(done.returncode, run(*words).returncode)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(len(done.stdout.splitlines()), 1, "heads only")
        self.assertIn("Nothing fits", done.stderr)


class Markdown(unittest.TestCase):
    def tables(self, text):
        """Tables as lists of lines."""
        tables, table = [], []
        for line in text.splitlines() + [""]:
            if line.startswith("|"):
                table.append(line)
            elif table:
                tables.append(table)
                table = []
        return tables

    def test_tables_have_equal_numbers_of_cells(self):
        for words in TABLES + [["plan", job, "--explain"] for job in EXAMPLES]:
            text = run(*words, "--markdown", FORCE_COLOR="1").stdout
            tables = self.tables(text)
            self.assertTrue(tables, words)
            for table in tables:
                self.assertGreaterEqual(len(table), 2)
                self.assertEqual(len({len(cells(line)) for line in table}), 1, f"{words}: {table[0]}")
                for cell in cells(table[1]):
                    self.assertRegex(cell.strip(), r"^(:-+|-+:)$")

    def test_text_is_markdown(self):
        for words in TABLES:
            text = run(*words, "--markdown", FORCE_COLOR="1").stdout
            self.assertNotIn("\x1b", text)
            self.assertNotIn("\n\n\n", text)
            self.assertTrue(text.endswith("\n") and not text.endswith("\n\n"))
            lines = text.splitlines()
            for before, line in zip(lines, lines[1:]):
                self.assertFalse(line.startswith(" "), f"{words}: wrapped or indented by hand: {line}")
                if line.startswith("|"):
                    self.assertTrue(before == "" or before.startswith("|"), f"{words}: {line}")
                elif before.startswith("|") or before.startswith("- "):
                    self.assertTrue(line == "" or line.startswith("- "), f"{words}: {line}")

    def test_nothing_is_cut(self):
        """All plans and figures of the terminal's table stand in the Markdown."""
        job = "examples/llama-8b-lora.yaml"
        text = run("plan", job, "--details", "--markdown", COLUMNS="40").stdout
        self.assertNotIn("…-", text)
        for title in ("PLAN", "PROVIDER", "HOURS", "COST", "$ PER HOUR SAVED", "MEMORY PER GPU", "SOURCE"):
            self.assertIn(title, text)
        self.assertEqual(text, run("plan", job, "--details", "--markdown", COLUMNS="200").stdout)
        self.assertEqual(run("plan", job, "--markdown", COLUMNS="40").stdout,
                         run("plan", job, "--markdown", COLUMNS="200").stdout)


class Forms(unittest.TestCase):
    def test_flags_exclude_one_another(self):
        for words in (["plan", COLLECTION], ["fit", "Llama-3.1-8B"], ["gpus"], ["offers"], ["model", "GPT-2"]):
            for pair in (["--json", "--csv"], ["--markdown", "--csv"], ["--json", "--markdown"]):
                done = run(*words, *pair)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("cannot be combined", done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_the_name_of_the_file_says_the_form(self):
        with tempfile.TemporaryDirectory() as folder:
            for words in (["gpus"], ["plan", COLLECTION]):
                for name, flag in (("a.csv", "--csv"), ("a.md", "--markdown"), ("a.txt", None), ("A.CSV", "--csv")):
                    file = Path(folder, name)
                    self.assertEqual(run(*words, "-o", str(file)).returncode, 0)
                    expected = run(*words, *([flag] if flag else [])).stdout
                    self.assertEqual(file.read_text(encoding="utf-8"), expected)
                file = Path(folder, "a.json")
                run(*words, "-o", str(file))
                self.assertIn("schema", json.loads(file.read_text(encoding="utf-8")))
                run(*words, "--csv", "-o", str(file))
                self.assertEqual(file.read_text(encoding="utf-8"), run(*words, "--csv").stdout, "a flag rules")

    def test_values_of_choices_have_hints(self):
        for words, hint in ((["plan", COLLECTION, "--show", "dominatd"],
                             "--show: unknown table 'dominatd'. Did you mean 'dominated'?"),
                            (["plan", COLLECTION, "--jsn"], "Did you mean '--json'?"),
                            (["plan", COLLECTION, "--jso"], "unknown option '--jso'"),
                            (["plan", COLLECTION, "--show", "zzzzzz"], "unknown table 'zzzzzz'; expected "),
                            (["completion", "tcsh"], "expected bash, zsh, fish"),
                            (["man", "pln"], "Did you mean 'plan'?")):
            done = run(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(hint, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_rows_of_plans(self):
        job = "examples/llama-8b-lora.yaml"
        rows = lambda *words: len(re.findall(r"^  \d+ ", run("plan", job, *words).stdout, re.M))
        table = run("plan", job).stdout.split("HOURS")[1].split("\n\n")[0]
        self.assertLessEqual(len(table.splitlines()), 8, "a head, six plans, and the line that counts the others")
        self.assertEqual(rows("--top", "2"), 2)
        self.assertEqual(rows("--top", "100"), len([p for p in json.loads(run("plan", job, "--json").stdout)["plans"]
                                                    if p["on_frontier"]]))
        self.assertGreater(rows("--all"), 100)
        self.assertEqual(rows("--all", "--top", "12"), 12)
        self.assertIn("✔", run("plan", job, "--top", "1").stdout, "the pick comes first")
        self.assertIn("more on the Pareto frontier (--top ", run("plan", job, "--top", "2").stdout)
        for words in (["--json"], ["--csv"], ["--show", "worth"], ["-o", "/nonexistent/plans.json"]):
            done = run("plan", job, "--top", "2", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn("--top: ", done.stderr)


if __name__ == "__main__":
    main(__doc__)
