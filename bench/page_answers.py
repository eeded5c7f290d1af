#!/usr/bin/env python3
"""Times the planner of a page in node: what a reader waits for who turns a knob. Prints a Markdown table.

    cmake --preset wasm && cmake --build --preset wasm --target gpuplan_web_page
    bench/page_answers.py [build/release/gpuplan] [build/wasm/gpuplan_page.wasm]
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODULE = ROOT / "build/wasm/gpuplan_page.wasm"
TURNS = 8  # of one knob, to a value of its own each; node compiles what is asked often anew while it answers
MANY = 5_000  # offers of a made-up price list


def question(program, job, prices=None):
    """What the page of a job asks."""
    asked = [str(program), "plan", str(job), "--json", *(["--prices", str(prices)] if prices else [])]
    kept = json.loads(subprocess.run(asked, capture_output=True, text=True, check=False).stdout)
    return {"ask": "report", "job": kept["job_file"]["text"], "name": job.name, "today": "2026-11-29",
            **({"prices": {prices.name: prices.read_text(encoding="utf-8")}} if prices else {})}


def least(module, asked):
    """Milliseconds of each question, the least of all turns of its knob."""
    lines = [json.dumps({**one, "set": [f"value_of_time=${7 + turn}/h"]}) for one in asked for turn in range(TURNS)]
    node = ["node", "--no-warnings", str(ROOT / "tools/ask_wasm.mjs"), str(module)]
    told = subprocess.run(node, input="\n".join(lines) + "\n", capture_output=True, text=True, check=True).stdout
    for line, answer in zip(lines, told.split("\0"), strict=False):
        if json.loads(answer)["outcome"] == "wrong":
            sys.exit(f"page_answers: {line[:200]}: {answer[:300]}")
    done = subprocess.run([*node, "--times"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    times = [float(time) for time in re.findall(r"^([\d.]+) ms, ", done.stdout, re.MULTILINE)]
    return [min(times[i * TURNS:(i + 1) * TURNS]) for i in range(len(asked))]


def there(path, how):
    if not Path(path).is_file():
        sys.exit(f"page_answers: {path} is not there; expected what this builds: {how}")


def rows(program, price_list, module=MODULE):
    """What is asked, and the milliseconds of its plan and of the whole answer. `price_list` writes a made-up list."""
    there(program, "./gpuplan --version")
    there(module, "cmake --preset wasm && cmake --build --preset wasm --target gpuplan_web_page")
    with tempfile.TemporaryDirectory() as folder:
        prices = Path(folder) / "prices.csv"
        price_list(prices, MANY)
        jobs = sorted((ROOT / "examples").glob("*.yaml"))
        many = [job for job in jobs if job.stem in ("llama-8b-lora", "generate-70b")]
        names = [job.stem for job in jobs] + [f"{job.stem}, {MANY:,} offers" for job in many]
        asked = [question(program, job) for job in jobs] + [question(program, job, prices) for job in many]
        first = least(module, [{**one, "sensitivity": False} for one in asked])
        whole = least(module, asked)
    return list(zip(names, first, whole, strict=True))


def table(found):
    lines = ["| asked | the plan, ms | with what moves it most, ms |", "| --- | ---: | ---: |"]
    return "\n".join(lines + [f"| {name} | {first:.0f} | {whole:.0f} |" for name, first, whole in found])


if __name__ == "__main__":
    import write_speed
    found = rows(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release/gpuplan", write_speed.price_list,
                 sys.argv[2] if len(sys.argv) > 2 else MODULE)
    print(table(found))
