#!/usr/bin/env python3
"""gpuplan validate, runs of generation: tests/cli/validate_generation_test.py PROGRAM"""

import csv
import io
import json
import math
import statistics
import unittest

from program import ROOT, main, run

RUNS = "tests/golden/inputs/generation-runs.csv"
RATES = ("output_tokens_per_second", "total_tokens_per_second", "prefill_tokens_per_second")
MEASURED = (*RATES, "ttft_ms", "tpot_ms", "peak_memory_gib")
FIGURES = ("single", "static", "saturated", "concurrency", "prefill", "tpot", "ttft", "generation_memory")


def facts():
    with open(ROOT / "data/measured/infer_runs.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table(rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0].keys())
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def answer(*words, **more):
    done = run("validate", *words, "--json", **more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def built_in(*words):
    return answer("--kind", "generation", *words)


class Contract(unittest.TestCase):
    def test_schema_and_rows(self):
        result = built_in()
        self.assertEqual(result["schema"], "gpuplan/validate@1")
        for row in result["rows"]:
            self.assertTrue({"id", "source", "metric", "measured", "predicted", "p10", "p90", "status", "reason"} <= set(row))
            self.assertIn(row["metric"], MEASURED)
            self.assertEqual(row["kind"], "generation")
            self.assertIn(row["figure"], FIGURES)
            if row["status"] == "predicted":
                self.assertTrue(0 < row["p10"] <= row["predicted"] <= row["p90"], row["id"])
                self.assertIsNone(row["reason"])
                self.assertEqual(row["inside"], row["p10"] <= row["measured"] <= row["p90"], row["id"])
            else:
                self.assertTrue(row["reason"], row["id"])

    def test_a_row_for_every_measured_figure(self):
        expected = [(fact["id"], fact["source"], metric, float(fact[metric]))
                    for fact in facts() for metric in MEASURED if fact[metric]]
        self.assertGreater(len(expected), 1300)
        found = [(row["id"], row["source"], row["metric"], row["measured"]) for row in built_in()["rows"]]
        self.assertEqual(len(found), len(expected))
        for one, other in zip(found, expected):
            self.assertEqual(one[:3], other[:3])
            self.assertAlmostEqual(one[3], other[3], delta=1e-9 * other[3])

    def test_nearly_all_rows_are_predicted(self):
        rows = built_in()["rows"]
        predicted = sum(row["status"] == "predicted" for row in rows)
        self.assertGreaterEqual(predicted, 0.95 * len(rows))

    def test_figures_follow_the_mode(self):
        modes = {fact["id"]: fact["mode"] for fact in facts()}
        for row in built_in()["rows"]:
            mode = modes[row["id"]]
            if row["metric"] == "peak_memory_gib":
                expected = "generation_memory"
            elif row["metric"] == "tpot_ms":
                expected = "tpot"
            elif row["metric"] == "ttft_ms":
                expected = "ttft" if mode in ("concurrency", "saturated") else "prefill"
            elif row["metric"] == "prefill_tokens_per_second":
                expected = "prefill"
            else:
                expected = mode
            self.assertEqual(row["figure"], expected, row["id"])

    def test_summary_follows_from_the_rows(self):
        result = built_in()
        for what in FIGURES:
            rows = [row for row in result["rows"] if row["judged"] and row["figure"] == what]
            summary = result["summary"][what]
            self.assertEqual(summary["predicted"], len(rows), what)
            if not rows:
                continue
            errors = [math.log(row["predicted"] / row["measured"]) * (-1 if row["metric"] in RATES else 1) for row in rows]
            self.assertAlmostEqual(summary["median_log_error"], statistics.median(map(abs, errors)), places=9)
            self.assertAlmostEqual(summary["bias_log"], statistics.median(errors), places=9)
            self.assertAlmostEqual(summary["inside_share"], statistics.mean(row["inside"] for row in rows), places=9)
            sources = {}
            for row, error in zip(rows, errors):
                sources.setdefault(row["source"], []).append(abs(error))
            self.assertAlmostEqual(summary["median_of_source_medians"],
                                   statistics.median(map(statistics.median, sources.values())), places=9)

    def test_a_run_counts_once_for_a_figure_and_not_at_all_when_distrusted(self):
        rows = built_in()["rows"]
        judged = [(row["id"], row["figure"]) for row in rows if row["judged"]]
        self.assertEqual(len(judged), len(set(judged)))
        distrusted = {fact["id"] for fact in facts() if fact["distrust"]}
        self.assertTrue(distrusted)
        self.assertLess(len(distrusted), 0.02 * len(facts()))
        for row in rows:
            self.assertEqual(row["distrust"] is not None, row["id"] in distrusted)
            if row["id"] in distrusted:
                self.assertFalse(row["judged"])
        named = {name for group in built_in()["counted_nowhere"] for name in group["ids"]}
        self.assertEqual(named, distrusted)

    def test_groups_are_parts_of_the_whole(self):
        result = built_in()
        for what in FIGURES:
            for by in ("source", "gpu", "size", "machines", "framework", "known", "mode", "weights", "experts", "parallel",
                       "length", "batch", "regime"):
                groups = [group for group in result["groups"] if (group["by"], group["metric"]) == (by, what)]
                for count in ("runs", "predicted"):
                    self.assertEqual(sum(group[count] for group in groups), result["summary"][what][count], (by, what))

    def test_csv_is_the_rows_of_the_json(self):
        rows = list(csv.DictReader(io.StringIO(run("validate", "--kind", "generation", "--csv").stdout)))
        expected = built_in()["rows"]
        for key in ("id", "metric", "status", "figure"):
            self.assertEqual([row[key] for row in rows], [row[key] for row in expected])
        for row, other in zip(rows, expected):
            if other["predicted"] is not None:
                self.assertAlmostEqual(float(row["predicted"]), other["predicted"], delta=1e-5 * other["predicted"])


class Kinds(unittest.TestCase):
    def test_both_kinds_are_one_answer(self):
        both = answer()["rows"]
        self.assertEqual(both, answer("--kind", "training")["rows"] + built_in()["rows"])

    def test_both_kinds_are_shown_in_sum(self):
        text = run("validate").stdout
        for words in ("step time", "single request", "saturated server", "--kind training or generation"):
            self.assertIn(words, text)
        self.assertNotIn("Largest errors", text)
        self.assertNotIn("by source", text)

    def test_a_table_is_told_by_its_columns(self):
        self.assertEqual(built_in()["rows"], answer("data/measured/infer_runs.csv")["rows"])
        for column in (*MEASURED[:-1], "mode"):
            value = "single" if column == "mode" else "20"
            text = f"gpu,model,weights,{column},peak_memory_gib\nH100 SXM,Llama-3.1-8B,bf16,{value},18\n"
            rows = answer("-", stdin=text.encode())["rows"]
            self.assertEqual({row["kind"] for row in rows}, {"generation"}, column)
        text = b"gpu,model,seq_len,micro_batch,peak_memory_gib\nRTX 4090,GPT-2,1024,8,9\n"
        self.assertEqual(answer("-", stdin=text)["rows"][0]["kind"], "training")
        self.assertEqual(answer("-", "--kind", "generation", stdin=text)["rows"][0]["kind"], "generation")

    def test_memory_is_that_of_both_kinds(self):
        self.assertEqual({row["figure"] for row in answer("--metric", "memory")["rows"]}, {"memory", "generation_memory"})
        self.assertEqual({row["figure"] for row in built_in("--metric", "memory")["rows"]}, {"generation_memory"})

    def test_wrong_words(self):
        for words in (["--kind", "serving"], ["--kind", "training", "--metric", "single"],
                      ["--kind", "generation", "--metric", "time"], ["--kind", "training", "--source", "qserve"],
                      ["--metric", "generation_memory"], [RUNS, "--left-out"]):
            done = run("validate", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        done = run("validate", "-", "--kind", "generation", stdin=b"gpu,step_seconds\nH100 SXM,1\n")
        self.assertEqual((done.returncode, done.stdout), (5, ""))
        self.assertIn("output_tokens_per_second", done.stderr)


class Figures(unittest.TestCase):
    def test_slower_runs_move_the_bias_and_no_prediction(self):
        def scaled(factor):
            rows = [fact for fact in facts() if fact["source"] in ("trtllm-docs-0.9", "qwen2.5-docs", "nv-sweeps")]
            for row in rows:
                for metric in MEASURED[:-1]:
                    if row[metric]:
                        row[metric] = repr(float(row[metric]) * factor ** (-1 if metric in RATES else 1))
            return table(rows)
        plain, slower = answer("-", stdin=scaled(1)), answer("-", stdin=scaled(1.5))
        self.assertEqual([row["predicted"] for row in plain["rows"]], [row["predicted"] for row in slower["rows"]])
        for what in ("single", "static", "prefill", "tpot", "ttft"):
            self.assertAlmostEqual(slower["summary"][what]["bias_log"],
                                   plain["summary"][what]["bias_log"] - math.log(1.5), places=9, msg=what)

    def test_order_of_columns_and_rows_does_not_matter(self):
        rows = [{key: row[key] for key in list(row)[::-1]} for row in facts()[::-1]]

        def key(row):
            return row["id"], row["metric"]
        self.assertEqual(sorted(answer("-", stdin=table(rows))["rows"], key=key), sorted(built_in()["rows"], key=key))

    def test_more_gpus_of_one_kind_are_not_slower_in_saturation(self):
        base = {"gpu": "H100 SXM", "framework": "vllm", "model": "Llama-3.3-70B", "weights": "fp8", "input_tokens": "1000",
                "output_tokens": "1000", "mode": "saturated", "output_tokens_per_second": "1000"}
        rows = [{**base, "id": f"tp{tp}", "gpus": str(tp), "tp": str(tp)} for tp in (2, 4, 8)]
        rates = [row["predicted"] for row in answer("-", stdin=table(rows))["rows"]]
        self.assertEqual(rates, sorted(rates))


class Questions(unittest.TestCase):
    def test_explain_tells_one_run(self):
        text = run("validate", "--explain", "GPT-FAST-001").stdout
        for words in ("gpt-fast-001", "Predicted as", "whole phase", "weight reads"):
            self.assertIn(words, text)
        distrusted = next(fact["id"] for fact in facts() if fact["distrust"])
        self.assertIn("Excluded:", run("validate", "--explain", distrusted).stdout)

    def test_terms_of_the_farthest_off_add_up(self):
        for one in built_in("--worst", "2")["told"]:
            kind = "memory" if one["metric"] == "generation_memory" else "time"
            shares = [term["share"] for term in one["terms"] if term["kind"] == kind and term["part_of_total"]]
            self.assertAlmostEqual(sum(shares), 1, places=9, msg=one["id"])

    def test_every_grouping_is_a_table_within_the_screen(self):
        groups = "source,gpu,size,machines,framework,known,mode,weights,experts,parallel,length,batch,regime,trait"
        text = run("validate", "--kind", "generation", "--by", groups, COLUMNS="80").stdout
        for name in groups.split(","):
            self.assertIn(f"  {name.upper()} ", text)
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 80)

    def test_all_shows_distrusted_runs_too(self):
        text = run("validate", RUNS, "--all").stdout
        for number in range(1, 10):
            self.assertIn(f"gen-{number} ", text)
        self.assertIn("Excluded", text)


class Wrong(unittest.TestCase):
    def test_malformed_lines_are_told_and_the_rest_goes_on(self):
        done = run("validate", RUNS, "--json")
        self.assertEqual(done.returncode, 0)
        self.assertEqual([line.split(" ")[0] for line in done.stderr.splitlines()], [f"{RUNS}:11:", f"{RUNS}:12:"])
        refused = {row["id"] for row in json.loads(done.stdout)["rows"] if row["status"] == "refused"}
        self.assertEqual(refused, {"gen-8", "gen-9"})

    def test_contradictions_give_a_figure_or_a_reason(self):
        """Cells that belong to other rows, one at a time."""
        rows = facts()[::37]
        columns = ("gpus", "tp", "pp", "ep", "replicas", "layers", "hidden", "heads", "kv_heads", "experts",
                   "experts_per_token", "kv_lora_rank", "window", "window_layers", "weights", "kv_cache", "input_tokens",
                   "output_tokens", "cache_tokens", "batch", "mode", "rate_counts", "inter_node_gbps", "framework", "gpu")
        texts = []
        for row in rows:
            for column in columns:
                for value in sorted({row[column] for row in rows} | {"10000000"}):
                    texts.append({**row, column: value})
        found = answer("-", stdin=table(texts))["rows"]
        self.assertGreater(len(found), 2000)
        for row in found:
            if row["status"] == "predicted":
                self.assertTrue(row["predicted"] is not None and 0 < row["p10"] <= row["predicted"] <= row["p90"], row)
            else:
                self.assertTrue(row["reason"], row)


if __name__ == "__main__":
    main(__doc__)
