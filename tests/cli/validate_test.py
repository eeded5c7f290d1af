#!/usr/bin/env python3
"""gpuplan validate, runs of training: tests/cli/validate_test.py PROGRAM"""

import csv
import io
import json
import math
import statistics
import time
import unittest

from program import ROOT, main, run

RUNS = "tests/golden/inputs/runs.csv"
MEASURED = ("step_seconds", "tokens_per_second_per_gpu", "peak_memory_gib")


def facts():
    with open(ROOT / "data/measured/train_runs.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def answer(*words, **more):
    done = run("validate", *words, "--json", **more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Contract(unittest.TestCase):
    def test_schema_and_rows(self):
        result = answer("--kind", "training")
        self.assertEqual(result["schema"], "gpuplan/validate@1")
        self.assertIsInstance(result["summary"], dict)
        for row in result["rows"]:
            self.assertTrue({"id", "source", "metric", "measured", "predicted", "p10", "p90", "status", "reason"} <= set(row))
            self.assertIn(row["metric"], MEASURED)
            if row["status"] == "predicted":
                self.assertTrue(0 < row["p10"] <= row["predicted"] <= row["p90"], row["id"])
                self.assertIsNone(row["reason"])
                self.assertEqual(row["inside"], row["p10"] <= row["measured"] <= row["p90"], row["id"])
            else:
                self.assertEqual(row["status"], "refused")
                self.assertEqual((row["predicted"], row["p10"], row["p90"]), (None, None, None))
                self.assertTrue(row["reason"], row["id"])

    def test_a_row_for_every_measured_figure(self):
        expected = [(fact["id"], fact["source"], metric, float(fact[metric]))
                    for fact in facts() for metric in MEASURED if fact[metric]]
        self.assertGreater(len(expected), 800)
        found = [(row["id"], row["source"], row["metric"], row["measured"]) for row in answer("--kind", "training")["rows"]]
        self.assertEqual(len(found), len(expected))
        for one, other in zip(found, expected):
            self.assertEqual(one[:3], other[:3])
            self.assertAlmostEqual(one[3], other[3], delta=1e-9 * other[3])

    def test_summary_follows_from_the_rows(self):
        result = answer("--kind", "training")
        for what in ("time", "memory"):
            rows = [row for row in result["rows"] if row["judged"]
                    and (row["metric"] == "peak_memory_gib") == (what == "memory")]
            errors = [math.log(row["predicted"] / row["measured"]) * (-1 if row["metric"].startswith("tokens") else 1)
                      for row in rows]
            summary = result["summary"][what]
            self.assertEqual(summary["predicted"], len(rows))
            self.assertAlmostEqual(summary["median_log_error"], statistics.median(map(abs, errors)), places=9)
            self.assertAlmostEqual(summary["bias_log"], statistics.median(errors), places=9)
            self.assertAlmostEqual(summary["mean_bias_log"], statistics.mean(errors), places=9)
            self.assertAlmostEqual(summary["inside_share"], statistics.mean(row["inside"] for row in rows), places=9)
            sources = {}
            for row, error in zip(rows, errors):
                sources.setdefault(row["source"], []).append(abs(error))
            self.assertAlmostEqual(summary["median_of_source_medians"],
                                   statistics.median(map(statistics.median, sources.values())), places=9)
            deciles = statistics.quantiles(map(abs, errors), n=10, method="inclusive")
            self.assertAlmostEqual(summary["p90_log_error"], deciles[-1], places=9)

    def test_sources_count_alike_in_coverage(self):
        result = answer("--kind", "training")
        for what in ("time", "memory"):
            sources = {}
            for row in result["rows"]:
                if row["judged"] and row["figure"] == what:
                    sources.setdefault(row["source"], []).append(row["inside"])
            self.assertAlmostEqual(result["summary"][what]["mean_of_source_inside_shares"],
                                   statistics.mean(map(statistics.mean, sources.values())), places=9)

    def test_a_run_is_judged_once(self):
        judged = [(row["id"], row["metric"] == "peak_memory_gib") for row in answer("--kind", "training")["rows"] if row["judged"]]
        self.assertEqual(len(judged), len(set(judged)))

    def test_groups_are_parts_of_the_whole(self):
        result = answer("--kind", "training")
        for what in ("time", "memory"):
            for by in ("source", "gpu", "size", "method", "precision", "machines", "framework", "known", "regime"):
                groups = [group for group in result["groups"] if (group["by"], group["metric"]) == (by, what)]
                for count in ("runs", "predicted"):
                    self.assertEqual(sum(group[count] for group in groups), result["summary"][what][count], by)

    def test_csv_is_the_rows_of_the_json(self):
        rows = list(csv.DictReader(io.StringIO(run("validate", "--kind", "training", "--csv").stdout)))
        expected = answer("--kind", "training")["rows"]
        self.assertEqual([(row["id"], row["metric"], row["status"]) for row in rows],
                         [(row["id"], row["metric"], row["status"]) for row in expected])
        for row, other in zip(rows, expected):
            if other["predicted"] is not None:
                self.assertAlmostEqual(float(row["predicted"]), other["predicted"], delta=1e-5 * other["predicted"])


class Figures(unittest.TestCase):
    def scaled(self, factor):
        """The table of one source with every time and memory so many times as large."""
        rows = [fact for fact in facts() if fact["source"] == "mosaic-llm-foundry"][:40]
        for row in rows:
            for metric, power in zip(MEASURED, (1, -1, 1)):
                if row[metric]:
                    row[metric] = repr(float(row[metric]) * factor ** power)
        text = io.StringIO()
        writer = csv.DictWriter(text, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
        return text.getvalue().encode()

    def test_slower_runs_move_the_bias_and_no_prediction(self):
        plain, slower = answer("-", stdin=self.scaled(1)), answer("-", stdin=self.scaled(1.5))
        self.assertEqual([row["predicted"] for row in plain["rows"]], [row["predicted"] for row in slower["rows"]])
        for key in ("bias_log", "mean_bias_log"):
            self.assertAlmostEqual(slower["summary"]["time"][key],
                                   plain["summary"]["time"][key] - math.log(1.5), places=9)
        self.assertAlmostEqual(slower["summary"]["time"]["calibrated"]["median_of_source_medians"],
                               plain["summary"]["time"]["calibrated"]["median_of_source_medians"], places=9)

    def test_built_in_runs_are_the_file(self):
        self.assertEqual(answer("--kind", "training")["rows"], answer("data/measured/train_runs.csv")["rows"])

    def test_order_of_columns_and_rows_does_not_matter(self):
        rows = facts()[::-1]
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0])[::-1])
        writer.writeheader()
        writer.writerows(rows)
        found = answer("-", stdin=text.getvalue().encode())
        expected = answer("--kind", "training")

        def key(row):
            return row["id"], row["metric"]
        self.assertEqual(sorted(found["rows"], key=key), sorted(expected["rows"], key=key))
        self.assertAlmostEqual(found["summary"]["time"]["median_log_error"],
                               expected["summary"]["time"]["median_log_error"], places=12)

    def test_fast(self):
        best = min(self.timed() for _ in range(5))
        self.assertLess(best, 1)

    def timed(self):
        start = time.perf_counter()
        run("validate")
        return time.perf_counter() - start


def log_error(metric, predicted, measured):
    """Of time or memory: positive when too slow or too large."""
    return math.log(predicted / measured) * (-1 if "per_second" in metric else 1)


class Pairs(unittest.TestCase):
    def test_rows_follow_from_the_runs(self):
        result = answer("--source", "mosaic-llm-foundry", "--source", "nemo-24", "--pairs")
        error = {row["id"]: row["log_error"] for row in result["rows"] if row["judged"] and row["figure"] == "time"}
        rows = [row for row in result["pairs"]["rows"] if row["figure"] == "time"]
        self.assertGreater(len(rows), 300)
        for row in rows:
            self.assertAlmostEqual(row["log_error"], error[row["a"]] - error[row["b"]], places=9)
            self.assertEqual(row["inside"], abs(row["log_error"]) <= 1.2815515655446004 * row["log_deviation"])
            self.assertEqual(row["order_right"] is not None, abs(row["log_measured_ratio"]) > math.log(1.15))
            if row["order_right"] is not None:
                predicted = row["log_measured_ratio"] + row["log_error"]
                self.assertEqual(row["order_right"], (predicted > 0) == (row["log_measured_ratio"] > 0))

    def test_sums_follow_from_the_rows(self):
        result = answer("--kind", "training", "--pairs")["pairs"]
        self.assertEqual({entry["differs"] for entry in result["summary"]},
                         {"any", "gpu", "count", "strategy", "batch"})
        for entry in result["summary"]:
            rows = [row for row in result["rows"] if row["figure"] == entry["figure"]
                    and entry["differs"] in ("any", row["differs"])]
            sources = {}
            for row in rows:
                sources.setdefault(row["source"], []).append(row)
            self.assertEqual((entry["pairs"], entry["sources"]), (len(rows), len(sources)))
            self.assertAlmostEqual(entry["median_of_source_medians"], statistics.median(
                statistics.median(abs(row["log_error"]) for row in group) for group in sources.values()), places=9)
            self.assertAlmostEqual(entry["mean_of_source_inside_shares"], statistics.mean(
                statistics.mean(row["inside"] for row in group) for group in sources.values()), places=9)
            right = [row["order_right"] for row in rows if row["order_right"] is not None]
            self.assertEqual(entry["apart"], len(right))
            if right:
                self.assertAlmostEqual(entry["order_right_share"], statistics.mean(right), places=9)

    def test_a_file_of_ones_own(self):
        text = (b"source,gpu,gpus,model,seq_len,micro_batch,grad_accum,step_seconds\n"
                b"me,RTX 4090,1,GPT-2,1024,2,1,0.1\nme,RTX 4090,1,GPT-2,1024,4,1,0.2\nme,H100 SXM,1,GPT-2,1024,2,1,0.05\n")
        pairs = answer("-", "--pairs", stdin=text)["pairs"]
        self.assertEqual(sorted(row["differs"] for row in pairs["rows"]), ["batch", "gpu", "gpu"])
        text = run("validate", "-", "--pairs", stdin=text).stdout
        self.assertIn("ORDER RIGHT", text)


class OwnRuns(unittest.TestCase):
    def test_a_site_that_is_slow_throughout_is_learned(self):
        """All times of a source half as long again: most of that goes away with one run."""
        rows = [fact for fact in facts() if fact["source"] == "mosaic-llm-foundry"][:40]
        for row in rows:
            row["step_seconds"] = repr(1.6 * float(row["step_seconds"])) if row["step_seconds"] else ""
            rate = row["tokens_per_second_per_gpu"]
            row["tokens_per_second_per_gpu"] = repr(float(rate) / 1.6) if rate else ""
        text = io.StringIO()
        writer = csv.DictWriter(text, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
        for own in ("1", "4"):
            time, = (entry for entry in answer("-", "--calibrate", own, stdin=text.getvalue().encode())["own_runs"]
                     if entry["figure"] == "time")
            self.assertEqual((time["own_runs"], time["sources"], time["runs"]), (int(own), 1, 40))
            self.assertGreater(time["median_of_source_medians_without"], 0.35)
            self.assertLess(time["median_of_source_medians"], 0.6 * time["median_of_source_medians_without"])

    def test_every_number_of_own_runs(self):
        for own in ("1", "2", "4"):
            for entry in answer("--calibrate", own)["own_runs"]:
                self.assertLessEqual(entry["median_of_source_medians"], entry["p90_log_error"])
                self.assertTrue(0 <= entry["mean_of_source_inside_shares"] <= 1)
        self.assertIn("OWN RUNS", run("validate", "--calibrate", "2").stdout)


class FirstContact(unittest.TestCase):
    def test_figures_follow_from_the_file(self):
        with open(ROOT / "data/measured/first_contact.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        contact = answer("--first-contact")["first_contact"]
        self.assertEqual(contact["versions"], sorted({row["commit"] for row in rows}))
        runs = {(row["source"], row["id"]) for row in rows if row["metric"] == "step_seconds"}
        trained = {}
        for row in rows:  # the seconds of a step count before tokens per second
            if row["status"] == "predicted" and (row["metric"] == "step_seconds" or (
                    row["metric"] == "tokens_per_second_per_gpu" and (row["source"], row["id"]) not in runs)):
                trained.setdefault(row["source"], []).append(row)
        errors = {source: [abs(log_error(row["metric"], float(row["predicted"]), float(row["measured"])))
                           for row in group] for source, group in trained.items()}
        then = contact["then"]["time"]
        self.assertEqual((then["sources"], then["predicted"]), (len(errors), sum(map(len, errors.values()))))
        self.assertAlmostEqual(then["median_of_source_medians"],
                               statistics.median(map(statistics.median, errors.values())), places=9)
        pooled = [error for group in errors.values() for error in group]
        self.assertAlmostEqual(then["p90_log_error"], statistics.quantiles(pooled, n=10, method="inclusive")[-1], places=9)
        self.assertAlmostEqual(then["mean_of_source_inside_shares"], statistics.mean(
            statistics.mean(float(row["p10"]) <= float(row["measured"]) <= float(row["p90"]) for row in group)
            for group in trained.values()), places=9)

    def test_today_is_what_is_predicted_without_it(self):
        with open(ROOT / "data/measured/first_contact.csv", encoding="utf-8", newline="") as file:
            met = {(row["source"], row["id"], row["metric"], float(row["measured"])) for row in csv.DictReader(file)}
        result = answer("--first-contact")
        errors = [abs(row["log_error"]) for row in result["rows"] if row["judged"] and row["figure"] == "memory"
                  and (row["source"], row["id"], row["metric"], row["measured"]) in met]
        self.assertAlmostEqual(result["first_contact"]["today"]["memory"]["median_log_error"],
                               statistics.median(errors), places=9)


class Fits(unittest.TestCase):
    def test_every_run_did_fit(self):
        said = answer()["summary"]["said_not_to_fit"]
        for kind, most in (("training", 0.36), ("generation", 0.01)):  # what has been reached
            self.assertGreater(said[kind]["runs"], 500)
            self.assertLessEqual(said[kind]["at_p50"], said[kind]["at_p90"])
            self.assertLess(said[kind]["at_p50"], most)

    def test_a_run_that_is_far_too_large_is_said_not_to_fit(self):
        text = b"gpu,model,seq_len,micro_batch,method,step_seconds\nRTX 4090,Qwen2.5-7B,1024,8,full,0.4\nH100 SXM,GPT-2,1024,1,full,0.4\n"
        said = answer("-", stdin=text)["summary"]["said_not_to_fit"]
        self.assertEqual((said["training"]["runs"], said["training"]["at_p50"]), (2, 0.5))
        self.assertEqual((said["generation"]["runs"], said["generation"]["at_p50"]), (0, None))


class Questions(unittest.TestCase):
    def test_source_and_metric_keep_a_part(self):
        rows = answer("--source", "Nanochat", "--metric", "time")["rows"]
        self.assertTrue(rows)
        self.assertEqual({row["source"] for row in rows}, {"nanochat"})
        self.assertNotIn("peak_memory_gib", {row["metric"] for row in answer("--metric", "time")["rows"]})
        self.assertEqual({row["metric"] for row in answer("--metric", "memory")["rows"]}, {"peak_memory_gib"})

    def test_worst_runs_are_told_with_their_terms(self):
        self.assertEqual(run("validate", "--worst", "3", "--metric", "time", "--by", "known").stdout.split(
            "Largest errors")[1].split("Breakdown")[0].count("\n"), 1 + 1 + 3 + 1, "one row for each")
        told = answer("--worst", "3", "--metric", "time")["told"]
        self.assertEqual(len(told), 3)
        for one in told:
            self.assertAlmostEqual(sum(term["share"] for term in one["terms"]
                                       if term["kind"] == "time" and term["part_of_total"]), 1, places=9)
        text = run("validate", "--worst", "0").stdout
        self.assertNotIn("Largest errors", text)

    def test_all_shows_every_run(self):
        text = run("validate", "--source", "korthikanti22", "--all").stdout
        for number in range(1, 9):
            self.assertIn(f"korthikanti22-{number:03}", text)

    def test_explain_tells_one_run(self):
        text = run("validate", "--explain", "NANOCHAT-001").stdout
        for words in ("nanochat-001", "Predicted as", "one step", "matmuls (GEMMs)"):
            self.assertIn(words, text)
        done = run("validate", "--explain", "nanochat-01")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("Did you mean 'nanochat-001", done.stderr)

    def test_every_grouping_is_a_table_within_the_screen(self):
        groups = "source,gpu,size,method,precision,machines,framework,known,regime,trait"
        text = run("validate", "--by", groups, COLUMNS="80").stdout
        for name in groups.split(","):
            self.assertIn(f"  {name.upper()} ", text)
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 80)

    def test_every_look_in_every_form(self):
        for look in ([], ["--left-out"], ["--pairs"], ["--calibrate", "1"], ["--first-contact"],
                     ["--left-out", "--pairs", "--calibrate", "2", "--all"], ["--left-out", "--by", "gpu,regime,framework"]):
            for form in ([], ["--json"], ["--csv"], ["--markdown"]):
                done = run("validate", *look, *form)
                self.assertEqual((done.returncode, done.stderr), (0, ""), look + form)
                self.assertTrue(done.stdout.strip(), look + form)
        sources = {row["framework"] for row in json.loads(run("validate", "--left-out", "--all", "--json").stdout)["rows"]}
        self.assertLessEqual({"torchtitan", "vllm", "llama.cpp"}, sources)

    def test_own_runs_alone_name_no_source(self):
        text = b"gpu,model,seq_len,micro_batch,step_seconds\nRTX 4090,GPT-2,1024,8,0.4\n"
        done = run("validate", "-", stdin=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("standard input: 1 run,", done.stdout)
        self.assertNotIn("by source", done.stdout)


class Wrong(unittest.TestCase):
    def test_malformed_lines_are_told_and_the_rest_goes_on(self):
        done = run("validate", RUNS, "--json")
        self.assertEqual(done.returncode, 0)
        self.assertEqual([line.split(" ")[0] for line in done.stderr.splitlines()], [f"{RUNS}:6:", f"{RUNS}:7:"])
        result = json.loads(done.stdout)
        self.assertEqual([line["line"] for line in result["bad_lines"]], [6, 7])
        self.assertEqual({row["id"] for row in result["rows"]}, {"run-1", "run-2", "run-3", "run-4", "run-7", "run-8"})
        refused = {(row["id"], row["metric"]) for row in result["rows"] if row["status"] == "refused"}
        self.assertEqual(refused, {("run-4", "tokens_per_second_per_gpu"), ("run-8", "tokens_per_second_per_gpu"),
                                   ("run-8", "peak_memory_gib")})

    def test_what_was_not_stated_is_named(self):
        for row in answer(RUNS)["rows"]:
            if row["id"] in ("run-2", "run-7"):
                self.assertTrue(row["assumed"], row["id"])
                self.assertNotIn("", row["assumed"])

    def test_contradictions_give_a_figure_or_a_reason(self):
        """Cells that belong to other rows, one at a time."""
        rows = facts()[::23]
        columns = ("gpus", "gpus_per_node", "dp", "tp", "pp", "cp", "ep", "vpp", "micro_batch", "global_batch", "layers",
                   "heads", "experts", "seq_len", "inter_node_gbps", "intra_node", "sharding", "offload")
        text = io.StringIO()
        writer = csv.DictWriter(text, rows[0].keys())
        writer.writeheader()
        for row in rows:
            for column in columns:
                for value in {row[column] for row in rows} | {"10000000"}:
                    writer.writerow({**row, column: value})
        found = answer("-", stdin=text.getvalue().encode())["rows"]
        self.assertGreater(len(found), 1000)
        self.assertTrue(any("10,000,000 GPUs" in row["reason"] for row in found if row["reason"]))
        for row in found:
            if row["status"] == "predicted":
                self.assertTrue(row["predicted"] is not None and 0 < row["p10"] <= row["predicted"] <= row["p90"], row)
            else:
                self.assertTrue(row["reason"], row)

    def test_unusable_files(self):
        for words, stdin, message in ((["nosuch.csv"], None, "nosuch.csv: no such file"),
                                      (["-"], b"", "standard input"),
                                      (["-"], b"gpu,model\nH100 SXM,GPT-2\n", "step_seconds"),
                                      (["-"], b"gpu,step_seconds\n", "no runs"),
                                      (["-"], b"gpu,step_seconds\nH100 SXM,soon\n", "standard input:2:")):
            done = run("validate", *words, **({"stdin": stdin} if stdin is not None else {}))
            self.assertEqual((done.returncode, done.stdout), (5, ""), words)
            self.assertIn(message, done.stderr)

    def test_wrong_words(self):
        for words in (["--by", "colour"], ["--metric", "speed"], ["--source", "nowhere"], ["--worst", "-1"],
                      ["--explain", "nothing-at-all"], [RUNS, "--report"], [RUNS, "--left-out"],
                      [RUNS, "--first-contact"], ["--calibrate", "0"], ["--calibrate", "some"]):
            done = run("validate", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertEqual(len(done.stderr.splitlines()), 1 if RUNS not in words else 1, done.stderr)


if __name__ == "__main__":
    main(__doc__)
