#include "input/declaration/sample_text.h"

namespace gpuplan {

constinit const std::string_view kJobFileIntroduction = R"(# The job file

<!-- Made from the declaration in src/input/job. A test checks that it is current, and with GPUPLAN_UPDATE_DOCS=1 in
     the environment writes it anew. -->

A job file says what you want done (phases), what may run it (market and where) and what matters to you (limits, goal,
value of an hour). It is YAML, or the same in JSON. `examples/` holds complete ones; the shortest is

```yaml
phases:
  - name: train
    train:
      model: meta-llama/Llama-3.1-8B
      method: lora
      data: {samples: 50k, tokens_per_sample: {mean: 600, max: 2048}}
```

## Values

* **Amounts** carry units: `12 h`, `45 min`, `$50`, `$0.35/h`, `5%/h`, `80 GiB`, `200 Mbit/s`, `11.2B tokens`,
  `70 tokens/s`. Counts take `50_000` and `k M B T`. A bare number means the unit
  that the tables below name after "bare"; times always say theirs (`deadline: 12` is asked back: `12 h`, `12 min`?). A
  unit of another kind is an error. Lower and upper case do not matter, except that `Mb/s`
  is bits and `MB/s` bytes.
* **Ranges** `20-24` or `20..24` are the 10th and 90th percentile. A single figure for time or speed is read as
  ±20% unless `exact: true` stands beside it; one for memory as it is.
* **Lengths** are a number of tokens or `{mean: 300, max: 512}`.
* **Values that depend on the hardware**: `{by_gpu: {"8x H100 SXM": 32, "A100 SXM 80GB": 28, else: 16}}`. A case with a
  count wins over one without.
* **GPUs** go by any usual name (`gpuplan gpus` lists them); `4x RTX 4090` and `RTX 4090:4` are counts.
* **Lists** may be a single value.
* Unknown and duplicate keys are errors. Anchors (`&`), aliases (`*`) and merges (`<<`) work.

A file may have 1 MB, 100,000 values (aliases expanded) and 64 levels.

## Addresses

Every value has an address: `limits.deadline`, `phases.NAME.train.epochs`, `market.offers[2].price`. Messages name it, and
`--set ADDRESS=VALUE` changes it for one run. Maps on the way are made when missing, `offers[N]` with N one past the
end adds an item, and an empty value takes a key away. `variants` are named sets of such settings.

* **Short addresses.** The kind of a phase may be left out: `phases.NAME.epochs`. So may the beginning, where one place of
  the job ends in the rest (`epochs`, `data.samples`, `deadline`), and steps between (`NAME.samples`). A value that the job
  states goes before one that it only could; several are an error that lists them, never a guess.
* **All items.** `market.offers[*].price` and `phases[*].train.sequence` stand for every item of a list.
* **Relative values.** `x2`, `x0.5`, `+10%` and `-20%` multiply what the job states: an amount with its unit, a range, a
  length, every case of a `by_gpu`. Whole numbers become the nearest whole number. It is an error where the job states
  nothing.

## Meaning

* **Same work.** All candidates of a phase do the same work. `steps` with a batch that gpuplan may choose needs
  `steps_at_batch: N`: the work is steps × N sequences.
* **Order.** `needs` names the phases that must be done first. A phase without `needs` can start at once; the order in
  the file means nothing.
* **Models** are a name, a path to a `config.json`, a folder, a safetensors or GGUF file, or a map: `{like: NAME, name: X}`,
  a shape `{layers: 6, hidden: 384}` (what is left out follows from the rest), `{params: 25M, layers: 6, hidden: 384}`,
  or `{custom: {...}}` for what is no transformer.
* **Your own figures** (`given`) take precedence over the model's, and where one lies outside the model's interval both
  are shown.

## Words

What a plan is for, what is done by hand and how to judge what comes out stand beside the figures, for those who did
not write the job. No figure, order or id of a plan depends on it.

* **Where.** `title`, `purpose`, `notes` and `tasks` tell of the job or of a phase; `expect` and `quality` of what a phase
  gives; `notes` of an offer, a pool or an own machine; `options` of ways to run the job, by GPU, number of GPUs or both
  (the closest counts: GPU and number, then GPU, then number); `title` and `notes` in a variant of that variant, where they
  are no change. What gpuplan checks by itself is `succeed_when`, and a manual step that takes time before a phase `before`.
* **What.** Titles, and `do` and `who` of a task, are one line of at most 200 characters, the rest is Markdown of at most
  20,000. Characters that are not seen or turn the text around (control characters, zero width, bidirectional overrides) are
  refused. Markdown and HTML are kept as written and escaped wherever they are shown.
* **Times of tasks** are told and not added to the hours of the phase. Where those of one person are longer than the time
  that a `fixed` or `cpu` phase states, the plan says so and uses the time of the phase.
* **Shown** by `plan --show notes`; the title also heads the plan. `plan --json` has all of it in `prose`. `--set` takes their
  full addresses only.

## Keys

The top of the file is the table *job*.
)";

std::string section_anchor(std::string_view heading) {
  std::string anchor;
  for (const char c : heading) anchor += c == ' ' ? '-' : c;
  return anchor;
}

}  // namespace gpuplan
