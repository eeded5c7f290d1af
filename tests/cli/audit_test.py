#!/usr/bin/env python3
"""gpuplan audit: right plans have no finding, one changed number has exactly that, and no file whatever does harm.

    tests/cli/audit_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import csv
import io
import json
import random
import re
import tempfile
import time
import unittest
from pathlib import Path

from program import EXAMPLES, ROOT, main, run

# Options that nothing dominates: the dearer the hour, the sooner it is done. Prices as they are asked.
GPUS = [("L4", 0.80), ("L40S", 1.20), ("A100 80GB", 1.80), ("H100", 2.90)]
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def audit(text, name="plan.md", *words, code=None):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        done = run("audit", str(path), "--json", *words)
    if code is not None:
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return json.loads(done.stdout) if done.stdout else done


def numbers(value, decimals, locale):
    text = f"{value:,.{decimals}f}"
    return text if locale == "en" else text.replace(",", "_").replace(".", ",").replace("_", ".")


class Plan:
    """A plan that is right. Its numbers can be changed one at a time: (line, how it reads now)."""

    def __init__(self, seed, locale="en", form="md"):
        self.random = random.Random(seed)
        self.locale, self.form = locale, form
        self.cells = []  # (line, text) of every number that follows from others, or that others follow from
        self.lines = []
        if form == "csv":
            self.options_csv()
        else:
            self.lines += ["# Plan", "", "Set-up takes 20 min and is in the hours. A buffer of 20% is not.", ""]
            self.options()
            self.phases()
            self.sums()

    def number(self, value, decimals=2):
        return numbers(value, decimals, self.locale)

    def row(self, cells, checked):
        self.lines.append("| " + " | ".join(cells) + " |" if self.form == "md" else
                          (";" if self.locale != "en" else ",").join(f'"{cell}"' if "," in cell else cell for cell in cells))
        for place in checked:
            self.cells.append((len(self.lines), cells[place]))

    def each_option(self):
        hours, cost = self.random.uniform(80, 120), 40.0
        for name, price in GPUS:
            count = self.random.choice([1, 2, 4, 8])
            cost *= self.random.uniform(1.1, 1.4)
            hours = min(hours * 0.8, cost / price / count)
            hours = round(hours, 2)
            yield name, count, price, hours, round(price * hours * count, 2)

    def options(self):
        rows = sorted(self.each_option(), key=lambda row: row[4])
        fastest = 1e9
        self.lines += ["## Options", "", "| GPU | Price | Hours | Cost |", "|---|---|---|---|"]
        for name, count, price, hours, cost in rows:
            if hours >= fastest:
                continue
            fastest = hours
            self.row([f"{count}x {name}", f"${self.number(price)}/GPU-h", f"{self.number(hours)} h",
                      f"${self.number(cost)}"], [1, 2, 3])

    def options_csv(self):
        head = ["GPU", "Price ($/GPU-h)", "Time (h)", "Cost ($)"]
        self.lines.append((";" if self.locale != "en" else ",").join(head))
        fastest = 1e9
        for name, count, price, hours, cost in sorted(self.each_option(), key=lambda row: row[4]):
            if hours >= fastest:
                continue
            fastest = hours
            self.row([f"{count}x {name}", self.number(price), self.number(hours), self.number(cost)], [1, 2, 3])

    def phases(self):
        self.lines += ["", "## Phases", "", "| Phase | GPUs | Time | GPU-hours |", "|---|---|---|---|"]
        total = all_hours = 0
        for name in ("1 data", "2 training", "3 evaluation"):
            count, hours = self.random.choice([1, 2, 4, 8]), round(self.random.uniform(1, 20), 2)
            total += round(count * hours, 2)
            all_hours += hours
            self.row([f"Phase {name}", str(count), f"{self.number(hours)} h", self.number(count * hours)], [2, 3])
        self.row(["TOTAL", "", f"{self.number(all_hours)} h", self.number(total)], [2, 3])

    def sums(self):
        self.lines += ["", "## Sums", ""]
        micro, steps, gpus = (self.random.choice([2, 4, 8, 16]) for _ in range(3))
        self.line(f"- Batch: {micro} × {steps} × {gpus} = ", str(micro * steps * gpus))
        hours, price = round(self.random.uniform(3, 30), 1), round(self.random.uniform(1, 30), 2)
        self.line(f"- Rent: {self.number(hours, 1)} h × ${self.number(price)} = ", f"${self.number(hours * price)}")
        part, whole = round(self.random.uniform(10, 70), 1), 80
        self.line(f"- Memory: {self.number(part, 1)} GB / {whole} GB = ", f"{self.number(100 * part / whole, 1)}%")
        parts = [round(self.random.uniform(1, 30), 1) for _ in range(4)]
        self.lines.append("")
        for name, value in zip(("Weights", "Gradients", "Optimizer", "Activations"), parts):
            self.line(f"- {name}: ", f"{self.number(value, 1)} GB")
        self.line("- Total: ", f"{self.number(sum(parts), 1)} GB")

    def line(self, before, value):
        self.lines.append(before + value)
        self.cells.append((len(self.lines), value))

    def text(self):
        return "\n".join(self.lines) + "\n"

    def changed(self, place):
        """The text with the number of one cell multiplied, and its line."""
        line, cell = self.cells[place]
        number = re.search(r"\d[\d.,]*\d|\d", cell).group()
        digits = number.replace(".", "").replace(",", "")
        factor = self.random.choice([1.5, 1.7, 0.5])
        value = max(int(int(digits) * factor), 1)
        decimals = 0 if not re.search(r"[.,]\d{1,2}$", number) else len(re.split(r"[.,]", number)[-1])
        other = self.number(value / 10 ** decimals, decimals)
        lines = list(self.lines)
        position = lines[line - 1].rindex(cell)
        lines[line - 1] = lines[line - 1][:position] + lines[line - 1][position:].replace(number, other, 1)
        return "\n".join(lines) + "\n", line


class RightPlans(unittest.TestCase):
    FORMS = [("en", "md"), ("de", "md"), ("en", "csv"), ("de", "csv")]

    def test_they_have_no_finding(self):
        for locale, form in self.FORMS:
            for seed in range(12):
                plan = Plan(seed, locale, form)
                answer = audit(plan.text(), f"plan.{form}")
                findings = [one for one in answer["findings"] if one["kind"] != "missing"]
                self.assertEqual(findings, [], (locale, form, seed, plan.text()))
                self.assertGreaterEqual(answer["checked"], len(plan.cells), plan.text())
                if form == "md":
                    self.assertEqual(answer["findings"], [])

    def test_one_changed_number_is_found_where_it_stands(self):
        tried = 0
        for locale, form in self.FORMS:
            for seed in range(4):
                plan = Plan(seed, locale, form)
                for place in range(len(plan.cells)):
                    text, line = plan.changed(place)
                    answer = audit(text, f"plan.{form}")
                    wrong = [one for one in answer["findings"] if one["kind"] in ("wrong", "inconsistent")]
                    lines = {one["line"] for one in wrong}
                    # The sum of a column or list is wrong with the part that was changed.
                    sums = {number for number, words in enumerate(text.splitlines(), 1) if re.search("total", words, re.I)}
                    self.assertTrue(lines, (locale, form, seed, line, text))
                    self.assertTrue(line in lines or lines <= sums, (lines, line, text))
                    self.assertLessEqual(lines, {line} | sums, (wrong, text))
                    tried += 1
        self.assertGreater(tried, 150)


class Findings(unittest.TestCase):
    """A made-up plan with faults of each kind, and what is said of them."""

    TEXT = """# Plan for fine-tuning
Node: 4x H100 40GB

Workload: 2,000 samples × 500 tokens = 1,000,000 tokens

| GPU | tokens/s | Time | $/hr | Cost | Notes |
|---|---|---|---|---|---|
| L4 | 100 | 2.8 h | $0.80 | $2.24 | cheapest |
| L40S | 250 | 3.5 h | $1.20 | $4.20 | fastest |
| H100 | 1000 | 0.28 h | $2.90 | $0.91 | |

| Part | Cost |
|---|---|
| GPUs | $100 |
| Disk | $20 |
| Total | $140 |
"""

    def test_each_is_told_with_its_line_and_the_right_value(self):
        answer = audit(self.TEXT, code=6)
        told = {(one["line"], one["kind"]): one for one in answer["findings"]}
        self.assertEqual(set(told), {(2, "wrong"), (8, "dominated"), (8, "wrong"), (9, "dominated"), (9, "wrong"), (10, "wrong"), (16, "wrong"),
                                     (8, "missing")}, answer["findings"])
        self.assertIn("80 GB", told[2, "wrong"]["right"])
        self.assertEqual(told[10, "wrong"]["right"], "$0.81")
        self.assertEqual(told[16, "wrong"]["right"], "$120.00")
        self.assertEqual(answer["tables"], 2)
        self.assertEqual(answer["claims"], answer["checked"] + answer["unchecked"])

    def test_text_markdown_and_csv_say_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "plan.md"
            path.write_text(self.TEXT)
            text = run("audit", str(path), "--details")
            table = run("audit", str(path), "--csv")
            markdown = run("audit", str(path), "--markdown")
        self.assertEqual((text.returncode, table.returncode, markdown.returncode), (6, 6, 6))
        rows = list(csv.DictReader(io.StringIO(table.stdout)))
        self.assertEqual(len(rows), len(audit(self.TEXT)["findings"]))
        flat = " ".join(text.stdout.split())
        for row in rows:
            self.assertIn(f":{row['line']}: {row['kind']}", flat)
            self.assertIn(row["how"][:30], flat)
        self.assertIn("$0.81", markdown.stdout)

    def test_claims_in_yaml_are_held_against_a_job(self):
        job = "examples/llama-8b-full.yaml"
        text = "claims:\n- say: 1x RTX 4090 fits batch 4096\n- say: 3 h x $2 = $6\n- {say: 8x H100 takes 1 min}\n"
        answer = audit(text, "claims.yaml", "--job", job)
        self.assertEqual([one["line"] for one in answer["findings"]], [2, 4], answer)
        self.assertEqual(answer["job"], job)
        self.assertEqual(audit(text, "claims.yaml")["findings"], [])


class Batches(unittest.TestCase):
    """A global batch is a whole number of micro-batches on every GPU."""

    FORMS = ("Global batch {batch} on {gpus} GPUs with micro-batch {micro}.\n",
             "| GPUs | Micro-batch | Global batch |\n|---|---|---|\n| {gpus} | {micro} | {batch} |\n",
             "- {gpus} GPUs\n- micro-batch: {micro}\n- global batch: {batch}\n",
             "- GPUs: {gpus}\n- micro-batch: {micro}\n- global batch: {batch}\n")

    def test_one_that_does_not_divide_is_told_with_the_nearest(self):
        for form in self.FORMS:
            for gpus, micro, batch, right in ((8, 3, 100, "96 or 120"), (6, 4, 64, "48 or 72"), (8, 4, 20, "32")):
                with self.subTest((form, batch)):
                    found = audit("# Plan\n\n" + form.format(gpus=gpus, micro=micro, batch=batch))["findings"]
                    self.assertEqual([(one["kind"], one["right"]) for one in found if "batch of" in one["said"]], [("wrong", right)])

    def test_what_divides_or_is_split_otherwise_is_left_alone(self):
        for form in self.FORMS:
            for gpus, micro, batch in ((8, 3, 96), (6, 4, 48), (8, 4, 32), (1, 1, 7)):
                for more in ("", "Tensor parallel over 4 GPUs.\n" if batch % 5 else ""):
                    text = "# Plan\n\n" + form.format(gpus=gpus, micro=micro, batch=batch) + "\n" + more
                    self.assertFalse([one for one in audit(text)["findings"] if "batch of" in one["said"]], text)
            text = "# Plan\n\nPipeline parallel, dp 2.\n\n" + form.format(gpus=8, micro=3, batch=100)
            self.assertFalse([one for one in audit(text)["findings"] if "batch of" in one["said"]], text)


class Prices(unittest.TestCase):
    """Prices of an hour that nobody asks."""

    def unlikely(self, text):
        return [one["said"] for one in audit("# Plan\n\n" + text)["findings"] if one["kind"] == "unlikely"]

    def test_what_lies_outside_of_all_known_offers_is_told(self):
        self.assertTrue(self.unlikely("H100 SXM at $0.10/h.\n"))
        row = "| GPU | Hours | Price | Total |\n|---|---|---|---|\n| 8x H100 SXM | 10 | ${price}/h | ${total} |\n"
        for price in (200, 250, 0.15, 0.1):
            self.assertTrue(self.unlikely(row.format(price=f"{price:.2f}", total=f"{10 * price:,.2f}")), price)

    def test_what_offers_ask_is_not(self):
        row = "| GPU | Hours | Price | Total |\n|---|---|---|---|\n| {n}x {gpu} | 10 | ${price}/h | ${total} |\n"
        tried = 0
        with open(ROOT / "data/offers.csv", encoding="utf-8") as lines:
            for offer in list(csv.DictReader(line for line in lines if not line.startswith("#")))[::7]:
                price = float(offer["price[USD/h]"] or 0)
                if price < 0.05:
                    continue
                n, gpu = offer["gpus"], offer["gpu"]
                text = row.format(n=n, gpu=gpu, price=f"{price:.2f}", total=f"{10 * round(price, 2):,.2f}")
                self.assertEqual(self.unlikely(text), [], text)
                tried += 1
        self.assertGreater(tried, 20)


class BadInput(unittest.TestCase):
    def test_exit_codes(self):
        self.assertEqual(audit("3 h × $2 = $6\n", code=0)["findings"], [])
        audit("3 h × $2 = $7\n", code=6)
        for done in (run("audit", "/nonexistent/plan.md"), audit(b"\x00\x01\x02" * 1000), audit("phases: 3\n", "x.yaml"), audit("a: [", "x.yaml")):
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
        self.assertEqual(run("audit").returncode, 2)
        self.assertEqual(run("audit", "-", "--job", "-").returncode, 2)

    def test_a_file_without_a_table_or_a_number(self):
        for text in ("", "\n\n", "words only\n", "# heading\n\n- list\n", "| a |\n", "|||\n|-|-|\n"):
            answer = audit(text, code=0)
            self.assertEqual((answer["claims"], answer["findings"]), (0, []))

    def test_it_is_said_where_nothing_could_be_checked(self):
        for text, said in (("We keep 7 of 9 folders.\n", "Nothing of it could be checked: 2 numbers were read"),
                           ("words only\n", "Nothing of it could be checked."),
                           ("3 h x $2 = $6\n", "Nothing wrong was found.")):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "plan.md"
                path.write_text(text)
                done = run("audit", str(path))
            self.assertEqual(done.returncode, 0)
            self.assertIn(said, " ".join(done.stdout.split()))

    def test_merged_and_uneven_cells_are_counted(self):
        answer = audit("| GPU | Cost |\n|---|---|\n| L4 |\n| L40S | $3 | $4 |\n| H100 | $5 |\n", code=0)
        self.assertEqual([part["line"] for part in answer["unread"]], [4])

    def test_numbers_of_other_countries(self):
        for heads, rows, wrong, right in (
                ("Stunden | Preis pro Stunde | Kosten", ("61,5 | 20,10 € | 1.236,15 €", "50 | 24,90 € | 1.245,00 €"),
                 "1.345,00 €", "€1,245"),
                ("Heures | Prix/h | Coût", ("61,5 | 20,10 € | 1 236,15 €", "50 | 24,90 € | 1 245,00 €"), "1 345,00 €",
                 "€1,245"),
                ("Heures | Prix/h | Coût", ("61,5 | 20,10 € | 1\u202f236,15 €", "50 | 24,90 € | 1\u00a0245,00 €"),
                 "1\u00a0345,00 €", "€1,245"),
                ("Hours | Price/h | Cost", ("61.5 | CHF 20.10 | CHF 1'236.15", "50 | CHF 24.90 | CHF 1'245.00"),
                 "CHF 1'345.00", "1,245"),
                ("Hours | Price/h | Cost", ("61.5 | ₹2,010 | ₹1,23,615", "50 | ₹2,490 | ₹1,24,500"), "₹1,34,500",
                 "124,500")):
            text = f"| Option | {heads} |\n|---|---|---|---|\n| 8x H100 | {rows[0]} |\n| 8x B200 | {rows[1]} |\n"
            answer = audit(text, code=0)
            self.assertEqual((answer["findings"], len(answer["unread"])), ([], 0), text)
            self.assertGreaterEqual(answer["checked"], 6, text)
            false = text.replace(rows[1].split(" | ")[2], wrong)
            findings = [one for one in audit(false, code=6)["findings"] if one["kind"] == "wrong"]
            self.assertEqual([one["line"] for one in findings], [4], false)
            self.assertIn(right, findings[0]["right"], false)

    def test_line_ends_and_byte_order_marks_change_nothing(self):
        text = Findings.TEXT
        plain = audit(text)["findings"]
        for other in (text.replace("\n", "\r\n"), "\ufeff" + text, text.replace("\n", "\r"), text.rstrip("\n")):
            self.assertEqual(audit(other)["findings"], plain)
        self.assertEqual(audit("\ufeff".encode("utf-16-le") + text.encode("utf-16-le"))["findings"], plain)

    def test_control_characters_never_reach_the_terminal(self):
        text = "| GPU \x1b[2J | Time | Cost |\n|---|---|---|\n| L4\x1b]0;x\x07 | 9 h | $5 \x9b31m|\n| L40S\u202e | 3 h | $4 |\n\n3 h × $2 = $7\x1b[31m\n"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "plan.md"
            path.write_text(text)
            for words in ([], ["--details"], ["--csv"], ["--json"], ["--markdown"]):
                done = run("audit", str(path), *words)
                self.assertEqual(done.returncode, 6)
                self.assertIsNone(UNSAFE.search(done.stdout + done.stderr), words)
                self.assertNotIn("\u202e", done.stdout)

    def test_ten_megabytes_end_in_time(self):
        row = "| 8x H100 | 3.5 h | $2.90 | $81.20 | cheapest, fastest |\n"
        kinds = {
            "one table": "| GPU | Time | $/GPU-h | Cost | Notes |\n|---|---|---|---|---|\n" + row * (10_000_000 // len(row)),
            "many tables": ("## 8x H100\n\n| GPU | Time | Cost |\n|---|---|---|\n| L4 | 3 h | $4 |\n| L40S | 2 h | $5 |\n\n- Saves: 2 h → 3 h\n- **Fastest:** H100 (3 h) 2x faster than L4, minimum 1 h\n\n" * 60_000),
            "one line": "3 h × $2 = $6 " * 700_000,
            "bars": "|" * 10_000_000,
            "stars": "*" * 5_000_000 + "\n" + "`" * 5_000_000,
        }
        for name, text in kinds.items():
            began = time.monotonic()
            audit(text)
            # What takes the square of the length takes hours; a busy machine does not make minutes of seconds.
            self.assertLess(time.monotonic() - began, 600, name)


class Guides(unittest.TestCase):
    """What gpuplan report writes is right by the program's own figures: the audit has nothing to say about it."""

    def test_the_guides_of_this_repository(self):
        guides = sorted((ROOT / "docs/guides").glob("*.md"))
        self.assertEqual(len(guides), 5)
        for guide in guides:
            answer = audit(guide.read_text(), code=0)
            self.assertEqual((answer["findings"], answer["unread"]), ([], []), guide)
            self.assertGreaterEqual(answer["tables"], 15)

    def test_reports_of_every_job(self):
        jobs = [*EXAMPLES, *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests/seeds").glob("*.yaml"))]
        written = 0
        for words in ([], ["--set", "where.spot=never"], ["--ignore", "given"]):
            for job in jobs if not words else EXAMPLES:
                done = run("report", job, *words)
                if done.returncode != 0:
                    continue
                written += 1
                # A plan of exact times alone has neither a range nor a buffer, and audit may say so.
                findings = [each for each in audit(done.stdout)["findings"] if each["kind"] != "missing" or "8 in 10 runs" in done.stdout]
                self.assertEqual(findings, [], (job, words))
        self.assertGreater(written, len(EXAMPLES))

    def test_an_error_in_a_guide_is_found(self):
        guide = (ROOT / "docs/guides/neurlang.md").read_text()
        own = "<!-- own text: answer -->\n"
        for wrong in ("Storage: 3 months x $20 = $70, 3 h x $2 = $7.\n", "- A: $3\n- B: $4\n- Total: $9\n", "The RTX 4090 has 32 GB.\n"):
            answer = audit(guide.replace(own, own + wrong), code=6)
            self.assertEqual([one["kind"] for one in answer["findings"]], ["wrong"], wrong)


if __name__ == "__main__":
    main(__doc__, at_once=2)
