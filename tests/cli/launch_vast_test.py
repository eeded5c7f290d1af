#!/usr/bin/env python3
"""The scripts that rent machines at Vast.ai and RunPod: searches in order and in the grammar of vastai, and what runs.

    tests/cli/launch_vast_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import os
import re
import shlex
import subprocess
import tempfile
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path

from program import EXAMPLES, ROOT, main, run

# Fields of offers that can be searched for, and what their values are (vast.py: offers_fields and its aliases).
NUMBERS = {"bw_nvlink", "compute_cap", "cpu_cores", "cpu_ram", "cuda_vers", "cuda_max_good", "direct_port_count", "disk_bw",
           "disk_space", "dlperf", "dlperf_usd", "dph", "dph_total", "duration", "flops_usd", "gpu_mem_bw", "gpu_ram", "id",
           "inet_down", "inet_down_cost", "inet_up", "inet_up_cost", "min_bid", "num_gpus", "pci_gen", "pcie_bw",
           "reliability", "storage_cost", "total_flops"}
NAMES = {"gpu_name", "geolocation", "gpu_arch", "cpu_arch"}
TRUTHS = {"verified", "external", "rentable", "rented", "datacenter", "static_ip"}
WORDS = {"in", "notin", "nin", "eq", "neq", "gt", "gte", "lt", "lte"}
SIGNS = {"<", "<=", "==", "!=", ">=", ">", "="}
TERM = re.compile(r"\s*([A-Za-z0-9_]+)\s*(<=|>=|==|!=|<|>|=|\b(?:notin|nin|in|neq|eq|gte|gt|lte|lt)\b)\s*"
                  r"(\[[^\]]*\]|\"[^\"]*\"|[^\s]+)(?=\s|$)")


class Wrong(Exception):
    pass


def parse_query(query):
    """The conditions of a query: (field, operator, value); Wrong when vastai would not take it, or not as it is meant."""
    terms, at = [], 0
    while query[at:].strip():
        match = TERM.match(query, at)
        if not match:
            raise Wrong(f"no condition at: {query[at:]}")
        field, operator, value = match.groups()
        if field not in NUMBERS | NAMES | TRUTHS:
            raise Wrong(f"no such field: {field}")
        if operator not in SIGNS | WORDS:
            raise Wrong(f"no such operator: {operator}")
        if value in ("any", "?", "*"):
            if operator != "=":
                raise Wrong(f"{value} only goes with =")
        elif operator in ("in", "notin", "nin"):
            if not value.startswith("["):
                raise Wrong(f"{operator} wants a list")
        elif field in NUMBERS:
            try:
                value = float(value)
            except ValueError:
                raise Wrong(f"{field} is a number: {value}") from None
        elif field in TRUTHS:
            if value not in ("True", "False", "true", "false"):
                raise Wrong(f"{field} is True or False: {value}")
        elif not re.fullmatch(r"[A-Za-z0-9_]+|\"[A-Za-z0-9 ]+\"", value):
            raise Wrong(f"a name has _ for blanks: {value}")
        terms.append((field, operator, value))
        at = match.end()
    if not terms:
        raise Wrong("an empty query")
    if len({(field, operator) for field, operator, _ in terms}) != len(terms):
        raise Wrong("a condition twice: the last one would count")
    return terms


def parse_search(command):
    """Conditions and options of `vastai search offers QUERY ...`."""
    words = shlex.split(command)
    if words[:3] != ["vastai", "search", "offers"]:
        raise Wrong(command)
    query, options = None, {}
    rest = iter(words[3:])
    for word in rest:
        if word in ("-o", "--order", "--type", "--storage"):
            options[word.lstrip("-")[0]] = next(rest)
        elif word in ("--raw", "-n"):
            options[word] = True
        elif query is None and not word.startswith("-"):
            query = word
        else:
            raise Wrong(f"unexpected: {word}")
    if options.get("t", "on-demand") not in ("on-demand", "reserved", "bid"):
        raise Wrong("--type")
    if options.get("o", "score-").rstrip("-+") not in NUMBERS | {"score"}:
        raise Wrong("-o: no such field")
    return parse_query(query), options


def value_of(terms, field):
    return next((value for name, _, value in terms if name == field), None)


FOLDER = tempfile.TemporaryDirectory()


def setUpModule():
    for example in EXAMPLES:
        for cloud in ("vast", "runpod"):
            run("launch", example, "--to", cloud, "-o", f"{FOLDER.name}/{Path(example).stem}-{cloud}")


def tearDownModule():
    FOLDER.cleanup()


def at(name):
    return Path(FOLDER.name) / name


def written(job, cloud, name):
    path = at("job.yaml")
    path.write_text(job)
    answer = run("launch", str(path), "--to", cloud, "-o", str(at(name)))
    assert answer.returncode == 0, answer.stderr
    return at(name)


def says(folder, script, *words, path="/usr/bin:/bin", **more):
    return subprocess.run(["bash", str(folder / script), *words], cwd="/", capture_output=True, text=True, timeout=60,
                          env={"PATH": path, "HOME": FOLDER.name, **more})


def searches(folder, script="vast/rent.sh"):
    done = says(folder, script)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    return [(lines[i - 1], line) for i, line in enumerate(lines) if line.startswith("vastai search")]


class Grammar(unittest.TestCase):
    def test_knows_right_from_wrong(self):
        self.assertEqual(parse_query("gpu_name=RTX_5090 num_gpus = 4 reliability > 0.95 cpu_arch in [amd64,arm64]"),
                         [("gpu_name", "=", "RTX_5090"), ("num_gpus", "=", 4), ("reliability", ">", 0.95),
                          ("cpu_arch", "in", "[amd64,arm64]")])
        for wrong in ("", "gpu_name=RTX 5090", "gpus=4", "num_gpus=>4", "num_gpus=four", "gpu_ram>any", "gpu_ram",
                      "rented=0", "num_gpus in 4", "dph<=1 dph<=2", "gpu_name='RTX_5090'", "reliability>0.95%"):
            with self.assertRaises(Wrong, msg=wrong):
                parse_query(wrong)
        for wrong in ("vastai search offers num_gpus=4 -o gpus", "vastai search instances x=1",
                      "vastai search offers 'num_gpus=4' --order"):
            with self.assertRaises((Wrong, StopIteration, RuntimeError), msg=wrong):
                parse_search(wrong)

    def test_every_search_of_every_example(self):
        count = 0
        for folder in sorted(Path(FOLDER.name).glob("*-vast")):
            for script in folder.glob("vast/rent*.sh"):
                found = searches(folder, f"vast/{script.name}")
                self.assertTrue(found, folder)
                for _, command in found:
                    terms, options = parse_search(command)
                    fields = {field for field, _, _ in terms}
                    self.assertLessEqual({"num_gpus", "gpu_ram", "reliability", "inet_down", "disk_space", "duration"}, fields)
                    self.assertTrue(fields & {"gpu_name", "compute_cap"}, command)
                    self.assertIn(("num_gpus", "=", value_of(terms, "num_gpus")), terms, "an exact number")
                    self.assertEqual("bid" == options.get("t"), "min_bid" in fields, command)
                    # Cheapest first is ascending; most speed for the dollar first is descending.
                    self.assertEqual(options["o"], "dlperf_usd-" if "gpu_name" not in fields and options["o"] != "dph"
                                     else "min_bid" if "t" in options else "dph")
                    self.assertEqual(float(options["s"]), value_of(terms, "disk_space"))
                    count += 1
        self.assertGreater(count, 40)


class Collection(unittest.TestCase):
    """The published searches for these machines, put right."""

    def setUp(self):
        self.found = searches(at("collection-vast"))
        self.terms = [parse_search(command)[0] for _, command in self.found]

    def test_the_pick_is_first_and_the_cheapest_is_there(self):
        names = [(value_of(terms, "gpu_name"), value_of(terms, "num_gpus")) for terms in self.terms]
        self.assertEqual(names[0], ("RTX_5090", 4))
        self.assertIn(("RTX_3090", 4), names)
        self.assertIn(("B200", 1), names)
        self.assertEqual(names[-1], (None, 4))
        self.assertEqual(len(set(names)), len([n for n in names if n != ("A100_SXM4", 4)]) + 1, "A100 of 40 and of 80 GB")

    def test_conditions_are_those_of_the_job(self):
        for terms in self.terms:
            self.assertIn(("reliability", ">=", 0.95), terms)
            self.assertIn(("inet_down", ">=", 200), terms)
        # Prices are for the whole offer, 10 % above P90: $3.20 and $1.40 an hour.
        self.assertIn(("dph", "<=", 3.52), self.terms[0])
        cheap = next(terms for terms in self.terms if value_of(terms, "gpu_name") == "RTX_3090")
        self.assertIn(("dph", "<=", 1.54), cheap)

    def test_memory_is_in_thousands_of_mebibytes(self):
        # An RTX 3090 shows 24576 MiB at Vast.ai, an A100 of 40 GB 40960, and both must be found.
        for terms in self.terms:
            ram = value_of(terms, "gpu_ram") * 1000
            name = value_of(terms, "gpu_name")
            shown = {"RTX_3090": 24576, "RTX_4090": 24564, "RTX_5090": 32607, "H100_SXM": 81559, "B200": 183359}
            if name in shown:
                self.assertLessEqual(ram, shown[name], name)
                self.assertGreater(ram, shown[name] * 0.9, name)
        sizes = sorted(value_of(terms, "gpu_ram") for terms in self.terms if value_of(terms, "gpu_name") == "A100_SXM4")
        self.assertLess(sizes[0] * 1000, 40960)
        self.assertGreater(sizes[1] * 1000, 40960)
        self.assertLessEqual(sizes[1] * 1000, 81920)
        # What only has to hold the job: 16.2 GiB by the median.
        self.assertGreater(self.terms[-1][0][2] * 1000, 16.2 * 1024)
        self.assertLess(self.terms[-1][0][2] * 1000, 24000)

    def test_others_say_how_to_write_their_scripts(self):
        ids = {plan["id"] for plan in json.loads(run("plan", "examples/collection.yaml", "--json").stdout)["plans"]}
        for what, _ in self.found[1:-1]:
            self.assertIn(re.search(r"gpuplan launch examples/collection.yaml --to vast --plan (\w+)$", what)[1], ids)


STUB = """#!/usr/bin/python3
import json, os, sys
log = os.environ["CALLS"]
name = os.path.basename(sys.argv[0])
with open(log, "a") as out:
    out.write(json.dumps([name, *sys.argv[1:]]) + "\\n")
words = sys.argv[1:]
if name == "vastai":
    if words[:2] == ["search", "offers"]:
        print(json.dumps(json.loads(os.environ["OFFERS"])))
    elif words[:2] == ["create", "instance"]:
        print(json.dumps({"success": True, "new_contract": 777}))
    elif words[:2] == ["show", "instance"]:
        print(json.dumps({"id": 777, "actual_status": "running"}))
    elif words[0] == "ssh-url":
        print("ssh://root@203.0.113.7:12345")
if name == "ssh" and words[-1].startswith("tar"):
    open(log + ".tar", "wb").write(sys.stdin.buffer.read())
if name == "ssh" and words[-1].startswith("umask"):
    open(log + ".variables", "w").write(sys.stdin.read())
"""


class Renting(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.bin = Path(self.folder.name)
        self.log = self.bin / "calls"
        for name in ("vastai", "ssh", "scp", "runpodctl"):
            (self.bin / name).write_text(STUB)
            (self.bin / name).chmod(0o755)

    def rent(self, folder, script, *words, offers=None, unset=False, **more):
        self.log.write_text("")
        if not unset:
            for name in re.findall(r"^  '([A-Z0-9_]+): ", (folder / script).read_text(), re.M):
                more.setdefault(name, "there")
        done = says(folder, script, *words, path=f"{self.bin}:/usr/bin:/bin", CALLS=str(self.log), GPUPLAN_POLL="0",
                    OFFERS=json.dumps(offers or []), **more)
        return done, [json.loads(line) for line in self.log.read_text().splitlines()]

    def test_without_a_word_nothing_is_called(self):
        for folder in sorted(Path(FOLDER.name).glob("*-vast")) + sorted(Path(FOLDER.name).glob("*-runpod")):
            for script in [*folder.glob("*/rent*.sh")]:
                done, calls = self.rent(folder, script.relative_to(folder))
                self.assertEqual((done.returncode, calls), (0, []), folder)

    def test_words_that_are_no_ids_are_refused(self):
        for words in (["rent"], ["rent", "x"], ["rent", "--help"], ["rent", "1; touch x"], ["end"], ["destroy", "1"], ["-1"]):
            done, calls = self.rent(at("collection-vast"), "vast/rent.sh", *words)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertEqual(calls, [], words)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for words in (["start"], ["start", "host"], ["start", "-oProxyCommand=x", "1"], ["start", "h", "p"], ["x"]):
            done, calls = self.rent(at("llama-8b-lora-runpod"), "runpod/rent.sh", *words)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertEqual(calls, [], words)

    def test_rents_copies_and_starts(self):
        done, calls = self.rent(at("collection-vast"), "vast/rent.sh", "rent", "12345",
                                offers=[{"id": 12345, "dph_total": 3.4}], HF_TOKEN="it's $secret")
        self.assertEqual(done.returncode, 0, done.stderr)
        create = next(call for call in calls if call[1:3] == ["create", "instance"])
        self.assertEqual(create[3], "12345")
        options = dict(zip(create[4::1], create[5::1]))
        self.assertRegex(options["--image"], r"^pytorch/pytorch:")
        self.assertGreater(int(options["--disk"]), 600)  # activations of four models
        self.assertIn("--cancel-unavail", create)
        self.assertNotIn("--bid_price", create)
        self.assertIn('vastai stop instance "$CONTAINER_ID"', options["--onstart-cmd"])
        self.assertEqual(subprocess.run(["bash", "-n", "-c", options["--onstart-cmd"]]).returncode, 0)
        self.assertFalse([word for call in calls for word in call if "secret" in word], "secrets are on no command line")
        self.assertEqual(subprocess.run(["bash", "-c", f". {self.log}.variables; printf %s \"$HF_TOKEN\""],
                                        capture_output=True, text=True).stdout, "it's $secret")
        names = [call[0] for call in calls]
        self.assertLess(names.index("scp"), len(names) - 1)
        self.assertIn("nohup bash vast/on_machine.sh 01-collect", calls[-1][-1])

    def test_what_the_phases_need_is_asked_for_first(self):
        for folder, script, words in ((at("collection-vast"), "vast/rent.sh", ["rent", "12345"]),
                                      (at("llama-8b-lora-runpod"), "runpod/rent.sh", ["rent"])):
            done, calls = self.rent(folder, script, *words, unset=True, offers=[{"id": 12345, "dph_total": 3.4}])
            self.assertEqual((done.returncode, calls), (1, []))
            self.assertIn("the variable DATA: ", done.stderr)

    def test_a_dearer_offer_is_not_taken(self):
        dear = [{"id": 12345, "dph_total": 3.6}]
        done, calls = self.rent(at("collection-vast"), "vast/rent.sh", "rent", "12345", offers=dear)
        self.assertEqual(done.returncode, 1)
        self.assertIn("costs $3.6 an hour, more than the 3.52 that the plan allows", done.stderr)
        self.assertFalse([call for call in calls if call[1] == "create"])
        done, calls = self.rent(at("collection-vast"), "vast/rent.sh", "rent", "12345", offers=dear, MOST="4")
        self.assertEqual(done.returncode, 0, done.stderr)
        done, _ = self.rent(at("collection-vast"), "vast/rent.sh", "rent", "12345")
        self.assertIn("there is no offer 12345", done.stderr)

    def test_spot_is_a_bid(self):
        folder = written("""job: bids
where: {spot: only}
spot: {interruptions: 5%/h}
market: {use: only, offers: [{gpu: RTX 4090, gpus: 2, provider: vast, price: $1/h, spot_price: $0.50/h}]}
phases:
  - {name: t, fixed: {gpus: 2, time: 1 h}, command: 'true'}
""", "vast", "bids")
        terms, options = parse_search(searches(folder)[0][1])
        self.assertEqual((options["t"], options["o"]), ("bid", "min_bid"))
        self.assertEqual(value_of(terms, "min_bid"), 0.55)
        done, calls = self.rent(folder, "vast/rent.sh", "rent", "5", offers=[{"id": 5, "min_bid": 0.4, "dph_total": 9}])
        self.assertEqual(done.returncode, 0, done.stderr)
        create = next(call for call in calls if call[1:3] == ["create", "instance"])
        self.assertEqual(create[create.index("--bid_price") + 1], "0.55")
        look = next(call for call in calls if call[1:3] == ["search", "offers"])
        self.assertEqual(look[look.index("--type") + 1], "bid")

    def switched_on(self, ended=False):
        """What the machine's own start command does on a machine that has been used for longer than it may."""
        folder = at("collection-vast")
        _, calls = self.rent(folder, "vast/rent.sh", "rent", "12345", offers=[{"id": 12345, "dph_total": 3.4}])
        create = next(call for call in calls if call[1:3] == ["create", "instance"])
        script = create[create.index("--onstart-cmd") + 1]
        name = re.search(r"cd /workspace/(\S+)", script)[1]
        machine = self.bin / f"machine-{ended}"
        work = machine / "workspace" / name
        (work / "vast").mkdir(parents=True)
        (machine / "root").mkdir()
        (machine / "root" / "seconds-on").write_text("99999999\n")
        (work / "runs").mkdir()
        (work / "variables.sh").write_text("")
        (work / "vast" / "on_machine.sh").write_text("echo went on with $*\n")
        if ended:
            (work / "runs" / "exit-code").write_text("0\n")
        script = script.replace("/workspace/", f"{machine}/workspace/").replace("/root/", f"{machine}/root/")
        # Half an hour passes at once.
        script = script.replace("sleep 60", "sleep 0")
        (self.bin / "pip").write_text("#!/bin/sh\n")
        (self.bin / "pip").chmod(0o755)
        self.log.write_text("")
        subprocess.run(["bash", "-c", script + "\nwait"], check=True, timeout=60,
                       env={"PATH": f"{self.bin}:/usr/bin:/bin", "CALLS": str(self.log), "OFFERS": "[]",
                            "CONTAINER_ID": "777", "CONTAINER_API_KEY": "key"})
        said = work / "on_machine.txt"
        return said.read_text() if said.exists() else "", (machine / "root" / "seconds-on").read_text()

    def test_a_machine_that_comes_back_goes_on_and_is_switched_off(self):
        said, seconds = self.switched_on()
        self.assertIn("went on with 01-collect", said)
        self.assertGreater(int(seconds), 99999999, "time that it is on is counted over all starts")
        self.assertIn(["vastai", "stop", "instance", "777", "--api-key", "key"],
                      [json.loads(line) for line in self.log.read_text().splitlines()])

    def test_a_machine_whose_work_has_ended_only_waits_to_be_read(self):
        self.assertEqual(self.switched_on(ended=True)[0], "")

    def test_is_started_again_where_it_is(self):
        folder = written("""job: again
market: {use: only, offers: [{gpu: RTX 4090, provider: vast, price: $1/h}]}
phases:
  - {name: t, fixed: {gpus: 1, time: 1 h}, command: 'true'}
""", "vast", "again")
        (folder / "runs" / "01-t").mkdir(parents=True)
        (folder / "runs" / "01-t" / "prepared").write_text("")
        (folder / "runs" / "01-t" / "log.txt").write_text("older\n")
        done, calls = self.rent(folder, "vast/rent.sh", "start", "777")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [call[-1] for call in calls if call[0] == "ssh"]
        sent = subprocess.run(["tar", "-tf", f"{self.log}.tar"], capture_output=True, text=True).stdout.split()
        self.assertIn("./phases/01-t.sh", sent)
        self.assertEqual([name for name in sent if "runs/" in name], ["./runs/01-t/prepared"], "runs there are newer")
        self.assertIn("rm -f /root/seconds-on", lines)
        self.assertFalse([call for call in calls if call[0] == "scp"])
        self.assertIn("nohup bash vast/on_machine.sh 01-t", lines[-1])

    def test_ends_with_the_runs_at_home(self):
        done, calls = self.rent(at("collection-vast"), "vast/rent.sh", "end", "777")
        self.assertEqual(done.returncode, 0, done.stderr)
        order = [call[0] if call[0] != "vastai" else call[1] for call in calls]
        self.assertLess(order.index("scp"), order.index("destroy"), "fetched before it is destroyed")

    def test_runpod_ends_the_pod_itself(self):
        folder = at("llama-8b-lora-runpod")
        done, calls = self.rent(folder, "runpod/rent.sh", "rent")
        self.assertEqual(done.returncode, 0, done.stderr)
        call, = (call for call in calls if call[1] != "--version")
        options = dict(zip(call[3::2], call[4::2]))
        self.assertEqual(call[:3], ["runpodctl", "pod", "create"])
        self.assertEqual(set(options), {"--name", "--image", "--gpu-id", "--gpu-count", "--cloud-type", "--volume-in-gb",
                                        "--container-disk-in-gb", "--ports", "--terminate-after",
                                        "--min-cuda-version"})
        self.assertTrue(options["--gpu-id"].startswith("NVIDIA "), options)
        self.assertEqual(options["--ports"], "22/tcp")
        ends = datetime.strptime(options["--terminate-after"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
        limit = int(re.search(r"^limit=(\d+)$", (folder / "runpod" / "rent.sh").read_text(), re.M)[1])
        expected = datetime.now(timezone.utc) + timedelta(seconds=limit + 3600)
        self.assertLess(abs((ends - expected).total_seconds()), 60)

    def test_what_runs_on_the_machine_is_stopped_and_switches_it_off(self):
        folder = written("""job: short
market: {use: only, offers: [{gpu: RTX 4090, price: $1/h}]}
phases:
  - {name: t, fixed: {gpus: 1, time: 1 h}, command: 'echo it ran'}
""", "vast", "short")
        for exit_code, text in ((0, "exit 0"), (6, "exit 6"), (124, "sleep 60")):
            (folder / "01-t.sh").write_text(text + "\n")
            self.log.write_text("")
            done = subprocess.run(["bash", folder / "vast" / "on_machine.sh", "01-t", "1", "1"], capture_output=True,
                                  text=True, timeout=60, env={"PATH": f"{self.bin}:/usr/bin:/bin", "CALLS": str(self.log),
                                                              "OFFERS": "[]", "CONTAINER_ID": "777",
                                                              "CONTAINER_API_KEY": "key"})
            self.assertEqual((folder / "runs" / "exit-code").read_text(), f"{exit_code}\n", done.stderr)
            self.assertEqual([json.loads(line) for line in self.log.read_text().splitlines()],
                             [["vastai", "stop", "instance", "777", "--api-key", "key"]])


if __name__ == "__main__":
    main(__doc__)
