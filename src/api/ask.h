/* gpuplan for every language that can call C: JSON in, JSON out. Never throws, opens no file, keeps nothing between
 * calls, and may be called from several threads.
 *
 *   {"ask": "plan", "job": "phases: ..."}
 *
 * ask      plan, whatif, sensitivity, fit, gpus, offers, model, schema or version
 * job      text of a job file, or the job itself as an object     (plan, whatif, sensitivity, fit)
 * name     what messages call the job
 * flags    {"model": "Qwen2.5-7B", "gpu": ["H100", "L4"]}: flags of gpuplan plan about the work and about wishes
 * set      ["samples=x2"]; of whatif each of them is a case
 * vary     ["batch=4,8"]                                          (whatif)
 * by       0.2                                                    (sensitivity)
 * prices   {"offers.csv": TEXT}: the whole market
 * rates    ["EUR=1.08"]
 * as_of    "2026-01"
 * ignore   "given"
 * threads, seed
 * all      every plan or row; explain: terms and sources; show: ["decisions"], tables of plan --show
 * filter   ["memory>=40"]                                         (gpus, offers)
 * model    a name                                                 (model)
 * data     {"offers.csv": TEXT}: tables in place of those compiled in
 *
 * The answer: {"schema": "gpuplan/answer@1", "outcome": "found", "answer": {...}} with the document that the program
 * prints with --json; the outcome may also be "misses_limits" and "nothing_fits". For wrong input the outcome is
 * "wrong", and "error" has message, file, line and column in place of "answer". */
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
