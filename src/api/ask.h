/* gpuplan for every language that can call C: JSON in, JSON out. Never throws, opens no file, keeps nothing between
 * calls, and may be called from several threads.
 *
 *   {"ask": "plan", "job": "phases: ..."}
 *
 * ask      plan, whatif, sensitivity, fit, profiles, simulate, launch, report, check, audit, validate, gpus, offers,
 *          model, schema or version
 *
 * About a job (the first nine; of simulate the flag work may stand in its place):
 * job      text of a job file or of a kept plan, or the job itself as an object
 * name     what messages call the job
 * flags    {"model": "Qwen2.5-7B", "gpu": ["H100", "L4"]}: flags of gpuplan plan about the work and about wishes (not
 *          check). Of simulate also work, spot-price, on-demand-price, checkpoint, restart, notice, wait and interval
 * set      ["samples=x2"]; of whatif each of them is a case
 * prices   {"offers.csv": TEXT}: the whole market (all but fit; also offers)
 * rates    ["EUR=1.08"] (all but fit; also offers)
 * as_of    "2026-01" (all but fit)
 * ignore   "given" (all but fit)
 * today: 2026-11-22; how old prices are counts to it (nothing is said of their age without it)
 * threads, seed: numbers (all but fit)
 *
 * own_runs TEXT: the user's own runs (gpuplan calibrate), which predictions learn from (the first nine)
 * all      every plan or row (plan, fit, profiles, offers, validate)
 * explain  terms and sources (plan, fit)
 * show     ["decisions"], tables of plan --show (plan)
 * vary     ["batch=4,8"] (whatif)
 * by       0.2 (sensitivity)
 * phase    the name of one (profiles, check)
 * plan     an id (simulate); an id or the text of a kept plan (check); one or a list of them, or "all" (launch)
 * traces   {"zone-a.json": TEXT}: when spot machines were there, also those that the job names (simulate)
 * starts   TEXT: ticks at which replays of the traces begin (simulate)
 * policies ["greedy"], or ["all"] (simulate)
 * trials, slices, machines: numbers (simulate)
 * to       "slurm": a launcher (launch)
 * folder   how the answer calls the folder of all files (launch)
 * allow_tight  true: plans whose memory fits by the median only (launch)
 * smoke        true: a trial of the plan, with a small model and few steps (launch)
 * log      TEXT, or {"run.log": TEXT, "gpus.csv": TEXT}, which count together (check)
 * text     TEXT: a plan made by hand, which a job may stand beside (audit)
 * form     "markdown", "csv" or "yaml" (audit)
 * runs     TEXT: a table of measured runs; those compiled in unless given (validate)
 * kind     "training" or "generation" (validate)
 * metric, group, sources, run, worst, left_out: "time", ["gpu"], ["NAME"], "ID", 5, true (validate)
 * pairs, calibrate, first_contact: true, 1, true (validate)
 * arguments  "job.yaml --set epochs=2": what commands in the document say behind their name; none: the job's name
 *          (report)
 * sensitivity  false: without what moves the plan most, in a part of the time (report)
 * filter   ["memory>=40"] (gpus, offers)
 * model    a name (model)
 * data     {"offers.csv": TEXT}: tables in place of those compiled in (all)
 *
 * The answer: {"schema": "gpuplan/answer@1", "outcome": "found", "answer": {...}} with the document that the program
 * prints with --json; the outcome may also be "misses_limits" and "nothing_fits". Of launch, "files" beside it has
 * path, executable and text of each file to write, or "why" says in sentences why there are none. Of
 * report, "html" and "contents" beside it are the inside of its page. A log that was checked is "found", whatever the
 * verdict in the document. Rows of own runs that can not be used stand in "own_runs_left_out" with line and message.
 * For wrong input the outcome is "wrong", and "error" has message, file, line and column in place of "answer". */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Both texts end in a zero byte. The answer is freed by gpuplan_free(); NULL only when there is no memory for it. */
char* gpuplan_ask(const char* json);
void gpuplan_free(char* answer);

#ifdef __cplusplus
}
#endif
