#!/usr/bin/env python3
"""What stored and own prices are trusted with: sanity, single machines, stock, damaged stores:
tests/cli/prices_trust_test.py PROGRAM"""

import csv
import io
import json
import os
from datetime import datetime
from pathlib import Path

from price_folder import PriceFolder
from program import ROOT, main, run

OWN = "provider,gpu,gpus,price_per_hour,region,date\n"


class Trust(PriceFolder):
    def imported(self, name, text, *words):
        told = json.loads(self.prices("import", self.file(name, text), *words, "--json").stdout)
        self.assertEqual(told["rows"], told["kept"] + told["rejected"])
        return told

    def test_rows_of_one_call_do_not_vouch_for_each_other(self):
        for gpu, prices in (("A100 SXM 80GB", (0.14, 0.15)), ("H100 SXM", (2.49, 2.99)), ("H200 SXM", (0.39, 0.4))):
            rows = "".join(f"new{i},{gpu},8,{price},us,2026-11-20\n" for i, price in enumerate(prices))
            self.assertEqual(self.imported("two.csv", OWN + rows, "--dry-run")["kept"], 0, gpu)

    def test_what_was_kept_against_advice_does_not_vouch(self):
        self.assertEqual(self.imported("a.csv", OWN + "acme,H100 SXM,8,2.49,us,2026-11-20\n", "--keep-unlikely")["kept"], 1)
        self.assertEqual(self.imported("b.csv", OWN + "bravo,H100 SXM,8,2.6,us,2026-11-20\n")["kept"], 0)
        self.assertEqual(self.imported("a2.csv", OWN + "acme,H100 SXM,8,2.3,us,2026-11-21\n")["kept"], 1)

    def test_a_slip_at_either_end_of_the_market(self):
        # A machine of eight at the price of one at the cheapest, and one GPU at the price of eight at the cheapest.
        rows = "acme,H100 SXM,8,6.16,us,2026-11-20\nacme,L40S,1,7.60,us,2026-11-20\n"
        self.assertEqual(self.imported("ends.csv", OWN + rows)["kept"], 0)
        rows = "acme,H100 SXM,8,16,us,2026-11-20\nacme,L40S,1,1.2,us,2026-11-20\n"
        self.assertEqual(self.imported("fair.csv", OWN + rows)["kept"], 2)

    def test_hosts_of_marketplaces_go_in_stored_lists_too(self):
        machine = {"id": 1, "gpu_name": "H100 SXM", "num_gpus": 8, "dph_base": 12, "geolocation": "Japan, JP", "gpu_ram": 81559}
        ask = ["plan", "--model", "Qwen2.5-7B", "--tokens", "10M", "--method", "lora", "--gpu", "8x H100 SXM", "--provider",
               "vast", "--store", self.store]
        text = json.dumps([machine])
        self.assertEqual(self.imported("vast.json", text, "--as-of", "2026-06-01")["kept"], 1)
        self.assertNotIn("$12.00/h", run(*ask).stdout)
        self.imported("vast.json", text, "--as-of", "2026-11-20")
        self.assertIn("$12.00/h", run(*ask).stdout)

    def test_prices_of_disks_and_of_traffic_decide(self):
        # Eight GPUs at a little less an hour, whose disks and traffic are paid for; checkpoints go home.
        rows = ("provider,gpu,gpus,price_per_hour,storage_usd_per_gb_month,egress_usd_per_gb,region,date\n"
                "acme,H100 SXM,8,20.00,0.20,0.12,eu,2026-11-20\nbravo,H100 SXM,8,20.40,,,eu,2026-11-20\n")
        self.assertEqual(self.imported("disks.csv", rows)["kept"], 2)
        job = self.file("job.yaml", """
phases:
  - name: train
    setup: {time: 10 min}
    train: {model: meta-llama/Llama-3.1-8B, data: {tokens: 2B}, epochs: 1, sequence: 4096, batch: {sequences: 128}}
storage: {data: 900 GB, results: s3://home}
checkpoint: {every: 30 min, keep: 20}
where: {providers: [acme, bravo]}
""")

        def asked(*words):
            return json.loads(run("plan", job, "--json", "--all", *words).stdout)["plans"]

        plans = {plan["provider"]: plan for plan in asked("--store", self.store)}
        acme, bravo = plans["acme"], plans["bravo"]
        self.assertEqual((bravo["disk_usd"], bravo["egress_usd"]), (0, 0))
        self.assertGreater(acme["disk_usd"], 2)
        self.assertGreater(acme["egress_usd"], 1)
        # Of the same hours: the machine, and for acme what it uses beside it.
        hours = bravo["hours"]["p50"]
        self.assertAlmostEqual(bravo["cost_usd"]["p50"] / (20.40 * hours), 1, delta=0.01)
        machine = acme["cost_usd"]["p50"] - acme["disk_usd"] - acme["egress_usd"]
        self.assertAlmostEqual(machine / (20 * hours), 1, delta=0.01)
        self.assertLess(bravo["cost_usd"]["p50"], acme["cost_usd"]["p50"])
        # Without such prices the machine that is cheaper by the hour is the cheaper plan.
        bare = {plan["provider"]: plan for plan in asked("--prices", self.file("bare.csv", rows.replace("0.20,0.12,", ",,")))}
        self.assertGreater(bare["bravo"]["cost_usd"]["p50"], bare["acme"]["cost_usd"]["p50"])

    def test_disks_without_a_price_are_told(self):
        text = (ROOT / "examples" / "collect-forward-only.yaml").read_text()
        price = ", disk_price: $0.08/GB-month"
        self.assertIn(price, text)
        words = "No price of this space is known"
        self.assertNotIn(words, run("plan", self.file("priced.yaml", text)).stdout)
        bare = " ".join(run("plan", self.file("bare.yaml", text.replace(price, ""))).stdout.split())
        self.assertIn(words + ", so none of it is in the cost", bare)
        # What it names is what the same job costs more with that price.
        told = float(bare.split("would add $")[1].split(")")[0])
        priced = text.replace(price, ", disk_price: $0.10/GB-month")
        counted = json.loads(run("plan", self.file("ten.yaml", priced), "--json").stdout)["plans"][0]["disk_usd"]
        self.assertAlmostEqual(told, counted, delta=0.02)
        # Small disks are not worth a sentence.
        self.assertNotIn(words, run("plan", self.file("few.yaml", text.replace(price, "").replace("200k", "2k"))).stdout)

    def test_rows_that_the_built_in_list_has_change_nothing(self):
        ask = ["plan", "--model", "Qwen2.5-7B", "--tokens", "10M", "--method", "lora", "--json"]
        offers = (ROOT / "data" / "offers.csv").read_text().replace("a single machine when listed", "one offer on that day")
        told = self.imported("offers.csv", offers)
        self.assertEqual(told["rejected"], 0)
        before, after = (json.loads(run(*ask, *more).stdout) for more in (["--no-store"], ["--store", self.store]))
        self.assertEqual(after["market"]["offers"], before["market"]["offers"])
        # How far hosts lie apart is known better; what there is and what it costs is the same.
        ids, costs = ([[plan[key] for plan in told["plans"]] for told in (after, before)] for key in ("id", "expected_cost_usd"))
        self.assertEqual(ids[0], ids[1])
        for now, then in zip(*costs):
            self.assertAlmostEqual(now, then, delta=0.01 + 0.01 * then)

    def test_a_newer_list_of_what_is_to_be_had_overtakes_other_regions(self):
        rows = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n" + "".join(
            f"{name},{gpu},8,208,2900,{price},{region},,\n" for region in ("us-west-2", "us-east-1", "asia-northeast-1")
            for name, gpu, price in (("gpu_8x_b200_sxm6", "B200", 39.92), ("gpu_8x_h100_sxm5", "H100", 23.92)))
        self.imported("vms.csv", rows, "--provider", "lambda", "--as-of", "2026-11-10")

        def type_of(name, gpu, cents, regions):
            return {"instance_type": {"name": name, "description": f"8x {gpu} (80 GB SXM5)", "gpu_description": gpu,
                                      "price_cents_per_hour": cents, "specs": {"vcpus": 208, "memory_gib": 2900, "gpus": 8}},
                    "regions_with_capacity_available": [{"name": region} for region in regions]}
        live = {"data": {"gpu_8x_b200_sxm6": type_of("gpu_8x_b200_sxm6", "B200 (180 GB SXM6)", 3992, ["us-west-2"]),
                         "gpu_8x_h100_sxm5": type_of("gpu_8x_h100_sxm5", "H100 (80 GB SXM5)", 2392, [])}}
        self.assertEqual(self.imported("lambda.json", json.dumps(live), "--as-of", "2026-11-20")["kept"], 2)
        ask = ["plan", "--model", "Qwen2.5-7B", "--tokens", "10M", "--provider", "lambda", "--store", self.store, "--json"]
        for gpus, regions in (("8x B200", {"us-west-2"}), ("8x H100 SXM", set())):
            done = run(*ask, "--gpu", gpus)
            told = json.loads(done.stdout) if done.stdout else {"plans": []}
            self.assertEqual({plan["region"] for plan in told["plans"]}, regions, done.stderr)
        # As of a day before that news it is none.
        told = json.loads(run(*ask, "--gpu", "8x H100 SXM", "--as-of", "2026-11-15").stdout)
        self.assertGreater(len(told["plans"]), 0)

    def reasons(self, name, text, *words):
        told = self.imported(name, text, "--dry-run", *words)
        return {one["reason"]: one["rows"] for one in told["rejections"]}, told["kept"]

    def test_other_systems_are_rejected(self):
        for head in ("os", "Operating System", "platform"):
            rows = "".join(f"acme,H100 SXM,8,2{i},{name},r{i}\n" for i, name in enumerate(
                ("Linux", "Windows", "Windows Server 2022", "RHEL", "Linux/UNIX")))
            self.assertEqual(self.reasons("os.csv", f"provider,gpu,gpus,price,{head},region\n{rows}"),
                             ({"not with Linux": 3}, 2), head)
            record = {"provider": "acme", "gpu": "H100 SXM", "gpus": 8, "price_per_hour": 30, head: "Windows"}
            self.assertEqual(self.reasons("os.json", json.dumps([record])), ({"not with Linux": 1}, 0), head)

    def test_machines_that_contradict_their_row(self):
        head = "provider,instance,gpu,gpus,price,region\n"
        for row, reason in (("aws,p5.48xlarge,H100 SXM,4,27", "a number of GPUs that the machine of that name does not have"),
                            ("aws,p5.48xlarge,A100,8,55", "a GPU that the machine of that name does not have"),
                            ("azure,Standard_NV6ads_A10_v5,A10,1,0.45", "a part of a GPU")):
            self.assertEqual(self.reasons("machine.csv", f"{head}{row},x\n"), ({reason: 1}, 0), row)
        for row, gpu in (("gcp,a2-highgpu-1g,A100 80GB,1,3.67", "A100 SXM 40GB"), ("lambda,gpu_8x_h100_sxm5,H100 PCIe,8,24", "H100 SXM")):
            told = self.imported("machine.csv", f"{head}{row},x\n", "--dry-run")
            self.assertEqual([one["reason"] for one in told["corrections"]],
                             [f"another GPU than the machine of that name has, taken as {gpu}"])
        told = self.imported("machine.csv", head + "aws,p5.48xlarge,H100,8,55,x\naws,p4d.24xlarge,A100,8,22,x\n", "--dry-run")
        self.assertEqual((told["kept"], told["corrected"]), (2, 0))

    def test_a_column_of_tax(self):
        rows = "H100 SXM;8;28,00 €;exkl.\nH200 SXM;8;33,32 €;inkl. 19% MwSt.\nL4;1;0,595 €;inkl.\nA40;1;0,595 €;zzgl. 19%\n"
        told = self.imported("vat.csv", "GPU;Anzahl GPUs;Preis/h;MwSt\n" + rows, "--provider", "acme", "--rate", "EUR=1")
        self.assertEqual(told["kept"], 3)
        self.assertIn("a price with tax, whose rate is not said", told["rejections"][0]["reason"])
        asked = {row["gpu"]: float(row["price_per_hour"]) for row in csv.DictReader(io.StringIO(self.prices("export").stdout))}
        self.assertEqual(asked, {"H100 SXM": 28, "H200 SXM": 28, "A40": 0.595})

    def test_negatives_of_accountants(self):
        rows = "H100 SXM,8,($24.00),acme\nH200 SXM,8,(28),acme\n"
        self.assertEqual(self.reasons("paren.csv", "gpu,gpus,price,provider\n" + rows), ({"a negative price": 2}, 0))

    def test_newer_prices_with_and_without_zones(self):
        zoned = "provider,region,zone,instance,gpu,gpus,price\nzed,us,us-a,m1,H100 SXM,8,24\n"
        bare = "provider,region,instance,gpu,gpus,price\nzed,us,m1,H100 SXM,8,30\n"
        for first, second, price in ((zoned, bare, 30), (bare, zoned, 24)):
            self.store = str(self.folder / f"{price}.db")
            self.imported("one-2026-11-10.csv", first)
            self.imported("other-2026-11-20.csv", second)
            told = json.loads(run("offers", "zed", "--store", self.store, "--json").stdout)
            self.assertEqual([one["price_usd_per_hour"] for one in told["offers"]], [price])

    def test_own_lists_are_held_against_the_market(self):
        ask = ["plan", "--model", "Qwen2.5-7B", "--tokens", "10M", "--method", "lora", "--prices"]
        odd = self.file("odd.csv", "provider,gpu,gpus,price\naws,H100 SXM,8,6.88\naws,L40S,1,1.9\n")
        shown = " ".join(run(*ask, odd).stdout.split())
        self.assertIn("! Prices far from what is usual: 8x H100 SXM at aws for $6.88/h, usual $55.04/h (the recommended one). "
                      "Look at the list.", shown)
        fair = self.file("fair.csv", "provider,gpu,gpus,price\naws,H100 SXM,8,50\naws,L40S,1,1.9\n")
        self.assertNotIn("Prices far", run(*ask, fair).stdout)
        self.assertIn("Prices far", run("offers", "--prices", odd).stderr)

    def test_a_damaged_store_is_told_by_whoever_reads_it(self):
        rows = "".join(f"p{i},H100 SXM,8,{20 + i / 100},r{i},2026-11-20\n" for i in range(400))
        self.imported("many.csv", OWN + rows)
        store = Path(self.store)
        Path(self.store + ".ready").unlink()
        damaged = bytearray(store.read_bytes())
        for at in range(4096, len(damaged) - 64, 4096):
            damaged[at:at + 64] = b"\xA5" * 64
        store.write_bytes(damaged)
        for words in (["status"], ["history", "H100"], ["watch"], ["export"]):
            done = run("prices", *words, "--store", self.store)
            self.assertEqual((done.returncode, "is damaged" in done.stderr or "malformed" in done.stderr), (5, True), done.stderr)
        ask = ["plan", "--model", "Qwen2.5-7B", "--tokens", "10M", "--method", "lora"]
        self.assertEqual(run(*ask, "--store", self.store).returncode, 5)
        told = run(*ask, GPUPLAN_STORE=self.store)
        self.assertEqual(told.returncode, 0)
        self.assertIn("stored prices are not used", told.stderr)
        self.assertEqual(store.read_bytes(), bytes(damaged))

    def test_offers_say_why_some_are_hidden(self):
        nothing = run("offers", "V100").stdout
        self.assertRegex(nothing, r"\d+ older offers and \d+ of GPUs that current software leaves out hidden: --all")
        mine = self.file("mine.csv", "provider,gpu,gpus,price,date\nlab,RTX 4090,1,0.4,2026-11-21\nlab,V100,1,0.3,2026-11-21\n")
        shown = run("offers", "--prices", mine).stdout
        self.assertIn("1 of GPUs that current software leaves out hidden (--all)", shown)
        self.assertIn("Prices as of 2026-11-21: check them", shown)
        later = run("offers", "--prices", mine, GPUPLAN_TODAY="2027-11-21").stdout
        self.assertIn("Prices as of 2026-11-21, the newest 365 days old", " ".join(later.split()))

    def test_no_day_to_come(self):
        self.imported("a.csv", OWN + "acme,H100 SXM,8,24,us,2026-11-20\n")
        self.assertIn("lies in the future", self.prices("export", "--as-of", "2026-12-24", code=2).stderr)
        self.assertIn("acme", self.prices("export", "--as-of", "2026-11-21").stdout)

    def test_totals_of_several_machines(self):
        rows = "provider,gpu,gpus,nodes,price\nacme,H100 SXM,8,1,24\nacme,H100 SXM,8,4,96\n"
        self.assertEqual(self.reasons("nodes.csv", rows), ({"several machines as one": 1}, 1))

    def test_filters_as_other_programs_have_them(self):
        def rows(*words):
            return json.loads(run("offers", *words, "--all", "--json").stdout)["offers"]
        self.assertEqual({row["gpus"] for row in rows("num_gpus in [4,8]")}, {4, 8})
        self.assertEqual({row["gpus"] for row in rows("num_gpus notin [1,2,8]")} & {1, 2, 8}, set())
        self.assertEqual({row["provider"] for row in rows("cloud=lambda", "accelerator=H100")}, {"lambda"})
        either = {row["gpu"].split()[0] for row in rows("H100,H200")}
        self.assertEqual(either, {"H100", "H200"})
        self.assertEqual({row["region"] for row in rows("California, US")}, {"California, US"})

    ASK = ["plan", "--model", "Qwen2.5-7B", "--tokens", "10M", "--method", "lora"]

    def test_discounts_are_told_where_they_are_paid(self):
        config = self.file("gpuplan.toml", '[discounts]\naws = "15%"\n"gcp: H100 SXM" = "30%"\n')
        told = run(*self.ASK, GPUPLAN_CONFIG=config).stdout
        self.assertIn("after your discounts of 30% at gcp on H100 SXM and 15% at aws", " ".join(told.split()))
        self.assertNotIn("discounts", run(*self.ASK, "--provider", "lambda", GPUPLAN_CONFIG=config).stdout)
        market = json.loads(run(*self.ASK, "--provider", "aws", "--json", GPUPLAN_CONFIG=config).stdout)["market"]
        self.assertEqual(market["discounts"], [{"provider": "aws", "gpu": None, "share": 0.15}])
        rows = list(csv.DictReader(io.StringIO(run("offers", "H100", "--csv", GPUPLAN_CONFIG=config).stdout)))
        taken = {("aws", "H100 SXM"): 0.85, ("gcp", "H100 SXM"): 0.7}
        for row in rows:
            if row["price_usd_per_hour"]:
                share = taken.get((row["provider"], row["gpu"]), 0.85 if row["provider"] == "aws" else 1)
                self.assertAlmostEqual(float(row["price_usd_per_hour"]), share * float(row["listed_price_usd_per_hour"]), 3)
        # What the list asks is known beside a commitment, too, of what is left after the discount.
        both = self.file("both.toml", Path(config).read_text() + '[[commitments]]\nprovider = "aws"\nprice = "$2/h"\n')
        offers = json.loads(run("offers", "H100:8", "aws", "--json", GPUPLAN_CONFIG=both).stdout)["offers"]
        listed = {(row["region"], row["instance"]): row["price_usd_per_hour"]
                  for row in json.loads(run("offers", "H100:8", "aws", "--json").stdout)["offers"]}
        for row in offers:
            self.assertAlmostEqual(row["listed_price_usd_per_hour"], listed[row["region"], row["instance"]], 6)

    def test_a_store_is_named_where_it_gives_offers(self):
        self.imported("old.csv", OWN + "acme,H100 SXM,8,24,us,2024-11-20\n")
        self.assertNotIn("stored prices", run(*self.ASK, "--store", self.store).stdout)
        self.imported("new.csv", OWN + "acme,H100 SXM,8,24,us,2026-11-20\n")
        self.assertIn("the built-in price list and your stored prices", run(*self.ASK, "--store", self.store).stdout)
        missing = run(*self.ASK, GPUPLAN_STORE=self.store + ".no")
        self.assertIn("(GPUPLAN_STORE): no such file; no stored prices are used", missing.stderr)
        self.assertEqual((missing.returncode, run(*self.ASK, GPUPLAN_STORE="").stderr), (0, ""))

    def test_undated_lists_are_as_old_as_their_file(self):
        name = self.file("mine.csv", "provider,gpu,gpus,price_per_hour\nacme,H100 SXM,8,24\n")
        for day, old in (("2025-01-01", True), ("2026-11-20", False)):
            at = datetime.fromisoformat(day + "T12:00:00+00:00").timestamp()
            os.utime(name, (at, at))
            told = " ".join(run(*self.ASK, "--prices", name).stdout.split())
            self.assertIn("mine.csv, undated", told)
            self.assertEqual("Prices without a date, in a file of 2025-01-01 (" in told, old, told)

    def test_a_list_is_of_the_day_in_its_name(self):
        text = "provider,gpu,gpus,price_per_hour\nacme,H100 SXM,8,24\n"
        for name in ("acme-2026-02-20.csv", "2026-02/acme.csv"):
            told = " ".join(run(*self.ASK, "--prices", self.file(name, text)).stdout.split())
            self.assertIn("Prices are from 2026-02", told)
            self.assertNotIn("without a date", told)
        dated = self.file("acme-2026-02-21.csv", text.replace("hour\n", "hour,date\n").replace("24\n", "24,2026-11-20\n"))
        self.assertNotIn("Prices are from", run(*self.ASK, "--prices", dated).stdout)

    def test_the_odd_price_of_the_pick_comes_first(self):
        fair = "".join(f"p{i},H100 SXM,8,{20 + i / 10},r{i},2026-11-20\n" for i in range(5))
        odd = "".join(f"odd{i},L40S,1,{40 + i},r,2026-11-20\n" for i in range(6))
        name = self.file("odd.csv", OWN + odd + fair + "cheap,H100 SXM,8,0.9,r,2026-11-20\n")
        told = " ".join(run(*self.ASK, "--prices", name).stdout.split())
        self.assertIn("Recommended: 8x H100 SXM at cheap", told)
        self.assertIn("Prices far from what is usual: 8x H100 SXM at cheap for $0.90/h", told)
        self.assertIn("(the recommended one)", told)

    def test_every_answer_with_prices_says_how_old_they_are(self):
        old = self.file("old.csv", "provider,gpu,gpus,price_per_hour,spot_price,region,date\nacme,H100 SXM,8,20,9,us,2026-05-20\n")
        new = self.file("new.csv", Path(old).read_text().replace("2026-05", "2026-11"))
        work = self.ASK[1:]
        for words in (["plan", *work], ["whatif", *work, "--set", "epochs=2"], ["whatif", *work, "--sensitivity"],
                      ["simulate", *work]):
            for more in ([], ["--details"]):
                self.assertIn("Prices are from 2026-05-20, 6 months old: look them up before you rent.",
                              " ".join(run(*words, *more, "--prices", old).stdout.split()), words)
                self.assertNotIn("Prices are from", run(*words, *more, "--prices", new).stdout, words)
            self.assertIn("prices from 2026-05-20, 6 months old",
                          " ".join(run(*words, "--details", "--prices", old).stdout.lower().split()), words)
            market = json.loads(run(*words, "--json", "--prices", old).stdout)["market"]
            self.assertEqual((market["as_of"], market["age_days"]), ("2026-05-20", 186), words)

    def test_reasons_beyond_those_shown_are_counted(self):
        rows = "".join(f"acme,GPU number {i},8,{20 + i},us,2026-11-20\n" for i in range(13))
        self.imported("many.csv", OWN + "acme,H100 SXM,8,20,us,2026-11-20\n" + rows)
        shown = self.prices("status").stdout
        self.assertEqual(shown.count("a GPU that gpuplan does not know"), 10)
        self.assertIn("3 more reasons (--details).", shown)
        whole = self.prices("status", "--details").stdout
        self.assertEqual(whole.count("a GPU that gpuplan does not know"), 13)
        self.assertNotIn("more reason", whole)

    def test_what_a_million_tokens_cost_without_an_api(self):
        ask = ["plan", "--generate", "--samples", "100k", "--prompt", "500", "--new", "300", "--gpu", "H100 SXM", "--model"]
        for model, served in (("Qwen2.5-7B", "Qwen2.5-7B-Instruct"), ("Qwen2.5-7B-Instruct", "Qwen2.5-7B-Instruct"),
                              ("Qwen2.5-14B", None)):
            told = json.loads(run(*ask, model, "--json").stdout)
            self.assertGreater(told["usd_per_1m_output_tokens"], 0, model)
            if served:
                self.assertEqual(told["api"]["model"], served)
                self.assertAlmostEqual(told["api"]["plan_usd_per_1m_output_tokens"], told["usd_per_1m_output_tokens"])
            else:
                self.assertIsNone(told["api"])
                self.assertIn("per 1M output tokens (no API price of the model is known)",
                              " ".join(run(*ask, model, "--details").stdout.split()))
        self.assertIsNone(json.loads(run(*self.ASK, "--json").stdout)["usd_per_1m_output_tokens"])

    def test_gpus_show_what_machines_with_them_cost(self):
        for words in (["H100:8"], ["8x", "H100"], ["gpu_name=H100_SXM num_gpus>=8 dph<30"], ["accelerators=H100:8"]):
            shown = run("gpus", *words, GPUPLAN_STORE="")
            self.assertEqual(shown.returncode, 0, shown.stderr)
            for part in ("H100 SXM", "USABLE MEMORY", "8x H100 SXM", "offers that match"):
                self.assertIn(part, shown.stdout, words)
            told = json.loads(run("gpus", *words, "--json", GPUPLAN_STORE="").stdout)
            self.assertEqual({row["gpu"] for row in told["offers"]}, {gpu["name"] for gpu in told["gpus"]}, words)
            self.assertEqual({row["gpus"] for row in told["offers"]}, {8}, words)
        cheap = json.loads(run("gpus", "gpu_name=H100_SXM num_gpus>=8 dph<30", "--json", GPUPLAN_STORE="").stdout)["offers"]
        self.assertLess(max(row["price_usd_per_hour"] for row in cheap), 30)
        # What is said of GPUs and what of machines count together; other words are those of machines.
        both = json.loads(run("gpus", "vendor=amd num_gpus=8", "--json", GPUPLAN_STORE="").stdout)
        self.assertEqual({gpu["vendor"] for gpu in both["gpus"]}, {"amd"})
        self.assertEqual({row["provider"] for row in
                          json.loads(run("gpus", "H100:8", "aws", "--json", GPUPLAN_STORE="").stdout)["offers"]}, {"aws"})
        self.assertNotIn("offers", json.loads(run("gpus", "H100", "--json").stdout))
        self.assertEqual(run("gpus", "H100:7", GPUPLAN_STORE="").returncode, 3)
        self.assertIn("No GPU of", run("gpus", "H100:8", "vendor=amd", GPUPLAN_STORE="").stdout)
        self.assertIn("unknown field 'memry'", run("gpus", "memry>=4").stderr)

    def test_offers_in_the_words_of_others(self):
        def rows(*words):
            done = run("offers", *words, "--json", GPUPLAN_STORE="")
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout)["offers"]
        self.assertEqual(rows("8x", "H100"), rows("8x H100"))
        self.assertEqual(rows("infra=aws/us-east-1"), rows("provider=aws", "region=us-east-1"))
        self.assertEqual(rows("backend=aws", "H100"), rows("H100", "--backend", "aws"))
        self.assertEqual(rows("--accelerators", "A100:8"), rows("A100:8"))
        self.assertEqual(rows("cpus=64+"), rows("vcpus>=64"))
        self.assertEqual(rows("cpus>=64"), rows("vcpus>=64"))
        spot = rows("use_spot=true", "H100")
        self.assertEqual(spot, rows("--spot", "H100"))
        prices = [row["spot_per_gpu_usd_per_hour"] for row in spot]
        self.assertTrue(prices and None not in prices and prices == sorted(prices))
        done = run("offers", "memory=512+", "--json", GPUPLAN_STORE="")
        self.assertEqual(json.loads(done.stdout)["offers"], rows("ram>=512"))
        self.assertIn("is read as SkyPilot means it", done.stderr)

    def test_offers_are_those_that_plans_take(self):
        plans = json.loads(run(*self.ASK, "--json").stdout)["market"]["offers"]
        for today in ("2026-11-22", "2026-10-01"):
            plans = json.loads(run(*self.ASK, "--json", GPUPLAN_TODAY=today).stdout)["market"]["offers"]
            self.assertEqual(json.loads(run("offers", "--json", GPUPLAN_TODAY=today).stdout)["market"]["offers"], plans)

    def test_hosts_that_are_often_away_are_told_and_taken_last(self):
        head = "provider,region,instance,gpu,gpus,price,reliability\n"
        ask = ["plan", "--model", "Qwen2.5-7B", "--tokens", "100M", "--method", "full"]
        close = self.file("close.csv", head + "a,us,i,H100 SXM,8,20.00,0.6\nb,us,i,H100 SXM,8,20.10,0.999\n")
        picked = run(*ask, "--prices", close).stdout
        self.assertRegex(picked, r"Recommended: 8x H100 SXM at b us")
        self.assertIn("with a host that is up more of the time than 8x H100 SXM (a)", " ".join(picked.split()))
        far = self.file("far.csv", head + "a,us,i,H100 SXM,8,14.00,0.6\nb,us,i,H100 SXM,8,30.10,0.999\n")
        picked = " ".join(run(*ask, "--prices", far).stdout.split())
        self.assertIn("Supply: the host of 8x H100 SXM was up 60% of the time. Next best: 8x H100 SXM (b)", picked)
        self.assertIn("up 60%", run("offers", "--prices", far).stdout)

    def test_a_stored_provider_that_is_sold_out_is_not_called_unknown(self):
        self.prices("import", self.file("own.csv", "provider,gpu,gpus,price_per_hour,region,date,availability\n"
                                        "acme,H100 SXM,8,21,eu-acme,2026-11-01,sold out\n"))
        def left(*words):
            done = run("plan", "--model", "gpt2", "--tokens", "1M", "--gpu", "H100 SXM", *words, GPUPLAN_STORE=self.store)
            self.assertEqual(done.returncode, 3)
            return " ".join(done.stdout.split())
        for words in (["--provider", "acme"], ["--region", "eu-acme"]):
            told = left(*words)
            self.assertIn(", 1 was sold out when listed.", told)
            self.assertNotIn("No offers", told)
        self.assertIn("No offers from provider 'nobody'", left("--provider", "nobody"))

    def test_a_word_behind_a_list_is_one_of_the_filter(self):
        name = self.file("mine.csv", "provider,gpu,gpus,price\nlab,L4,1,0.4\nlab,H100 SXM,8,24\n")
        shown = run("offers", "--prices", name, "H100").stdout
        self.assertIn("Shown 1 of 1 offers that match, of 2", shown)
        self.assertIn("no such file", run("offers", "--prices", name, "other.csv").stderr)


if __name__ == "__main__":
    main(__doc__)
