#!/usr/bin/env python3
"""gpuplan prices: import, status, history, watch, export, and plans with stored prices: tests/cli/prices_test.py PROGRAM"""

import csv
import io
import json
import os
import re
from pathlib import Path

from price_folder import PriceFolder
from program import main, run

SKYPILOT = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,AvailabilityZone\n"


def catalogue(price, spot="", extra=""):
    return (SKYPILOT + f"p5.48xlarge,H100,8,192,2048,{price},{spot},us-east-1,use1-az1\n"
            f"g6.xlarge,L4,1,4,16,0.8,0.3,us-east-1,use1-az1\nm5.large,,,2,8,0.1,,us-east-1,use1-az1\n" + extra)


class Prices(PriceFolder):
    def answer(self, *words, **more):
        return json.loads(self.prices(*words, "--json", **more).stdout)

    def test_rows_add_up(self):
        extra = "x,NoSuchGpu,1,1,1,5,,us-east-1,z\np4d.24xlarge,A100,8,96,1152,30,31,us-east-1,use1-az1\n"
        told = self.answer("import", self.file("aws.csv", catalogue(55.04, 20, extra)))
        self.assertEqual(told["rows"], told["kept"] + told["rejected"])
        self.assertEqual((told["rows"], told["kept"], told["corrected"]), (5, 3, 1))
        self.assertEqual(sum(one["rows"] for one in told["rejections"]), told["rejected"])
        text = self.prices("import", str(self.folder / "aws.csv"), "--details", "--dry-run").stdout
        self.assertIn("5 rows read: 3 kept (1 corrected), 2 rejected", text)
        self.assertRegex(text, r"aws\.csv:5: rejected: .*NoSuchGpu")

    def test_corrected_rows_are_kept_rows(self):
        # A price of one GPU without a number of them is corrected; at $900 nobody asks it, and tomorrow is not yet.
        rows = ["gpu,gpus,price_per_gpu,date,region", "H100 SXM,,3,2026-11-20,a", "H100 SXM,,900,2026-11-20,b",
                "H100 SXM,1,3,2026-11-20,c", "H100 SXM,,3,2027-11-20,d"]
        reason = "a price of one GPU, no number of them: taken as one"
        for more in (0, 10_001):
            rows += [f"H100 SXM,1,{3 + number / 1e5},2026-11-20,r{number}" for number in range(more)]
            rows += rows[1:2] * min(more, 1)  # the same again, far behind the first
            path = self.file("mine.csv", "\n".join(rows) + "\n")
            told = self.answer("import", path, "--provider", "me", "--dry-run", "--details")
            self.assertEqual((told["rows"], told["corrected"]), (len(rows) - 1, 1), more)
            self.assertEqual(told["kept"], 2 + more)
            self.assertEqual(told["rows"], told["kept"] + told["rejected"])
            self.assertEqual(sum(one["rows"] for one in told["rejections"]), told["rejected"])
            self.assertEqual(told["corrections"], [{"reason": reason, "rows": 1}])
            if not more:
                self.assertEqual([note["row"] for note in told["notes"] if note["what"] == "corrected"], [2])

    def test_machines_and_prices_of_their_parts_in_two_files(self):
        shapes = json.dumps({"items": [
            {"name": "BM.GPU.H100.8", "status": "ACTIVE", "gpuQty": 8, "gpuMemoryQty": 640,
             "products": [{"partNumber": "B1", "qty": 112, "type": {"value": "ocpu"}}]}]})
        products = json.dumps({"items": [{"partNumber": "B1", "metricName": "GPU Per Hour", "currencyCodeLocalizations": [
            {"currencyCode": "USD", "prices": [{"model": "PAY_AS_YOU_GO", "value": 10}]}]}]})
        files = [self.file("oci/shapes.json", shapes), self.file("oci/products.json", products)]
        for words in ([str(self.folder / "oci")], files, files[::-1]):
            told = self.answer("import", *words)
            self.assertEqual((told["rows"], told["kept"]), (1, 1), words)
        self.answer("import", "-", stdin=(shapes + products).encode())
        self.assertEqual(self.prices("export").stdout.count("BM.GPU.H100.8"), 1)
        for name, what in ((files[0], "is the list of shapes"), (files[1], "is the list of products")):
            done = self.prices("import", name, code=5)
            self.assertIn(what, done.stderr)
            self.assertIn("gpuplan prices import shapes.json products.json", done.stderr)
        os.remove(files[1])
        done = self.prices("import", str(self.folder / "oci"), code=5)
        self.assertIn("is the list of shapes", done.stderr)
        self.file("oci/aws.csv", catalogue(55))
        done = self.prices("import", str(self.folder / "oci"), "--json")
        self.assertIn("is the list of shapes", done.stderr)
        self.assertEqual(json.loads(done.stdout)["kept"], 2)

    def test_dates_of_rows_without_one(self):
        for name, words, date, why in (("aws-2026-11-20.csv", [], "2026-11-20", "its name"),
                                       ("aws.csv", ["--as-of", "2026-11"], "2026-11", "--as-of"),
                                       ("aws_20261119.csv", [], "2026-11-19", "its name")):
            path = self.file(name, catalogue(55))
            told = self.answer("import", path, *words)
            self.assertEqual(told["dates"], [f"Rows without a date are of {date}: {why}."])
        path = self.file("plain.csv", catalogue(55))
        os.utime(path, (1_790_000_000, 1_790_000_000))  # 2026-09-21
        self.assertIn("2026-09-21: the day on which it was last changed",
                      self.answer("import", path, "--provider", "aws")["dates"][0])
        os.utime(path, (1_990_000_000, 1_990_000_000))
        self.assertIn("of 2026-11-22: today", self.answer("import", path, "--provider", "aws")["dates"][0])

    def test_dates_in_the_future_are_rejected(self):
        told = self.answer("import", self.file("aws.csv", catalogue(55)), "--as-of", "2027-01-01")
        self.assertEqual(told["kept"], 0)
        self.assertIn({"reason": "a date in the future", "rows": 2}, told["rejections"])

    def test_a_folder_and_standard_input(self):
        self.file("catalogs/v8/aws/vms.csv", catalogue(55))
        self.file("catalogs/v8/gcp/notes.txt", "nothing")
        self.file("catalogs/v8/aws/.cache/md5.json", "{}")
        told = self.answer("import", str(self.folder / "catalogs"))
        self.assertEqual([one["kept"] for one in told["lists"] if one["rows"]], [2])
        done = self.prices("import", "-", "--provider", "aws", stdin=catalogue(54).encode())
        self.assertIn("2 kept", done.stdout)
        self.assertEqual({one["provider"] for one in self.answer("status")["lists"]}, {"aws"})
        self.prices("import", str(self.folder / "nosuch.csv"), code=5)
        self.prices("import", self.file("empty/readme.md", "x").rsplit("/", 1)[0], code=5)

    def test_unlikely_prices_are_kept_on_demand(self):
        path = self.file("mine.csv", "provider,gpu,gpus,price_per_hour,date\nmine,H100 SXM,8,0.9,2026-11-20\n")
        told = self.prices("import", path).stdout
        self.assertIn("0 kept", told)
        self.assertIn("a price far below what others ask", told)
        self.assertIn("--keep-unlikely", told)
        self.assertEqual(self.answer("import", path, "--keep-unlikely")["kept"], 1)

    def test_export_comes_back_the_same(self):
        extra = '"=cmd()",A100,8,96,1152,30,,"Paris, FR",z\np3.2xlarge,V100,1,8,61,3.06,0.918,eu-west-1,\n'
        self.prices("import", self.file("aws.csv", catalogue("57.123456789", 20.5, extra)), "--as-of", "2026-11-20")
        first = self.prices("export").stdout
        for row in csv.reader(io.StringIO(first)):
            for cell in row:
                self.assertFalse(re.match(r"[=+@]|-\D", cell), cell)
        other = str(self.folder / "other.db")
        back = run("prices", "import", self.file("export.csv", first), "--store", other)
        self.assertEqual(back.returncode, 0, back.stderr)
        self.assertEqual(run("prices", "export", "--store", other).stdout, first)
        self.assertEqual(len(first.splitlines()), 5)

    def test_status_tells_how_much_of_a_list_is_old(self):
        rows = "gpu,gpus,price_per_hour,provider,region,date\n" + "".join(
            f"H100 SXM,8,{20 + i},aws,r{i},{'2026-11-20' if i == 0 else '2026-05-01'}\n" for i in range(4))
        self.prices("import", self.file("mine.csv", rows))
        one = self.answer("status")["lists"][0]
        self.assertEqual((one["newest"], one["oldest"], one["offers"], one["stale_offers"], one["stale"]),
                         ("2026-11-20", "2026-05-01", 4, 3, True))
        self.assertGreater(one["median_age_days"], one["age_days"] + 200)
        shown = self.prices("status").stdout
        self.assertIn("75% stale", shown)
        self.assertIn("3 of 4 offers have prices older than 60 days", shown)

    def test_status_history_and_watch(self):
        self.assertIn("No prices are stored yet", run("prices", "status", HOME=str(self.folder), GPUPLAN_STORE=str(
            self.folder / "none.db")).stdout)
        self.prices("import", self.file("aws-2026-08-01.csv", catalogue(60, 25)))
        self.prices("import", self.file("aws-2026-11-20.csv", catalogue(30, 25)))
        self.prices("import", self.file("lambda-2026-08-02.csv", catalogue(24)), "--provider", "lambda")
        status = self.answer("status")
        self.assertEqual({(one["provider"], one["stale"]) for one in status["lists"]}, {("aws", False), ("lambda", True)})
        self.assertEqual(status["last_import"]["lists"][0]["rejections"][0]["rows"], 1)
        days = self.answer("history", "H100 SXM")["days"]
        self.assertEqual([one["date"] for one in days], ["2026-08-01", "2026-08-02", "2026-11-20"])
        self.assertEqual([one["lowest_usd_per_gpu_hour"] for one in days], [7.5, 3.0, 3.0])
        self.assertEqual(days[1]["providers"], ["aws", "lambda"])
        self.assertAlmostEqual(days[2]["median_usd_per_gpu_hour"], 3.375)
        history = self.answer("history", "H100 SXM")
        self.assertAlmostEqual(history["median_change"], 3.375 / 7.5 - 1)
        months = 111 / (365.25 / 12)
        self.assertAlmostEqual(history["median_change_per_month"], (3.375 / 7.5) ** (1 / months) - 1)
        self.assertIn("Median $7.50 on 2026-08-01, $3.38 on 2026-11-20: -55%, -20% a month. Other providers are in it",
                      self.prices("history", "H100 SXM").stdout.replace("\n  ", " "))
        self.assertEqual(self.answer("history", "H100", "--spot", "--provider", "AWS")["days"][0]["offers"], 1)
        text = self.prices("history", "h100", "--svg", str(self.folder / "h.svg"), "--since", "2026-08-02").stdout
        self.assertIn("o median", text)
        self.assertIn("</svg>", (self.folder / "h.svg").read_text())
        self.prices("history", "T4", code=3)
        self.assertIn("unknown GPU", self.prices("history", "H1000", code=2).stderr)

    def test_calls_may_be_many_or_one(self):
        lists = [self.file(name, text) for name, text in (
            ("a/aws-2026-11-20.csv", catalogue(55, 20)),
            ("b/aws-2026-11-20.csv", catalogue(56, 21).replace("use1-az1", "us-east-1a")),
            ("aws-2026-11-10.csv", catalogue(70, "", "p4d.24xlarge,A100,8,96,1152,30,11,us-east-1,use1-az1\n")),
            ("mine-2026-11-20.csv", "gpu,gpus,price,provider\nL4,1,0.7,me\n"))]
        stores = []
        for calls in ([lists], [[name] for name in lists], [[name] for name in reversed(lists)], [lists[2:], lists[:2]]):
            self.store = str(self.folder / f"{len(stores)}.db")
            for names in calls:
                self.prices("import", *names)
            stores.append(sorted(self.prices("export").stdout.splitlines()))
        self.assertEqual(len(stores[0]), 7)
        for one in stores[1:]:
            self.assertEqual(one, stores[0])
        (self.folder / "a/aws-2026-11-20.csv").write_text(catalogue(54, 20))
        self.prices("import", str(self.folder / "b/../a/aws-2026-11-20.csv"))
        asked = [row["price_per_hour"] for row in csv.DictReader(io.StringIO(self.prices("export").stdout))
                 if row["instance"] == "p5.48xlarge"]
        self.assertEqual(sorted(asked), ["54", "56"])

    def test_watch(self):
        self.prices("import", self.file("aws-2026-11-01.csv", catalogue(60, 25)))
        self.prices("import", self.file("aws-2026-11-20.csv", catalogue(66, 20).replace("g6.xlarge", "g6.2xlarge")))
        changes = {(one["change"], one["spot"], one["gpu"]): one for one in self.answer("watch")["changes"]}
        self.assertEqual(set(changes), {("more expensive", False, "H100 SXM"), ("cheaper", True, "H100 SXM"),
                                        ("new", False, "L4"), ("new", True, "L4"), ("gone", False, "L4"),
                                        ("gone", True, "L4")})
        self.assertAlmostEqual(changes["more expensive", False, "H100 SXM"]["change_percent"], 10)
        self.assertIn("+10.0%", self.prices("watch").stdout)

    def test_plans_use_what_is_stored(self):
        ask = ["plan", "--model", "Qwen2.5-7B", "--tokens", "10M", "--method", "lora", "--gpu", "8x H100 SXM"]
        without = run(*ask)
        self.prices("import", self.file("aws-2026-10-01.csv", catalogue(20)))
        self.prices("import", self.file("aws-2026-11-20.csv", catalogue(18)))
        environment = {"GPUPLAN_STORE": self.store}
        stored = run(*ask, **environment)
        self.assertIn("your stored prices", stored.stdout)
        self.assertIn("$18.00/h", stored.stdout)
        self.assertIn("$20.00/h", run(*ask, "--as-of", "2026-10-15", **environment).stdout)
        ignored = run(*ask, "--no-store", **environment)
        self.assertEqual(ignored.stdout.replace(" --no-store", ""), without.stdout)
        self.assertIn("SkyPilot catalogue", json.loads(run(*ask, "--json", **environment).stdout)["market"]["sources"])
        mine = self.file("mine.csv", "gpu,gpus,price_per_hour\nH100 SXM,8,70\n")
        self.assertIn("1 offer from", run(*ask, "--prices", mine, **environment).stdout)
        self.assertIn("p5.48xlarge", run("offers", "H100", "gpus=8", "price=18", **environment).stdout)
        both = [run("offers", *words, "--json", **environment).stdout
                for words in (("region=us", "H100:8"), ("region=us H100:8",), ("H100:8 region=us",))]
        self.assertIn("p5.48xlarge", both[0])
        self.assertEqual(both[1:], both[:1] * 2)

    def test_the_history_of_the_store_is_in_the_range_of_the_cost(self):
        ask = ["plan", "--model", "Qwen2.5-7B", "--tokens", "10M", "--method", "lora", "--gpu", "8x H100 SXM", "--provider",
               "aws", "--explain"]
        prices = (18, 18, 18.2, 18.2, 18, 18, 17.9, 17.9)
        days = ("2026-09-25", "2026-10-02", "2026-10-09", "2026-10-16", "2026-10-23", "2026-10-30", "2026-11-06", "2026-11-13")
        for day, price in zip(days[:2], prices):
            self.prices("import", self.file(f"aws-{day}.csv", catalogue(price)))
        environment = {"GPUPLAN_STORE": self.store}
        before = run(*ask, **environment)
        self.assertRegex(before.stdout, r"prices of aws since 2026-10-02 +±")
        for day, price in zip(days[2:], prices[2:]):
            self.prices("import", self.file(f"aws-{day}.csv", catalogue(price)))
        told = r"prices of aws since 2026-11-13, from 8 prices of 49 days in your store +±(\d+)%"
        stored = run(*ask, **environment)
        self.assertRegex(stored.stdout, told)
        Path(self.store + ".ready").unlink()
        self.assertEqual(run(*ask, **environment).stdout, stored.stdout, "from the database itself")
        parts = json.loads(run(*ask, "--json", **environment).stdout)["explain"][0]["cost_range"]["prices"]
        of_age = [part["off"] for part in parts if "49 days" in part["part"]]
        # Nine days at 15 % a month, of which a price that hardly moves for 1.6 months takes a part.
        self.assertEqual(len(of_age), 1)
        self.assertLess(of_age[0], 1.2816 * 0.15 * (9 / 30.4375) ** 0.5 * 0.9)
        self.assertGreater(of_age[0], 1.2816 * 0.15 * (9 / 30.4375) ** 0.5 * 0.7)
        self.assertNotIn("your store", run(*ask, "--no-store", **environment).stdout)
        self.assertIn("from 4 prices of 21 days", run(*ask, "--as-of", "2026-10-20", **environment).stdout)

    def test_a_clock_that_runs_back_loses_nothing(self):
        self.prices("import", self.file("aws-2026-11-20.csv", catalogue(20)))
        told = self.answer("import", self.file("lambda.csv", "provider,gpu,gpus,price_per_hour\nlambda,H100 SXM,8,22\n"),
                           GPUPLAN_TODAY="2026-10-01")
        self.assertEqual(told["kept"], 1)
        self.assertIn("2026-10-01", told["dates"][0])
        back = {"GPUPLAN_TODAY": "2026-10-01", "GPUPLAN_STORE": self.store}
        self.assertIn("p5.48xlarge", run("offers", "H100:8", **back).stdout)
        # The age of a price of tomorrow is none.
        self.assertTrue(all(one["age_days"] >= 0 for one in self.answer("status", **back)["lists"]))
        done = run("plan", "--model", "Qwen2.5-7B", "--tokens", "10M", "--method", "lora", "--gpu", "8x H100 SXM", **back)
        self.assertEqual(done.returncode, 0, done.stderr)
        again = self.answer("import", self.file("aws-2026-11-21.csv", catalogue(19)))
        self.assertEqual((again["kept"], again["rejected"]), (2, 1))
        self.assertIn("$19.00", run("offers", "H100:8", "provider=aws", GPUPLAN_STORE=self.store).stdout)

    def test_the_order_may_be_said_as_vast_says_it(self):
        words = ["offers", "gpu_name=H100_SXM num_gpus>=8 dph<30"]
        sorted_by = run(*words, "--sort", "dph-", GPUPLAN_STORE="").stdout
        self.assertIn("by price, largest first", sorted_by)
        self.assertEqual(run(*words, "-o", "dph-", GPUPLAN_STORE="").stdout, sorted_by)
        self.assertEqual(run(*words, "-o", "dph", GPUPLAN_STORE="").stdout, run(*words, "--sort", "dph", GPUPLAN_STORE="").stdout)
        several = run(*words, "-o", "num_gpus,dph-", GPUPLAN_STORE="")
        self.assertIn("by gpus, then by price, largest first", several.stdout)
        self.assertFalse((Path(__file__).parents[2] / "num_gpus,dph-").exists())
        wrong = run(*words, "-o", "nothing-", GPUPLAN_STORE="")
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
        self.assertIn("unknown field 'nothing'", wrong.stderr)
        out = str(self.folder / "dph-")
        self.assertEqual(run(*words, "-o", out, GPUPLAN_STORE="").stdout, "")
        self.assertTrue(os.path.exists(out))

    def test_the_flags_of_plans_filter_offers_too(self):
        def offers(*words):
            done = run("offers", *words, GPUPLAN_STORE="")
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout
        self.assertEqual(offers("--gpu", "H100:8", "--provider", "aws"), offers("H100:8", "provider=aws"))
        self.assertEqual(offers("H100:8", "--cloud", "aws"), offers("H100:8", "provider=aws"))
        self.assertEqual(offers("--region", "eu", "H100"), offers("region=eu", "H100"), "one value a flag")
        self.assertEqual(offers("--gpu", "H100:8,B200:8", "--provider", "lambda,nebius"),
                         offers("H100:8,B200:8", "provider=lambda,nebius"))
        none = run("gpus", "H100", "--cloud", "aws")
        self.assertEqual(none.returncode, 2)
        self.assertNotIn("--provider", none.stderr, "which gpus does not have")

    def test_flags_before_a_job_leave_it_alone(self):
        job = str(Path(__file__).parents[2] / "examples/llama-8b-lora.yaml")
        for words in (["--provider", "aws"], ["--gpu", "H100:8"], ["--set", "tokens=1M"], ["--nodes", "1"]):
            before, behind = (run("plan", *call, "--csv", GPUPLAN_STORE="") for call in ([*words, job], [job, *words]))
            self.assertEqual(before.returncode, behind.returncode, words)
            self.assertEqual(before.stdout, behind.stdout, words)
            self.assertEqual(before.stderr, behind.stderr, words)

    def test_commitments_are_in_offers(self):
        config = self.file("gpuplan.toml", '[[commitments]]\nprovider = "aws"\ngpu = "4x H100 SXM"\nprice = "$1/h"\n'
                           '[[commitments]]\nprovider = "aws"\ngpu = "L4"\ndiscount = "25%"\n'
                           '[[commitments]]\nprovider = "aws"\nuntil = "2020-01-01"\n')
        self.prices("import", self.file("aws-2026-11-20.csv", catalogue(40)))
        environment = {"GPUPLAN_STORE": self.store, "GPUPLAN_CONFIG": config}
        told = run("offers", "provider=aws", "H100", "p5.48xlarge", "region=us-east-1", **environment)
        self.assertIn("$24.00", told.stdout)  # half of 8 x $5, and 4 x $1
        self.assertIn("Your own commitments are in these prices: aws 4x H100 SXM at $1.00/h a GPU (", " ".join(told.stdout.split()))
        answer = json.loads(run("offers", "provider=aws", "region=us-east-1", "--json", **environment).stdout)
        rows = {(one["instance"], one["as_of"]): one for one in answer["offers"]}
        row = rows["p5.48xlarge", "2026-11-20"]
        self.assertEqual((row["price_usd_per_hour"], row["listed_price_usd_per_hour"]), (24, 40))
        self.assertAlmostEqual(rows["g6.xlarge", "2026-11-20"]["price_usd_per_hour"], 0.6)
        self.assertEqual(len(answer["commitments"]), 2, "one has ended")
        self.assertNotIn("commitments", run("offers", "aws", "--no-config", **environment).stdout)

    def test_bands_of_the_spot_advisor_join_spot_prices(self):
        advisor = json.dumps({"instance_types": {"g6.xlarge": {"emr": True, "cores": 4, "ram_gb": 16.0}}, "spot_advisor": {
            "us-east-1": {"Linux": {"g6.xlarge": {"s": 60, "r": 4}}}}, "ranges": [{"index": 4, "label": ">20%", "max": 100}]})
        files = [self.file("advisor.json", advisor), self.file("aws-2026-11-20.csv", catalogue(55))]
        for words in (files, files[::-1]):
            self.assertEqual(self.answer("import", *words)["kept"], 2)
            self.assertRegex(self.prices("export").stdout, r"g6\.xlarge.*>20%")
        self.assertIn("is the AWS Spot Advisor", self.prices("import", files[0], code=5).stderr)

    def test_discounts_are_told(self):
        config = self.file("gpuplan.toml", '[discounts]\naws = "10%"\nawss = "5%"\n"aws: H100 SXM" = "50%"\n')
        self.prices("import", self.file("aws-2026-11-20.csv", catalogue(18)))
        ask = ["offers", "aws", "H100", "gpus=8"]
        environment = {"GPUPLAN_STORE": self.store, "GPUPLAN_CONFIG": config}
        told = run(*ask, "price=9", **environment)
        self.assertIn("$9.00", told.stdout)
        self.assertIn("Your own discounts are in these prices: aws: H100 SXM 50% (", " ".join(told.stdout.split()))
        self.assertRegex(told.stderr, r"unknown provider 'awss' of discounts in \S*gpuplan.toml:3; no offer has it")
        answer = json.loads(run(*ask, "--json", **environment).stdout)
        self.assertTrue(answer["discounts_in_prices"])
        self.assertEqual([(one["provider"], one["gpu"], one["share"]) for one in answer["discounts"]],
                         [("aws", "H100 SXM", 0.5)])
        self.assertNotIn("discounts", run(*ask, "--no-config", **environment).stdout)
        mine = self.file("mine.csv", "gpu,gpus,price_per_hour,provider\nH100 SXM,8,$18,aws\n")
        lists = run("offers", "--prices", mine, **environment).stdout
        self.assertIn("$18.00", lists)
        self.assertIn("are not taken off prices of lists that you name", " ".join(lists.split()))
        plan = ["plan", "--model", "Qwen2.5-7B", "--tokens", "10M", "--method", "lora", "--gpu", "8x H100 SXM", "--details"]
        self.assertIn("unknown provider 'awss'", " ".join(run(*plan, **environment).stdout.split()))

    def test_reading_makes_no_file(self):
        home = self.folder / "home"
        home.mkdir()
        for words in (["prices", "status"], ["offers"], ["plan", "--model", "gpt2", "--tokens", "1M"]):
            run(*words, HOME=str(home), GPUPLAN_STORE=str(home / "x" / "prices.db"))
        self.assertEqual(list(home.iterdir()), [])

    def test_actions(self):
        self.assertIn("Did you mean 'import'?", run("prices", "imprt").stderr)
        self.assertIn("an action is missing: import,", run("prices").stderr)
        helped = run("prices", "--help").stdout
        for action in ("import", "status", "history", "watch", "export"):
            self.assertRegex(helped, rf"(?m)^  {action} ")
            own = run("prices", action, "--help")
            self.assertEqual(own.returncode, 0)
            self.assertIn(f"Usage: gpuplan prices {action}", own.stdout)
            self.assertEqual(run("help", "prices", action).stdout, own.stdout)
            self.assertIn("prices " + action, run("man", "prices").stdout)
            self.assertEqual(run("prices", action, "x", "--nosuch").returncode, 2)
        self.assertIn("Did you mean '--details'?", run("prices", "import", "x", "--detials").stderr)


if __name__ == "__main__":
    main(__doc__, at_once=4)
