#!/usr/bin/env python3
"""What gpuplan launch writes for SkyPilot, dstack and Kubernetes, of every example: valid by schema, whole, and safe.

    tests/cli/launch_yaml_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import copy
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import jsonschema
import yaml

from program import EXAMPLES, ROOT, main, run

SCHEMAS = ROOT / "tests" / "launch" / "schemas"
CLOUDS = ["skypilot", "dstack", "kubernetes", "vast", "runpod"]
MARKETPLACES = ("vast", "runpod")


def schema(name):
    loaded = json.loads((SCHEMAS / f"{name}.json").read_text())
    if name == "jobset":
        loaded["definitions"] = json.loads((SCHEMAS / "job.json").read_text())["definitions"]
    jsonschema.Draft7Validator.check_schema(loaded)
    return jsonschema.Draft7Validator(loaded)


def documents(path):
    return list(yaml.safe_load_all(path.read_text()))


FOLDER = tempfile.TemporaryDirectory()
ANSWERS = {}


def launch(job, cloud, name, *more):
    return run("launch", str(job), "--to", cloud, "-o", f"{FOLDER.name}/{name}", *more)


def setUpModule():
    for example in EXAMPLES:
        for cloud in CLOUDS:
            name = Path(example).stem
            ANSWERS[name, cloud] = launch(example, cloud, f"{name}-{cloud}")


def tearDownModule():
    FOLDER.cleanup()


class Written(unittest.TestCase):
    def at(self, name):
        return Path(FOLDER.name) / name

    def of(self, cloud):
        """Example and folder of all that were written."""
        for (example, to), answer in ANSWERS.items():
            if to == cloud and answer.returncode == 0:
                yield example, self.at(f"{example}-{cloud}")

    def job(self, text):
        path = self.at("job.yaml")
        path.write_text(text)
        return path


class EveryExample(Written):
    def test_is_written_or_refused_in_one_line(self):
        elsewhere = {}
        for (name, cloud), answer in ANSWERS.items():
            key = (name, cloud)
            if cloud in MARKETPLACES and name == "pretrain-7b-2-nodes":  # they rent machines one by one
                self.assertEqual((answer.returncode, answer.stderr.count("\n")), (5, 1), key)
                self.assertIn("rents single machines", answer.stderr, key)
            elif cloud in MARKETPLACES and answer.returncode == 5:
                self.assertEqual(answer.stderr.count("\n"), 1, key)
                elsewhere[key] = re.search(r"does not offer (.+) under an id that gpuplan knows", answer.stderr)[1]
            elif cloud == "skypilot" and answer.returncode == 5:
                self.assertRegex(answer.stderr, r"^gpuplan: SkyPilot has no name for .+; choose a plan on other GPUs .*\n$", key)
                self.assertIn("--to bash", run("plan", f"examples/{name}.yaml").stdout.split("Next:")[1], key)
            else:
                self.assertEqual((answer.returncode, answer.stderr), (0, ""), key)
        # What RunPod does not rent.
        self.assertLessEqual({gpu for (_, cloud), gpu in elsewhere.items() if cloud == "runpod"},
                             {"A100 SXM 40GB", "GH200", "GH200 96GB"})
        self.assertLess(len(elsewhere), len(ANSWERS) / 8)

    def test_scripts_pass_bash_and_shellcheck(self):
        scripts = sorted(path for path in Path(FOLDER.name).rglob("*.sh")
                         if path.name not in ("command.sh", "setup.sh")  # text of the job
                         and path.parts[-2] in CLOUDS)
        self.assertGreater(len(scripts), 30)
        scripts = sorted({path.read_bytes(): path for path in scripts}.values())  # the same text once
        for script in scripts:
            self.assertEqual(subprocess.run(["bash", "-n", script]).returncode, 0, script)
        done = subprocess.run(["shellcheck", "--shell=bash", "--severity=style", "--format=gcc", *scripts],
                              capture_output=True, text=True)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.returncode, 0)

    def test_blocks_of_shell_in_yaml_pass_shellcheck(self):
        blocks = {}
        for example, folder in self.of("skypilot"):
            for path in folder.glob("skypilot/*.yaml"):
                for document in documents(path):
                    if "run" in document:
                        blocks[f"{example}-{path.stem}-sky"] = document["run"]
        for example, folder in self.of("dstack"):
            for path in folder.glob("[0-9m]*.dstack.yml"):
                if "commands" in documents(path)[0]:
                    blocks[f"{example}-{path.stem}-dstack"] = "\n".join(documents(path)[0]["commands"])
        for example, folder in self.of("kubernetes"):
            for path in folder.glob("kubernetes/[0-9m]*.yaml"):
                blocks[f"{example}-{path.stem}-kubernetes"] = pod(documents(path)[0])["containers"][0]["command"][2]
        self.assertGreater(len(blocks), 40)
        files = []
        for name, text in blocks.items():
            files.append(self.at(f"{name}.bash"))
            files[-1].write_text("#!/bin/bash\n" + text)
        done = subprocess.run(["shellcheck", "--severity=style", "--format=gcc", *files], capture_output=True, text=True)
        self.assertEqual(done.stdout.splitlines(), [])

    def test_nothing_depends_on_the_day(self):
        again = launch("examples/collection.yaml", "kubernetes", "again")
        self.assertEqual(again.returncode, 0)
        for path in self.at("again").rglob("*"):
            if path.is_file() and path.name != "plan.json":  # it says how long planning took
                other = self.at("collection-kubernetes") / path.relative_to(self.at("again"))
                self.assertEqual(path.read_text(), other.read_text())


def pod(document):
    spec = document["spec"]
    job = spec["replicatedJobs"][0]["template"]["spec"] if document["kind"] == "JobSet" else spec
    return job["template"]["spec"]


class SkyPilot(Written):
    def test_follows_the_schema(self):
        count = 0
        for example, folder in self.of("skypilot"):
            for path in folder.glob("skypilot/*.yaml"):
                tasks = documents(path)
                if path.stem == "pipeline":
                    self.assertEqual(list(tasks[0]), ["name"])
                    tasks = tasks[1:]
                    self.assertGreater(len(tasks), 1)
                for task in tasks:
                    schema("skypilot").validate(task)
                    count += 1
                    self.assertLessEqual(len(task["run"]), 2000)
        self.assertGreaterEqual(count, len(EXAMPLES))

    def test_a_wrong_key_or_value_is_caught(self):
        good = documents(next(self.at("gpt-124m-skypilot").glob("skypilot/01-*.yaml")))[0]
        check = schema("skypilot")
        check.validate(good)
        for wrong in (lambda t: t.update(number_of_nodes=2), lambda t: t["resources"].update(accelerator="H100:8"),
                      lambda t: t["resources"].update(max_hourly_cost="60"), lambda t: t.pop("run"),
                      lambda t: t["resources"]["job_recovery"].update(recover_on_exit_codes=[137]),
                      lambda t: t["resources"].update(accelerators="H100 SXM:8"), lambda t: t.update(num_nodes=1)):
            bad = copy.deepcopy(good)
            wrong(bad)
            self.assertTrue(list(check.iter_errors(bad)))

    def test_says_what_the_plan_says(self):
        task = documents(self.at("pretrain-7b-2-nodes-skypilot") / "skypilot" / "01-pretrain.yaml")[0]
        self.assertEqual(task["num_nodes"], 2)
        self.assertEqual(task["resources"]["accelerators"], "H100:8")
        self.assertFalse(task["resources"]["use_spot"])
        plan = json.loads((self.at("pretrain-7b-2-nodes-skypilot") / "plan.json").read_text())
        offer = plan["plans"][0]["phases"][0]["offer"]
        cloud, region = offer["provider"], offer["region"]
        places = [place["infra"] for place in task["resources"].get("ordered", [task["resources"]])]
        self.assertEqual(places, [f"{cloud}/{region}", cloud] if region else [cloud])  # then wherever there is one
        hours = plan["plans"][0]["hours"]["p90"]
        limit = int(re.search(r"kill-after=\d+s (\d+)s", task["run"])[1])
        self.assertGreater(limit, hours * 3600)
        self.assertLess(limit, hours * 3600 * 1.2)
        self.assertEqual(task["resources"]["job_recovery"]["recover_on_exit_codes"], [75])

    def test_bucket_region_and_price_come_from_the_job(self):
        job = self.job("""job: bucket
where: {providers: [aws], regions: [us-east-1], spot: only, max_price: $15/h, gpus: [8x H100 SXM]}
spot: {interruptions: 5%/h}
checkpoint: {every: 10 min, to: 's3://my-bucket/a b/$(touch x)'}
phases:
  - {name: t, train: {model: Qwen/Qwen2.5-7B, data: {tokens: 20M}, sequence: 2048}, command: python t.py}
""")
        answer = launch(job, "skypilot", "bucket")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        task = documents(self.at("bucket") / "skypilot" / "01-t.yaml")[0]
        schema("skypilot").validate(task)
        self.assertEqual(task["resources"]["infra"], "aws/us-east-1")
        self.assertTrue(task["resources"]["use_spot"])
        self.assertLessEqual(task["resources"]["max_hourly_cost"], 15)
        self.assertEqual(task["file_mounts"]["/gpuplan-runs"], {"source": "s3://my-bucket", "mode": "MOUNT_CACHED"})
        self.assertEqual(task["envs"]["GPUPLAN_RUNS"], "/gpuplan-runs/a-b/touch-x/bucket")

    def test_a_gpu_without_a_name_is_refused(self):
        job = self.job("""job: odd
market: {use: only, offers: [{gpu: GTX TITAN X, price: $0.1/h}]}
phases:
  - {name: t, fixed: {gpus: 1, time: 1 h}, command: python t.py}
""")
        answer = launch(job, "skypilot", "odd")
        self.assertEqual(answer.returncode, 5)
        self.assertIn("SkyPilot has no name for GTX TITAN X; choose a plan on other GPUs (--plan)", answer.stderr)


class Dstack(Written):
    def test_follows_the_schema(self):
        count = 0
        for example, folder in self.of("dstack"):
            names = [path.name for path in folder.glob("*.yml")]
            self.assertTrue(all(name.endswith(".dstack.yml") for name in names), names)
            for path in folder.glob("*.yml"):
                found = documents(path)
                self.assertEqual(len(found), 1)
                schema("dstack").validate(found[0])
                count += 1
        self.assertGreaterEqual(count, len(EXAMPLES))

    def test_a_wrong_key_or_value_is_caught(self):
        good = documents(next(self.at("gpt-124m-dstack").glob("01-*.yml")))[0]
        check = schema("dstack")
        check.validate(good)
        for wrong in (lambda t: t.update(max_cost=3), lambda t: t["resources"].update(gpus="H100:8"),
                      lambda t: t.update(max_duration=3), lambda t: t.update(spot_policy="never"),
                      lambda t: t["retry"].update(on_events=["error"]), lambda t: t.update(type="job")):
            bad = copy.deepcopy(good)
            wrong(bad)
            self.assertTrue(list(check.iter_errors(bad)))

    def test_every_task_has_a_fleet_as_wide_and_no_wider(self):
        several = 0
        for example, folder in self.of("dstack"):
            found = [documents(path)[0] for path in folder.glob("*.yml")]
            fleets = {one["name"]: one for one in found if one["type"] == "fleet"}
            tasks = [one for one in found if one["type"] == "task"]
            self.assertEqual(sorted(name for task in tasks for name in task["fleets"]), sorted(fleets), example)
            for task in tasks:
                fleet = fleets[task["fleets"][0]]
                nodes = task.get("nodes", 1)
                self.assertEqual(fleet["nodes"], f"0..{nodes}")
                self.assertEqual(fleet.get("placement"), "cluster" if nodes > 1 else None)
                several += nodes > 1
                for key in ("resources", "backends", "regions", "spot_policy", "max_price"):
                    self.assertEqual(fleet.get(key), task.get(key), (example, key))
            said = ANSWERS[example, "dstack"].stdout
            for path in folder.glob("[0-9m]*.dstack.yml"):
                if "fleet" not in path.name:
                    fleet = "fleet.dstack.yml" if len(tasks) == 1 else path.name.replace(".dstack", "-fleet.dstack")
                    self.assertLess(said.index("-f " + fleet), said.index("-f " + path.name))
        self.assertGreater(several, 0)

    def test_a_card_without_a_name_is_asked_for_by_its_memory(self):
        job = self.job("""job: odd
market: {use: only, offers: [{gpu: GTX TITAN X, price: $0.1/h}]}
phases:
  - {name: t, fixed: {gpus: 1, time: 1 h}, command: python t.py}
""")
        answer = launch(job, "dstack", "odd-d")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        task = documents(self.at("odd-d") / "01-t.dstack.yml")[0]
        self.assertRegex(task["resources"]["gpu"], r"^nvidia:1[0-9]GB\.\.:1$")
        self.assertIn("no name for GTX TITAN X", " ".join(answer.stdout.split()))


class Kubernetes(Written):
    def test_follows_the_schema(self):
        kinds = set()
        for example, folder in self.of("kubernetes"):
            for path in folder.glob("kubernetes/*.yaml"):
                document, = documents(path)
                kinds.add(document["kind"])
                if document["kind"] in ("Job", "JobSet"):
                    schema(document["kind"].lower()).validate(document)
        self.assertEqual(kinds, {"Job", "JobSet", "PersistentVolumeClaim"})

    def test_a_wrong_key_or_value_is_caught(self):
        good = documents(next(self.at("gpt-124m-kubernetes").glob("kubernetes/01-*.yaml")))[0]
        check = schema("job")
        check.validate(good)
        for wrong in (lambda j: j["spec"].update(parallelism="four"), lambda j: j["spec"].update(suspend="true"),
                      lambda j: pod(j)["containers"][0].update(containerPort=1),
                      lambda j: j["metadata"].update(name="A job"), lambda j: j["metadata"].update(name="x" * 64),
                      lambda j: pod(j)["containers"][0]["resources"]["limits"].update({"nvidia.com/gpus": "1"}),
                      lambda j: j["spec"]["podFailurePolicy"]["rules"][0].update(action="Fail")):
            bad = copy.deepcopy(good)
            wrong(bad)
            self.assertTrue(list(check.iter_errors(bad)))
        several = documents(self.at("pretrain-7b-2-nodes-kubernetes") / "kubernetes" / "01-pretrain.yaml")[0]
        schema("jobset").validate(several)
        several["spec"]["replicatedJobs"][0]["template"]["spec"]["paralellism"] = 2
        self.assertTrue(list(schema("jobset").iter_errors(several)))

    def test_scripts_in_the_config_map_are_those_of_the_folder(self):
        for example, folder in self.of("kubernetes"):
            kustomization, = documents(folder / "kustomization.yaml")
            generator, = kustomization["configMapGenerator"]
            files = dict(entry.split("=", 1) for entry in generator["files"])
            self.assertLess(sum((folder / path).stat().st_size for path in files.values()), 1 << 20, example)
            for path in folder.glob("kubernetes/[0-9m]*.yaml"):
                document, = documents(path)
                volume = next(v for v in pod(document)["volumes"] if v["name"] == "scripts")
                self.assertEqual(volume["configMap"]["name"], generator["name"])
                self.assertEqual({item["key"]: item["path"] for item in volume["configMap"]["items"]}, files)
                self.assertEqual(volume["configMap"]["defaultMode"], 0o755)
                script = pod(document)["containers"][0]["command"][2].rsplit("exec bash ", 1)[1].strip()
                self.assertIn(script, files.values())
            for resource in kustomization["resources"]:
                self.assertTrue((folder / resource).is_file())

    def test_several_machines_find_the_first_one(self):
        document, = documents(self.at("pretrain-7b-2-nodes-kubernetes") / "kubernetes" / "01-pretrain.yaml")
        name = document["metadata"]["name"]
        environment = {entry["name"]: entry.get("value") for entry in pod(document)["containers"][0]["env"]}
        self.assertEqual(environment["GPUPLAN_MASTER_ADDR"], f"{name}-workers-0-0.{name}")
        self.assertEqual(environment["GPUPLAN_NODES"], "2")
        job = document["spec"]["replicatedJobs"][0]
        self.assertEqual((job["name"], job["template"]["spec"]["completions"]), ("workers", 2))
        self.assertLessEqual(len(f"{name}-workers-0-15-abcde"), 63)

    def test_the_pool_names_the_queue(self):
        text = (ROOT / "examples" / "latentwire.yaml").read_text()
        job = self.job(text.replace("partition: preempt", "partition: preempt, queue: team-a"))
        answer = launch(job, "kubernetes", "queue")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        for path in self.at("queue").glob("kubernetes/[0-9m]*.yaml"):
            document, = documents(path)
            self.assertEqual(document["metadata"]["labels"]["kueue.x-k8s.io/queue-name"], "team-a")
        job = self.job(text.replace("partition: preempt", "partition: preempt, queue: 'a b; rm -rf /'"))
        answer = launch(job, "kubernetes", "no-queue")
        self.assertEqual(answer.returncode, 5)
        self.assertIn("is not a valid Kueue queue name", answer.stderr)

    def test_submit_waits_for_what_comes_first_and_stops_at_a_failure(self):
        job = self.job("""job: three
schedule: each_phase
market: {use: only, offers: [{gpu: RTX 4090, gpus: 2, price: $1/h}]}
phases:
  - {name: data, cpu: {time: 1 min, command: 'true'}}
  - {name: a, needs: [data], fixed: {gpus: 2, time: 1 h}, command: 'true', before: {note: look, time: 1 min}}
  - {name: between, needs: [a], cpu: {time: 1 min, command: 'true'}}
  - {name: b, needs: [between], fixed: {gpus: 2, time: 1 h}, command: 'true'}
""")
        answer = launch(job, "kubernetes", "three")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        folder = self.at("three")
        (folder / "runs" / "02-a").mkdir(parents=True)
        (folder / "runs" / "02-a" / "prepared").touch()
        bin_folder = self.at("bin")
        bin_folder.mkdir(exist_ok=True)
        log = self.at("kubectl.log")
        stub = bin_folder / "kubectl"
        stub.write_text("#!/bin/bash\nprintf '%s\\n' \"$*\" >>" + str(log) + "\ncase $* in\n"
                        "  *jsonpath*) printf '%s' \"$STATES\" ;;\n  'get '*) exit 1 ;;\n  *apply*-f*-) cat >/dev/null ;;\n"
                        "esac\n")
        stub.chmod(0o755)

        def submit(states):
            log.write_text("")
            (folder / "runs" / "03-between").mkdir(parents=True, exist_ok=True)
            (folder / "runs" / "02-a" / "done").touch()  # as if its runs had been fetched
            return subprocess.run(["bash", folder / "kubernetes" / "submit.sh"], capture_output=True, text=True, timeout=60,
                                  env={"PATH": f"{bin_folder}:/usr/bin:/bin", "STATES": states, "HOME": str(bin_folder),
                                       "GPUPLAN_POLL": "0"})

        done = submit("SuccessCriteriaMet Complete")
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = [call for call in log.read_text().splitlines() if not call.startswith(("get ", "version"))]
        self.assertEqual(calls[0], "apply --server-side -k .")
        marks = "create configmap three-marks{} --dry-run=client -o yaml"
        before = " --from-literal=01-data.done= --from-literal=02-a.done="
        # The two ends of a pipe may write in any order.
        self.assertEqual(set(calls[1:3]), {marks.format(before + " --from-literal=02-a.prepared="), "apply -f -"})
        self.assertEqual(calls[3], "create -f kubernetes/02-a.yaml")
        self.assertEqual(set(calls[4:6]), {marks.format(before + " --from-literal=03-between.done="
                                                        " --from-literal=02-a.prepared="), "apply -f -"})
        self.assertEqual(calls[6:], ["create -f kubernetes/04-b.yaml"])
        failed = submit("FailureTarget Failed")
        self.assertEqual(failed.returncode, 1)
        self.assertIn("what needs it does not start", failed.stderr)
        self.assertNotIn("create -f kubernetes/04-b.yaml", log.read_text())


class Hostile(Written):
    """Text of a job never becomes part of YAML or of a shell."""

    def test_text_stays_text(self):
        nasty = "x'; touch PWNED; echo \"$(touch PWNED)`touch PWNED`\" # : {a: b} | > & * !!python/object \u2028 \t - ["
        job = {"job": nasty, "market": {"use": "only", "offers": [
            {"gpu": "RTX 4090", "gpus": 2, "price": "$1/h", "provider": nasty, "region": nasty, "instance": nasty}]},
            "checkpoint": {"every": "10 min", "to": "s3://" + nasty},
            "phases": [{"name": "a", "fixed": {"gpus": 2, "time": "1 h"}, "command": "true", "note": nasty,
                        "before": {"note": nasty, "time": "1 min"}}]}
        path = self.at("nasty.yaml")
        path.write_text(yaml.safe_dump(job))
        for cloud in CLOUDS:
            answer = launch(path, cloud, f"nasty-{cloud}")
            self.assertEqual(answer.returncode, 0, answer.stderr)
            folder = self.at(f"nasty-{cloud}")
            for file in folder.rglob("*.y*ml"):
                for document in documents(file):
                    self.assertNotIn("a", document)
                    kind = {"skypilot": "skypilot", "dstack": "dstack", "kubernetes": "job"}[cloud]
                    if cloud != "kubernetes" or document["kind"] == "Job":
                        schema(kind).validate(document)
            for script in [*folder.glob("vast/rent.sh"), *folder.glob("runpod/rent.sh")]:
                done = subprocess.run(["bash", script], capture_output=True, cwd=folder,
                                      env={"PATH": "/usr/bin:/bin", "HOME": str(self.at("home"))})
                self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(list(folder.rglob("PWNED*")), [])
        self.assertFalse(os.path.exists("PWNED") or (ROOT / "PWNED").exists())


if __name__ == "__main__":
    main(__doc__)
