#!/usr/bin/env python3
"""`prices fetch` against servers on this machine that are slow, cut off, lie, send on, refuse and pack bombs.

    tests/cli/prices_fetch_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import atexit
import gzip
import json
import os
import random
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from loopback_server import Server, answer
from program import PROGRAM, ROOT, environment, main, run

HEAD = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,AvailabilityZone\n"
KEY = "sk-do-not-show-me-0123456789"
COLUMNS = ("name,title,provider,format,parts,url,version_url,body,key,key_as,keys,pages,most[MB],asked,date,notes,source,"
           "as_of")


def rows(count, price=50.0):
    return HEAD + "".join(f"p5.48xlarge,H100,8,192,2048,{price + i / 100:.2f},,region-{i},zone-{i}\n" for i in range(count))


def source(name="test", **more):
    cells = {"name": name, "title": name, "provider": "aws", "format": "skypilot", "url": "https://example.com/list",
             "key": "none", "most[MB]": "0.2", "date": "file", "source": "a test", "as_of": "2026-11", **more}
    return ",".join('"' + cells.get(column, "").replace('"', '""') + '"' for column in COLUMNS.split(","))


class Fetch(unittest.TestCase):
    """Each test has a home of its own, and a table of sources that it lays."""

    def setUp(self):
        self.home = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.home)
        self.data = self.home / "data"
        self.data.mkdir()
        shutil.copy(ROOT / "data" / "gpus.csv", self.data)
        self.sources(source())

    def sources(self, *lines):
        (self.data / "price_sources.csv").write_text("\n".join([COLUMNS, *lines]) + "\n")

    def variables(self, **more):
        return {"HOME": str(self.home), "GPUPLAN_STORE": str(self.home / "prices.db"),
                "GPUPLAN_FETCH": "connect=20,stall=20,total=50,wait=0.01,tries=3", **more}

    def run_fetch(self, *words, **more):
        done = run("prices", "fetch", "--data", str(self.data), *words, **self.variables(**more))
        self.assertNotIn(KEY, done.stdout + done.stderr)
        self.assertIn(done.returncode, (0, 2, 5), done.stderr)
        self.assertFalse(re.search(r"[\x00-\x08\x0b-\x1f\x7f]", done.stdout + done.stderr), "control characters")
        return done

    def fetch(self, server, *words, name="test", **more):
        """The row of the one list, fetched from this server."""
        done = self.run_fetch(name, "--url", f"{name}={server.url()}", "--json", *words, **more)
        self.assertEqual(done.stderr, "")
        report = json.loads(done.stdout)
        self.assertEqual(report["schema"], "gpuplan/prices-fetch@1")
        (row,) = report["lists"]
        self.assertEqual(done.returncode, 5 if row["result"] == "failed" else 0)
        return row

    def came(self, reply, count, requests=1, **more):
        with Server(reply) as server:
            row = self.fetch(server, **more)
            self.assertEqual(row["result"], "fetched", row["reason"])
            self.assertEqual(row["rows_kept"], count)
            self.assertEqual(len(server.requests), requests)
            return row, server.requests

    def failed(self, reply, words, requests=None, **more):
        with Server(reply) as server:
            row = self.fetch(server, **more)
            self.assertEqual(row["result"], "failed")
            self.assertIn(words, row["reason"])
            self.assertLess(len(row["reason"]), 400)
            if requests is not None:
                self.assertEqual(len(server.requests), requests)
            return row, server.requests


class Transfers(Fetch):
    def test_a_list_comes_with_the_date_of_its_file(self):
        row, (request,) = self.came(
            lambda *_: answer(rows(3), Last_Modified="Fri, 20 Nov 2026 07:28:00 GMT"), 3)
        self.assertEqual(row["date"], "2026-11-20")
        self.assertEqual(row["rows_rejected"], 0)
        self.assertTrue(request.headers["user-agent"].startswith("gpuplan/"))

    def test_without_a_date_or_with_one_to_come_prices_are_of_today(self):
        for headers in ({}, {"Last_Modified": "Wed, 01 Jan 2098 00:00:00 GMT"}, {"Last_Modified": "yesterday"}):
            row, _ = self.came(lambda *_, headers=headers: answer(rows(1), **headers), 1)
            self.assertEqual(row["date"], "2026-11-22")

    def test_unlikely_prices_are_kept_on_demand(self):
        self.came(lambda *_: answer(rows(1, 0.9)), 0)
        (self.home / "prices.db.fetched").unlink()
        with Server(lambda *_: answer(rows(1, 0.9))) as server:
            self.assertEqual(self.fetch(server, "--keep-unlikely")["rows_kept"], 1)

    def test_a_slow_server_is_waited_for(self):
        def slowly(connection):
            for byte in range(0, len(whole), 40):
                connection.sendall(whole[byte:byte + 40])
                time.sleep(0.02)
        whole = answer(rows(10))
        self.came(lambda *_: slowly, 10)

    def test_a_stalled_transfer_is_given_up_or_resumed(self):
        whole = rows(10).encode()

        def half(server):
            def send(connection):
                connection.sendall(answer(whole[:200], length=len(whole), ETag='"one"'))
                server.wait()
            return send
        with Server(None) as server:
            server.reply = lambda *_: half(server)
            row = self.fetch(server, GPUPLAN_FETCH="stall=5,total=50,wait=0.01,tries=2")
            self.assertEqual(row["result"], "failed")
            self.assertIn("stopped sending for 5 s (2 tries)", row["reason"])
            self.assertEqual(server.requests[1].headers["range"], "bytes=200-")
        with Server(None) as server:
            server.reply = lambda *_: half(server)
            row = self.fetch(server, GPUPLAN_FETCH="stall=20,total=1,wait=0.01")
            self.assertIn("took longer than 1 s", row["reason"])

    def test_what_broke_off_is_resumed(self):
        whole = rows(50).encode()

        def reply(request, number):
            if number == 1:
                return answer(whole[:700], length=len(whole), ETag='"one"')
            start = int(re.fullmatch(r"bytes=(\d+)-", request.headers["range"])[1])
            if number == 2:  # and again
                return answer(whole[start:start + 500], "206 Partial Content", length=len(whole) - start, ETag='"one"',
                              Content_Range=f"bytes {start}-{len(whole) - 1}/{len(whole)}")
            return answer(whole[start:], "206 Partial Content", ETag='"one"',
                          Content_Range=f"bytes {start}-{len(whole) - 1}/{len(whole)}")
        _, requests = self.came(reply, 50, 3)
        self.assertEqual([request.headers.get("range") for request in requests], [None, "bytes=700-", "bytes=1200-"])
        self.assertEqual(requests[1].headers["if-range"], '"one"')

    def test_a_packed_transfer_is_resumed_as_it_was_packed(self):
        whole = gzip.compress(rows(50).encode())

        def reply(request, number):
            if number == 1:
                return answer(whole[:100], length=len(whole), ETag='"one"', Content_Encoding="gzip")
            return answer(whole[100:], "206 Partial Content", ETag='"one"', Content_Encoding="gzip",
                          Content_Range=f"bytes 100-{len(whole) - 1}/{len(whole)}")
        self.came(reply, 50, 2)

    def test_only_the_same_is_resumed(self):
        whole, other = rows(50).encode(), rows(20, price=60).encode()
        parts = {"a part that begins elsewhere": f"bytes 10-{len(whole) - 1}/{len(whole)}",
                 "a part without a place": "bytes of it", "none": None}
        for what, place in parts.items():
            def reply(request, number, place=place):
                if number == 1:
                    return answer(whole[:700], length=len(whole), ETag='"one"')
                if "range" in request.headers and place:
                    return answer(whole[700:], "206 Partial Content", ETag='"one"', Content_Range=place)
                return answer(other, ETag='"two"')  # it has changed meanwhile
            with self.subTest(what):
                self.came(reply, 20, 3 if place else 2)

    def test_without_a_strong_tag_all_of_it_is_sent_again(self):
        whole = rows(50).encode()
        for headers in ({}, {"ETag": 'W/"weak"'}):
            def reply(_, number, headers=headers):
                return answer(whole[:700] if number == 1 else whole, length=len(whole), **headers)
            _, requests = self.came(reply, 50, 2)
            self.assertNotIn("range", requests[1].headers)

    def test_a_length_that_lies_is_no_list(self):
        whole = rows(5).encode()
        self.failed(lambda *_: answer(whole, length=len(whole) + 100), "broke off after", 3)
        self.failed(lambda *_: answer(b"", length=100), "broke off before anything came", 3)
        self.failed(lambda *_: lambda connection: None, "broke off before anything came", 3)

    def test_a_length_that_ends_within_a_row_costs_that_row_alone(self):
        whole = rows(5).encode()
        last = whole[:-1].rindex(b"\n") + 1
        row, _ = self.came(lambda *_: answer(whole, length=last + 12), 4)
        self.assertEqual(row["rows_rejected"], 1)

    def test_chunks_that_end_early_or_lie_are_no_list(self):
        head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        whole = rows(5).encode()
        chunk = b"%x\r\n%s\r\n" % (len(whole), whole)
        self.came(lambda *_: head + chunk + b"0\r\n\r\n", 5)
        for sent in (head + chunk, head + b"ffff\r\n" + whole, head + b"fffffffffffffffff\r\n" + whole, head + b"-5\r\n" + whole):
            self.failed(lambda *_, sent=sent: sent, "", None)

    def test_sizes_are_bounded(self):
        self.failed(lambda *_: answer(b"", length=10**12), "sends more than the 200,000 bytes", 1)
        body = rows(1).encode() + b"x" * 300_000

        def endless(connection):
            connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            while True:
                connection.sendall(body)
        self.failed(lambda *_: endless, "sends more than the 200,000 bytes", 1)

        def endless_headers(connection):
            connection.sendall(b"HTTP/1.1 200 OK\r\n")
            while True:
                connection.sendall(b"X-More: " + b"x" * 1000 + b"\r\n")
        self.failed(lambda *_: endless_headers, "", 1)

    def test_packed_lists_and_bombs(self):
        good = gzip.compress(rows(30).encode())
        self.came(lambda *_: answer(good, Content_Encoding="gzip"), 30)
        bomb = gzip.compress(rows(1).encode() + b"p5.48xlarge,H100,8,192,2048,50,,r,z\n" * 1_000_000)
        self.assertLess(len(bomb), 200_000)
        self.failed(lambda *_: answer(bomb, Content_Encoding="gzip"), "unpacks to more than any", 1)
        self.failed(lambda *_: answer(good[:-20], Content_Encoding="gzip"), "came damaged", 1)
        self.failed(lambda *_: answer(good, Content_Encoding="br"), "packed in a way that was not asked for", 1)


    def test_equal_rows_are_a_bomb_whatever_a_source_may_send(self):
        self.sources(source(**{"most[MB]": "64"}))
        equal = gzip.compress(rows(1).encode() + b"p5.48xlarge,H100,8,192,2048,50,,r,z\n" * 400_000, 9)
        self.failed(lambda *_: answer(equal, Content_Encoding="gzip"), "unpacks to more than any", 1)


class Answers(Fetch):
    def test_trouble_is_tried_again(self):
        for status in ("500 Oops", "502 Bad", "503 Busy", "429 Slow Down"):
            self.came(lambda _, number, status=status: answer("no", status) if number < 3 else answer(rows(2)), 2, 3)
        self.failed(lambda *_: answer("no", "503 Busy"), "answered 503", 3)

    def test_other_answers_are_not(self):
        for status, words in (("404 Gone", "may have moved"), ("403 No", "wants a key"), ("400 Bad", "answered 400"),
                              ("204 None", "answered 204"), ("206 Part", "answered 206"), ("304 Same", "answered 304"),
                              ("501 No", "answered 501"), ("999 What", "answered 999")):
            self.failed(lambda *_, status=status: answer("no" if status[0] in "459" else "", status), words, 1)

    def test_a_server_that_asks_to_wait_is_waited_for_within_bounds(self):
        begun = time.monotonic()
        self.came(lambda _, number: answer("no", "429 Slow", Retry_After="1") if number == 1 else answer(rows(2)), 2, 2)
        self.assertGreaterEqual(time.monotonic() - begun, 1)
        row, _ = self.failed(lambda *_: answer("no", "429 Slow", Retry_After="3600"), "asks to wait for 3,600 s", 1)

    def test_no_list(self):
        for body in ("<!DOCTYPE html><html><body>Log in</body></html>", "\n  <html>"):
            self.failed(lambda *_, body=body: answer(body, Content_Type="text/html"), "sends a web page instead of a list", 1)
        self.failed(lambda *_: answer(HEAD), "a list without rows", 1)
        self.failed(lambda *_: answer(HEAD + "m5.large,,,2,8,0.1,,r,z\n"), "no offer that can be used", 1)
        self.failed(lambda *_: answer(""), "", 1)

    def test_headers_of_any_kind(self):
        evil = "\x1b]0;owned\x07"
        row, _ = self.came(lambda *_: answer(rows(2), ETag=f'"{evil}"', Last_Modified=evil, Content_Type=evil), 2)
        self.failed(lambda *_: answer("no", f"404 {evil}"), "answered 404", 1)
        self.failed(lambda *_: b"I am no web server\r\n\r\n", "does not answer as a web server does", 1)

    def test_whatever_is_sent_one_line_comes_of_it(self):
        luck = random.Random(7)
        whole = bytearray(answer(rows(3), ETag='"x"', Content_Encoding="gzip"))
        answers = []
        for _ in range(40):
            mutant = bytearray(whole)
            for _ in range(luck.randrange(1, 8)):
                at = luck.randrange(len(mutant))
                mutant[at:at + luck.randrange(0, 5)] = luck.randbytes(luck.randrange(0, 5))
            answers.append(bytes(mutant))
        with Server(lambda request, _: answers[int(request.path[1:])]) as server:
            for i in range(len(answers)):
                self.run_fetch("test", "--url", f"test={server.url(f'/{i}')}", GPUPLAN_FETCH="stall=20,tries=1")


class Redirects(Fetch):
    def moved(self, to, status="302 Found"):
        return answer("", status, Location=to)

    def test_a_list_that_moved_is_followed(self):
        for status in ("301 Moved", "302 Found", "303 See", "307 There", "308 There"):
            self.came(lambda request, _, status=status: self.moved("/new", status) if request.path == "/list.csv"
                      else answer(rows(2)), 2, 2)

    def test_circles_and_long_ways_are_not(self):
        self.failed(lambda *_: self.moved("/list.csv"), "in a loop", 1)
        self.failed(lambda request, _: self.moved("/list.csv" if request.path == "/b" else "/b"), "in a loop", 2)
        self.failed(lambda _, number: self.moved(f"/{number}"), "redirects more than 5 times", 6)

    def test_where_nobody_may_be_sent(self):
        for to, words in (("http://example.com/list", "is not encrypted"), ("ftp://127.0.0.1/list", "cannot be used"),
                          ("file:///etc/passwd", "cannot be used"), ("http://user:pw@127.0.0.1/", "user name"),
                          ("http://127.0.0.1.example.com/", "is not encrypted")):
            row, _ = self.failed(lambda *_, to=to: self.moved(to), words, 1)
            self.assertNotIn("pw@", row["reason"])
        self.failed(lambda *_: answer("", "302 Found"), "answered 302", 1)

    def test_only_encrypted_addresses_are_asked(self):
        for url, words in (("http://example.com/", "use https://"), ("gopher://127.0.0.1/", "must begin with https://"),
                           ("https://me:secret@example.com/", "user name or password"), ("https://", "no host"),
                           ("http://127.evil.com/", "use https://"), ("https://a b/", "blank")):
            done = self.run_fetch("test", "--url", f"test={url}")
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)
            self.assertNotIn("secret", done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)


class Keys(Fetch):
    def setUp(self):
        super().setUp()
        self.sources(source(key="needed", key_as="bearer", keys="TEST_KEY|TEST_KEY_TOO"),
                     source("other", key="needed", key_as="header X-API-KEY", keys="OTHER_KEY"),
                     source("maybe", key="optional", key_as="bearer", keys="MAYBE_KEY"),
                     source("client", key="needed", key_as="client https://example.com/token", keys="THE_ID|THE_SECRET"))

    def key_file(self, text, mode=0o600):
        file = self.home / ".config" / "gpuplan" / "keys.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(mode)
        return file

    def test_a_key_of_the_environment_is_sent(self):
        for name in ("TEST_KEY", "TEST_KEY_TOO"):
            _, (request,) = self.came(lambda *_: answer(rows(2)), 2, **{name: KEY})
            self.assertEqual(request.headers["authorization"], f"Bearer {KEY}")
        _, (request,) = self.came(lambda *_: answer(rows(2)), 2, name="other", OTHER_KEY=f" {KEY}\n")
        self.assertEqual(request.headers["x-api-key"], KEY)
        _, (request,) = self.came(lambda *_: answer(rows(2)), 2, name="maybe")
        self.assertNotIn("authorization", request.headers)

    def test_a_key_of_a_file_is_sent_if_nobody_else_can_read_it(self):
        file = self.key_file(f'# mine\nTEST_KEY = "{KEY}"\n')
        _, (request,) = self.came(lambda *_: answer(rows(2)), 2)
        self.assertEqual(request.headers["authorization"], f"Bearer {KEY}")
        _, (request,) = self.came(lambda *_: answer(rows(2)), 2, TEST_KEY="of-the-environment")
        self.assertEqual(request.headers["authorization"], "Bearer of-the-environment")
        for mode in (0o644, 0o640, 0o620, 0o604):
            file.chmod(mode)
            done = self.run_fetch("test")
            self.assertEqual(done.returncode, 5)
            self.assertIn("chmod 600", done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_a_file_of_keys_that_is_wrong_is_told_without_them(self):
        for text, line in ((f"TEST_KEY = {KEY}\n", 1), (f'A = "b"\nTEST_KEY = "{KEY}\n', 2), (f'TEST_KEY = ["{KEY}"]', 1),
                           (f'[{KEY}\n', 1), (f'TEST_KEY = "{KEY}\\u0007"', 1), (f'TEST_KEY = "{KEY} {KEY}"', 1)):
            self.key_file(text)
            done = self.run_fetch("test")
            self.assertEqual(done.returncode, 5, text)
            self.assertIn("keys.toml", done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
        shutil.rmtree(self.home / ".config")
        folder = self.home / ".config" / "gpuplan"
        folder.mkdir(parents=True)
        os.mkfifo(folder / "keys.toml", 0o600)  # is not waited for
        self.assertEqual(self.run_fetch("test").returncode, 5)

    def test_a_key_that_could_end_a_header_is_refused(self):
        for key in (f"{KEY}\r\nX-More: 1", f"{KEY} {KEY}", f"{KEY}\x01", f"{KEY}\u00e9"):
            done = self.run_fetch("test", TEST_KEY=key)
            self.assertEqual(done.returncode, 5)
            self.assertIn("TEST_KEY", done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_a_key_goes_to_no_other_server(self):
        with Server(lambda *_: answer(rows(2))) as other:
            _, (first,) = self.came(lambda *_: answer("", "302 Found", Location=other.url()), 2, TEST_KEY=KEY)
            self.assertIn("authorization", first.headers)
            (second,) = other.requests
            self.assertNotIn("authorization", second.headers)
        _, requests = self.came(lambda request, _: answer("", "302 Found", Location="/b") if request.path == "/list.csv"
                                else answer(rows(2)), 2, 2, TEST_KEY=KEY)
        self.assertIn("authorization", requests[1].headers)

    def test_a_server_that_repeats_the_key_does_not_show_it(self):
        # run_fetch looks for the key in all that is printed.
        for reply in (answer(f"bad key {KEY}", "401 No"), answer(f"<html>{KEY}"), answer(f"{KEY},b\n1,2\n"),
                      answer("", "302 Found", Location=f"http://example.com/{KEY}?k={KEY}"),
                      answer("", "302 Found", Location=f"http://127.0.0.1:1/{KEY}"),
                      answer("", f"404 {KEY}"), answer(rows(1), Content_Encoding=KEY)):
            self.failed(lambda *_, reply=reply: reply, "", 1, TEST_KEY=KEY)
        self.failed(lambda *_: answer("", "401 No"), "refuses the key", 1, TEST_KEY=KEY)
        self.failed(lambda *_: answer("", "401 No"), "wants a key", 1, name="maybe")

    def test_client_and_secret_buy_a_token(self):
        def reply(request, _):
            if request.path != "/token":
                return answer(rows(2))
            asked = json.loads(request.body)
            self.assertEqual((request.method, asked["grant_type"]), ("POST", "client_credentials"))
            return answer(json.dumps({"access_token": f"token of {asked['client_id']}".replace(" ", "-")}))
        with Server(reply) as server:
            words = ("--url", f"client.token={server.url('/token')}")
            row = self.fetch(server, *words, name="client", THE_ID='me"\\', THE_SECRET=KEY)
            self.assertEqual(row["result"], "fetched", row["reason"])
            self.assertEqual(server.requests[1].headers["authorization"], 'Bearer token-of-me"\\')
            server.reply = lambda *_: answer(json.dumps({"error": KEY}))
            self.assertIn("gives no token", self.fetch(server, *words, name="client", THE_ID="me", THE_SECRET=KEY)["reason"])
            server.reply = lambda *_: answer(KEY, "401 No")
            self.assertIn("refuses the key", self.fetch(server, *words, name="client", THE_ID="me", THE_SECRET=KEY)["reason"])

    def test_without_a_key(self):
        with Server(lambda *_: answer(rows(2))) as server:
            self.assertIn("set TEST_KEY or TEST_KEY_TOO", self.fetch(server)["reason"])
            self.assertIn("set THE_ID and THE_SECRET", self.fetch(server, name="client", THE_ID="half")["reason"])
            self.assertEqual(server.requests, [])
            done = self.run_fetch("--json", "--url", f"maybe={server.url()}")  # not named: left out, which is no failure
            self.assertEqual(done.returncode, 0)
            results = {row["list"]: row["result"] for row in json.loads(done.stdout)["lists"]}
            self.assertEqual(results, {"test": "no key", "other": "no key", "maybe": "fetched", "client": "no key"})

    def test_what_is_kept_holds_no_key(self):
        self.key_file(f'OTHER_KEY = "{KEY}"\n')
        self.came(lambda *_: answer(rows(2), ETag=f'"{1}"'), 2, TEST_KEY=KEY)
        for file in self.home.rglob("*"):
            if file.is_file() and file.name != "keys.toml":
                self.assertNotIn(KEY.encode(), file.read_bytes(), file)

    def test_the_lists_are_shown_without_asking_anybody(self):
        for words in (("--list",), ("--dry-run",), ("--list", "--json"), ("--dry-run", "test", "--csv")):
            done = self.run_fetch(*words, TEST_KEY=KEY)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("https://example.com/list", done.stdout)
        keys = {row["list"]: row["key"] for row in json.loads(self.run_fetch("--list", "--json", TEST_KEY=KEY).stdout)["sources"]}
        self.assertEqual(keys, {"test": "set", "other": "not set", "maybe": "not set, works without", "client": "not set"})


class Pages(Fetch):
    """Pages are JSON; the lists here are told by their columns, so each page holds one in a format of its own."""

    def pages(self, rule, path, reply):
        self.sources(source(pages=rule, format=""))
        with Server(reply) as server:
            done = self.run_fetch("test", "--json", "--url", f"test={server.url(path)}")
            (row,) = json.loads(done.stdout)["lists"]
            return row, server.requests

    @staticmethod
    def page(**more):
        return answer(json.dumps({"Items": [], **more}))

    def test_pages_are_counted(self):
        row, requests = self.pages("count page size meta.total", "/l?page=1&size=100",
                                   lambda *_: self.page(meta={"total": 250}))
        self.assertEqual([request.query["page"] for request in requests], ["1", "2", "3"])

    def test_links_are_followed_on_the_same_server(self):
        def reply(request, number):
            return self.page(next=f"http://{request.headers['host']}/l?x={number} y" if number < 3 else None)
        row, requests = self.pages("link next", "/l", reply)
        self.assertEqual([request.target for request in requests], ["/l", "/l?x=1%20y", "/l?x=2%20y"])
        row, requests = self.pages("link next", "/l", lambda *_: self.page(next="https://example.com/l"))
        self.assertIn("goes on at another server", row["reason"])
        row, requests = self.pages("link next", "/l", lambda request, _: self.page(next=f"http://{request.headers['host']}/l"))
        self.assertIn("form a loop", row["reason"])
        row, requests = self.pages("link next", "/l", lambda request, number: self.page(
            next=f"http://{request.headers['host']}/l{'?odd' if number % 2 else ''}"))
        self.assertIn("form a loop", row["reason"])
        self.assertEqual(len(requests), 2)

    def test_cursors_are_followed(self):
        row, requests = self.pages("cursor at meta.next", "/l?n=5",
                                   lambda _, number: self.page(meta={"next": "a&b" if number == 1 else ""}))
        self.assertEqual([request.target for request in requests], ["/l?n=5", "/l?n=5&at=a%26b"])

    def test_a_page_that_is_none(self):
        for body in ("", "[]", "<html>", '{"meta":', '{"meta": {"total": "many"}}', "{}"):
            row, _ = self.pages("count page size meta.total", "/l?page=1&size=100", lambda *_, body=body: answer(body))
            self.assertEqual(row["result"], "failed", body)


class Long(Fetch):
    """More rows than are held at once go to the store as they are read."""

    def test_pages_together_are_one_list(self):
        self.sources(source(pages="link next", format="", **{"most[MB]": "16"}))

        def reply(request, number):
            items = [{"gpu": "H100", "gpus": 8, "provider": "aws", "region": f"r{number}-{i}", "price_per_hour": 50 + i / 10000}
                     for i in range(4000)]
            return answer(json.dumps({"items": items + items[:1],
                                      "next": f"http://{request.headers['host']}/l?p={number}" if number < 4 else None}))
        with Server(reply) as server:
            row = self.fetch(server)
        self.assertEqual((row["result"], row["rows_kept"], row["rows_rejected"]), ("fetched", 16000, 4), row["reason"])
        stored = run("prices", "export", **self.variables()).stdout.splitlines()
        self.assertEqual(len(stored), 16001)

    def test_one_that_breaks_off_leaves_the_others(self):
        self.sources(source("long", **{"most[MB]": "16"}), source("damaged", format="json", **{"most[MB]": "16"}), source("short"))
        records = ",".join('{"gpu":"L4","gpus":1,"provider":"aws","region":"d%d","price_per_hour":0.8}' % i for i in range(12000))
        lists = {"/long": rows(12000), "/damaged": '{"items":[' + records, "/short": rows(2)}
        with Server(lambda request, _: answer(lists[request.path])) as server:
            words = [word for name in ("long", "damaged", "short") for word in ("--url", f"{name}={server.url('/' + name)}")]
            done = self.run_fetch("--json", *words)
        told = {row["list"]: (row["result"], row.get("rows_kept")) for row in json.loads(done.stdout)["lists"]}
        self.assertEqual(told, {"long": ("fetched", 12000), "damaged": ("failed", None), "short": ("fetched", 2)}, done.stdout)
        status = json.loads(run("prices", "status", "--json", **self.variables()).stdout)
        self.assertNotIn("own JSON", json.dumps(status))


class Joined(Fetch):
    SHAPES = {"items": [
        {"name": "BM.GPU.H100.8", "status": "ACTIVE", "gpuQty": 8, "gpuMemoryQty": 640,
         "products": [{"partNumber": "B1", "qty": 112, "type": {"value": "ocpu"}}]},
        {"name": "VM.GPU.A10.1", "status": "ACTIVE", "allowPreemptible": True, "gpuQty": 1, "gpuMemoryQty": 24,
         "products": [{"partNumber": "B2", "qty": 15, "type": {"value": "ocpu"}}]}]}
    PRODUCTS = {"items": [
        {"partNumber": part, "metricName": "GPU Per Hour",
         "currencyCodeLocalizations": [{"currencyCode": "USD", "prices": [{"model": "PAY_AS_YOU_GO", "value": price}]}]}
        for part, price in (("B1", 10), ("B2", 2))]}

    def lists(self, first, second):
        replies = {"/first": json.dumps(first), "/second": json.dumps(second)}
        self.sources(source("oci", provider="oci", format="oci", date="today", url="https://e.com/first https://e.com/second"))
        with Server(lambda request, _: answer(replies[request.path])) as server:
            return self.fetch_both(server)

    def fetch_both(self, server):
        done = self.run_fetch("oci", "--url", f"oci={server.url('/first')}", "--url", f"oci={server.url('/second')}", "--json")
        return json.loads(done.stdout)["lists"][0]

    def test_machines_and_their_parts_are_joined_in_any_order(self):
        for one in ((self.SHAPES, self.PRODUCTS), (self.PRODUCTS, self.SHAPES)):
            row = self.lists(*one)
            self.assertEqual((row["result"], row["rows_kept"]), ("fetched", 2), row["reason"])
        stored = run("prices", "export", **self.variables()).stdout
        self.assertEqual(stored.count("VM.GPU.A10.1"), 1)
        self.assertRegex(stored, r"VM\.GPU\.A10\.1.*2.*1")

    def test_one_without_the_other_is_no_price_list(self):
        row = self.lists(self.SHAPES, self.SHAPES)
        self.assertEqual(row["result"], "failed")
        self.assertIn("whose prices stand in its list of products", row["reason"])

    def test_one_of_them_may_lie_on_the_disk(self):
        file = self.home / "shapes.json"
        file.write_text(json.dumps(self.SHAPES))
        with Server(lambda *_: answer(json.dumps(self.PRODUCTS))) as server:
            for words in ((str(file), server.url()), (server.url(), str(file))):
                done = run("prices", "import", *words, "--json", **self.variables())
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(json.loads(done.stdout)["kept"], 2)
            done = run("prices", "import", server.url(), **self.variables())
            self.assertEqual(done.returncode, 5)
            self.assertIn("is the list of products", done.stderr)


class Store(Fetch):
    """What came is in the store, and is not sent again as long as it is there."""

    def setUp(self):
        super().setUp()
        self.price = 50.0
        self.tags = {"ETag": '"one"', "Last_Modified": "Fri, 20 Nov 2026 07:28:00 GMT"}

    def reply(self, request, _):
        known = request.headers.get("if-none-match") == self.tags.get("ETag", "none") or \
            "if-modified-since" in request.headers
        return answer("", "304 Not Modified", **self.tags) if known else answer(rows(3, self.price), **self.tags)

    def test_a_list_that_has_not_changed_is_not_sent_again(self):
        with Server(self.reply) as server:
            first, second = self.fetch(server), self.fetch(server)
            self.assertEqual((first["result"], first["rows_kept"], first["before"]), ("fetched", 3, None))
            self.assertEqual((second["result"], second["date"], second["before"]), ("not changed", "2026-11-20", "2026-11-20"))
            self.assertEqual(server.requests[1].headers["if-none-match"], '"one"')
            self.assertEqual(server.requests[1].headers["if-modified-since"], self.tags["Last_Modified"])
            self.price, self.tags = 60.0, {"ETag": '"two"', "Last_Modified": "Sat, 21 Nov 2026 07:28:00 GMT"}
            server.reply = lambda request, number: answer(rows(3, self.price), **self.tags)
            third = self.fetch(server)
            self.assertEqual((third["result"], third["date"], third["before"]), ("fetched", "2026-11-21", "2026-11-20"))

    def test_it_is_sent_again_when_nobody_has_it(self):
        store, memory = self.home / "prices.db", self.home / "prices.db.fetched"
        for forget in (store.unlink, memory.unlink, lambda: memory.write_text("damaged"),
                       lambda: memory.write_text(memory.read_text().replace('"import":1', '"import":9').replace('"import": 1', '"import": 9'))):
            for file in (store, memory):
                file.unlink(missing_ok=True)
            with Server(self.reply) as server:
                self.fetch(server)
                self.assertTrue(store.is_file() and memory.is_file())
                forget()
                self.assertEqual(self.fetch(server)["result"], "fetched")
                self.assertNotIn("if-none-match", server.requests[-1].headers)

    def test_another_address_is_another_list(self):
        with Server(self.reply) as server, Server(self.reply) as other:
            self.fetch(server)
            self.assertEqual(self.fetch(other)["result"], "fetched")

    def test_what_failed_is_not_remembered_and_changes_nothing(self):
        with Server(self.reply) as server:
            self.fetch(server)
            before = (self.home / "prices.db").read_bytes(), (self.home / "prices.db.fetched").read_text()
            self.price, self.tags = 0, {"ETag": '"two"'}
            server.reply = lambda *_: answer(rows(3)[:-20] + "\x00\xff", ETag='"two"')
            for reply in (lambda *_: answer(HEAD, ETag='"two"'), lambda *_: answer("<html>", ETag='"two"'),
                          lambda *_: answer("no", "404 No", ETag='"two"')):
                server.reply = reply
                self.assertEqual(self.fetch(server)["result"], "failed")
            after = (self.home / "prices.db").read_bytes(), (self.home / "prices.db.fetched").read_text()
            self.assertEqual(before, after)

    def test_a_store_that_can_not_be_used_is_told_before_anything_is_asked(self):
        (self.home / "prices.db").write_text("a letter to my aunt, and no store of prices at all" * 10)
        with Server(self.reply) as server:
            done = self.run_fetch("test", "--url", f"test={server.url()}")
            self.assertEqual((done.returncode, server.requests), (5, []))
            done = self.run_fetch("test", "--url", f"test={server.url()}", GPUPLAN_STORE="")
            self.assertEqual((done.returncode, server.requests), (2, []))

    def test_offers_that_came_are_planned_with(self):
        with Server(self.reply) as server:
            self.fetch(server)
        done = run("offers", "H100", "region=region-1", "--json", **self.variables())
        prices = [row["price_usd_per_hour"] for row in json.loads(done.stdout)["offers"] if row["region"] == "region-1"]
        self.assertEqual(prices, [50.01])


class Imports(Fetch):
    def test_an_address_is_imported(self):
        with Server(lambda *_: answer(rows(3), Last_Modified="Fri, 20 Nov 2026 07:28:00 GMT")) as server:
            url = server.url("/aws/vms.csv?token=" + KEY)
            done = run("prices", "import", url, "--json", **self.variables())
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn(KEY, done.stdout + done.stderr)
            self.assertEqual(server.requests[0].query["token"], KEY)
            done = run("prices", "import", url, "--as-of", "2026-10-01", "--dry-run", **self.variables())
            self.assertEqual(done.returncode, 0, done.stderr)
            for file in self.home.rglob("prices*"):
                self.assertNotIn(KEY.encode(), file.read_bytes())

    def test_an_address_that_can_not_be_had(self):
        with Server(lambda *_: answer("no", "404 No")) as server:
            for url, code in ((server.url("/x?token=" + KEY), 5), ("http://example.com/?token=" + KEY, 5),
                              ("https://me:" + KEY + "@example.com/", 2), ("http://", 2)):
                done = run("prices", "import", url, **self.variables())
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertNotIn(KEY, done.stdout + done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)


class Several(Fetch):
    def test_one_that_fails_does_not_stop_the_others(self):
        self.sources(source("one"), source("two"), source("three"), source("large", asked="by name"))
        with Server(lambda request, _: answer("no", "404 No") if request.path == "/two" else answer(rows(4))) as server:
            words = [word for name in ("one", "two", "three", "large")
                     for word in ("--url", f"{name}={server.url('/' + name)}")]
            done = self.run_fetch("--json", *words)
            self.assertEqual(done.returncode, 5)
            results = {row["list"]: row["result"] for row in json.loads(done.stdout)["lists"]}
            self.assertEqual(results, {"one": "fetched", "two": "failed", "three": "fetched"})
            done = self.run_fetch(*words)
            self.assertIn("Fetched 8 offers in 2 lists; 1 list failed.", done.stdout)
            self.assertEqual(self.run_fetch("large", "one", *words).returncode, 0)

    def test_parts_and_versions(self):
        self.sources(source("parts", provider="{part}", parts="aws|azure", url="https://example.com/{part}/{version}/list",
                            version_url="https://example.com/{part}/version"))
        with Server(lambda request, _: answer("20261120-1\n") if request.path.endswith("version") else answer(rows(2))) as server:
            words = ("--url", f"parts={server.url('/{part}/{version}/list')}", "--url", f"parts.version={server.url('/{part}/version')}")
            self.assertEqual(self.run_fetch(*words).returncode, 0)
            self.assertEqual([request.path for request in server.requests],
                             ["/aws/version", "/aws/20261120-1/list", "/azure/version", "/azure/20261120-1/list"])
            server.requests.clear()
            self.assertEqual(self.run_fetch("azure", *words).returncode, 0)
            self.assertEqual(len(server.requests), 2)
            for version in ("../../etc", "<html>", "", "a b"):
                server.reply = lambda *_, version=version: answer(version)
                self.assertIn("does not hold a version", self.run_fetch("parts/aws", *words).stdout.replace("\n", " "))

    def test_names_that_nothing_has(self):
        for words in (("azzure",), ("--url", "nothing=http://127.0.0.1/"), ("--url", "test"), ("--url", "test.more=http://127.0.0.1/")):
            done = self.run_fetch(*words)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_nobody_there(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        row = json.loads(self.run_fetch("test", "--json", "--url", f"test=http://127.0.0.1:{port}/").stdout)["lists"][0]
        self.assertIn("cannot be reached", row["reason"])


MAKING = threading.Lock()
CERTIFICATES = {}


def certificate(whom):
    """A file with a certificate for this name that nobody else vouches for, and its key."""
    with MAKING:
        if whom not in CERTIFICATES:
            folder = tempfile.mkdtemp()
            atexit.register(shutil.rmtree, folder)
            file, key = Path(folder) / "certificate.pem", Path(folder) / "key.pem"
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                            "-days", "30", "-subj", "/CN=test", "-addext", f"subjectAltName={whom}", "-keyout", key,
                            "-out", file], check=True, capture_output=True)
            file.write_text(file.read_text() + key.read_text())
            CERTIFICATES[whom] = file
        return CERTIFICATES[whom]


class Encrypted(Fetch):
    certificate = property(lambda self: certificate("IP:127.0.0.1"))
    of_another = property(lambda self: certificate("DNS:example.com"))

    def test_certificates_are_verified(self):
        with Server(lambda *_: answer(rows(2)), self.certificate) as server:
            row = self.fetch(server)
            self.assertIn("is not trusted: its certificate is not valid", row["reason"])
            self.assertEqual(server.requests, [])
            self.assertEqual(self.fetch(server, SSL_CERT_FILE=str(self.certificate))["result"], "fetched")
        with Server(lambda *_: answer(rows(2)), self.of_another) as server:
            row = self.fetch(server, SSL_CERT_FILE=str(self.of_another))
            self.assertIn("is not trusted", row["reason"])
            self.assertEqual(server.requests, [])

    def test_nobody_is_sent_from_an_encrypted_server_to_one_that_is_not(self):
        with Server(lambda *_: answer(rows(2))) as plain:
            with Server(lambda *_: answer("", "302 Found", Location=plain.url()), self.certificate) as server:
                row = self.fetch(server, SSL_CERT_FILE=str(self.certificate))
                self.assertIn("which is not encrypted", row["reason"])
                self.assertEqual(plain.requests, [])

    def test_proxies_of_the_environment_are_used(self):
        with Server(lambda *_: answer(rows(2))) as proxy:
            with Server(lambda *_: answer(rows(3))) as server:
                self.assertEqual(self.fetch(server, http_proxy=proxy.url(""))["rows_kept"], 2)
                self.assertEqual(proxy.requests[0].target, server.url())
                self.assertEqual(server.requests, [])
                row = self.fetch(server, http_proxy=proxy.url(""), no_proxy="127.0.0.1")
                self.assertEqual((row["rows_kept"], len(proxy.requests)), (3, 1))

    def test_an_encrypted_server_behind_a_proxy_is_verified_too(self):
        def tunnel(request, _):
            def pass_on(connection):
                host, _, port = request.target.rpartition(":")
                with socket.create_connection((host, int(port))) as far:
                    connection.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
                    pump = threading.Thread(target=copy, args=(connection, far), daemon=True)
                    pump.start()
                    copy(far, connection)
                    pump.join(1)
            return pass_on

        def copy(one, other):
            try:
                while piece := one.recv(65536):
                    other.sendall(piece)
                other.shutdown(socket.SHUT_WR)
            except OSError:
                pass
        with Server(tunnel) as proxy, Server(lambda *_: answer(rows(2)), self.certificate) as server:
            there = {"https_proxy": proxy.url("")}
            self.assertIn("is not trusted", self.fetch(server, **there)["reason"])
            self.assertEqual(self.fetch(server, SSL_CERT_FILE=str(self.certificate), **there)["result"], "fetched")
            self.assertEqual({request.method for request in proxy.requests}, {"CONNECT"})


class Library(Fetch):
    def libraries(self, *words):
        done = subprocess.run([PROGRAM, *words], cwd=ROOT, env=environment(**self.variables(LD_DEBUG="libs")),
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        return done.stderr.decode(errors="replace")

    def test_only_fetching_loads_libcurl(self):
        for words in (("--version",), ("offers", "H100"), ("prices", "--help"), ("prices", "fetch", "--list"),
                      ("plan", "--model", "Qwen2.5-7B", "--tokens", "10M", "--method", "lora")):
            said = self.libraries(*words)
            self.assertIn("libc.so", said)
            self.assertNotIn("libcurl", said)
        with Server(lambda *_: answer(rows(2))) as server:
            self.assertIn("libcurl", self.libraries("prices", "fetch", "skypilot/aws", "--url", f"skypilot={server.url()}"))

    def test_without_libcurl_one_line_says_what_to_install(self):
        libraries = self.home / "libraries"
        libraries.mkdir()
        for name in ("libcurl.so.4", "libcurl-gnutls.so.4"):
            (libraries / name).write_bytes(b"no library")
        done = self.run_fetch("test", "--url", "test=http://127.0.0.1:1/", LD_LIBRARY_PATH=str(libraries))
        self.assertEqual(done.returncode, 5)
        self.assertIn("apt install libcurl4", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)


class BuiltIn(unittest.TestCase):
    def test_the_table_of_the_program_can_be_read(self):
        done = run("prices", "fetch", "--list", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        sources = {row["list"]: row for row in json.loads(done.stdout)["sources"]}
        self.assertLessEqual({"skypilot", "gpuhunt", "azure", "aws-list", "vultr", "runpod", "lambda", "vast", "primeintellect",
                              "shadeform", "verda"}, set(sources))
        self.assertFalse(sources["aws-list"]["fetched_unnamed"])  # half a gigabyte a region
        named = run("prices", "fetch", "aws", "--dry-run", "--json").stdout  # nor with the provider
        self.assertEqual({row["list"] for row in json.loads(named)["sources"]}, {"skypilot/aws", "gpuhunt/aws", "aws-spot"})


if __name__ == "__main__":
    main(__doc__, at_once=6)
