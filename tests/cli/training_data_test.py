#!/usr/bin/env python3
"""What training programs make of DATA: files of every kind, names of the hub, rows of every form; and what they say of others.

    tests/cli/training_data_test.py build/release/gpuplan [unittest options]

datasets is that of stand_ins/. Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from program import ROOT, main

TEMPLATES = ROOT / "src" / "launch" / "templates"
STAND_INS = ROOT / "tests" / "cli" / "stand_ins"
NO = -100  # not learnt

PROGRAM = """
import json, os, sys
import data_rows, data_sources, training_data

class Tokenizer:
    # Words are numbers, 0 ends a text, and a message begins with 9.
    eos_token_id, eos_token, name_or_path = 0, "</s>", "numbers"
    chat_template = None if os.environ.get("BASE") else "9"
    vocabulary = {}
    def __len__(self):
        return 10
    def get_vocab(self):
        return self.vocabulary
    def __call__(self, text, add_special_tokens=True):
        one = lambda words: {"input_ids": [int(word) for word in words.split()]}
        return {"input_ids": [one(each)["input_ids"] for each in text]} if isinstance(text, list) else one(text)
    def apply_chat_template(self, messages, tokenize, add_generation_prompt=False):
        assert self.chat_template
        if os.environ.get("THINKS"):  # as Qwen 3: 7 8 are thoughts, shown before the last answer only; 5 ends what anybody says
            return " ".join(self.turn(m, m is messages[-1]) for m in messages) + (" 9" if add_generation_prompt else "")
        return " ".join("9 " + m["content"] for m in messages) + (" 9" if add_generation_prompt else "")
    def turn(self, message, last):
        shown = message["content"] if last else os.environ["THINKS"].format(message["content"])
        return f"6 {message['content']} 5" if message["role"] == "user" else f"9 7 8 {shown} 5" if last else f"9 {shown} 5"
    def save_pretrained(self, folder):
        pass

tokenizer = Tokenizer()
"""

PIECES = PROGRAM + """
pieces = training_data.Pieces(tokenizer)
found = list(pieces.add(json.loads(sys.argv[1])))
print(json.dumps([found, training_data.batch(found, 7) if found else None, pieces.tokens]))
"""

FIRST = """
import runpy
runpy.run_path("files/first_row.py", run_name="__main__")
"""

READ = PROGRAM + """
streaming = sys.argv[1] == "stream"
rows, held_out = data_sources.load_both(streaming)
training_data.prepared(rows, tokenizer)
print(json.dumps([list(rows), held_out and list(held_out), tokenizer.chat_template]))
"""


class Data(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.place = Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)

    def python(self, program, *words, code=0, settings=None, **variables):
        """Standard output of a program beside the templates; what it says on stderr where it ends with another code."""
        folder = self.place / "files"
        folder.mkdir(exist_ok=True)
        for template in TEMPLATES.glob("*.py"):
            link = folder / template.name
            if not link.exists():
                link.symlink_to(template)
        # phase_parts.py looks for the settings where it lies itself.
        (folder / "phase_parts.py").unlink()
        (folder / "phase_parts.py").write_text((TEMPLATES / "phase_parts.py").read_text(encoding="utf-8"), encoding="utf-8")
        (folder / "settings.json").write_text(json.dumps({"sequence": 8, "packing": False, "separate": False, "seed": 1,
                                                          "attention": {"implementation": "sdpa"}, **(settings or {})}))
        done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, timeout=60, check=False, cwd=self.place,
                              env={"PATH": os.environ["PATH"], "GPUPLAN_RUN_DIR": str(self.place), "PYTHONDONTWRITEBYTECODE": "1",
                                   "PYTHONPATH": f"{folder}:{STAND_INS}", "HUB": str(self.place / "hub"), **variables})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def refused(self, *words, program=READ, **more):
        said = self.python(program, *(words or ("whole",)), code=78, **more)
        self.assertEqual(said.count("\n"), 1, said)
        return said

    def write(self, name, text):
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if isinstance(text, str) else "".join(json.dumps(row) + "\n" for row in text), encoding="utf-8")
        return str(path)


class Sequences(Data):
    """Rows become sequences."""

    def made(self, rows, packing=False, length=4, **more):
        settings = {"sequence": length, "packing": packing, **more.pop("settings", {})}
        return json.loads(self.python(PIECES, json.dumps(rows), settings=settings, **more).splitlines()[-1])

    def test_packed_texts_have_no_gap(self):
        found, batch, left = self.made([{"text": "1 2 3"}, {"text": "4 5 6 7 8"}], True)
        self.assertEqual([tokens for tokens, _ in found], [[1, 2, 3, 0], [4, 5, 6, 7]])
        self.assertEqual(left, [8, 0], "the rest waits")
        self.assertEqual(batch["attention_mask"], [[1] * 4] * 2)

    def test_single_ones_are_cut_and_padded(self):
        found, batch, left = self.made([{"text": "1"}, {"text": "4 5 6 7 8"}])
        self.assertEqual([tokens for tokens, _ in found], [[1, 0], [4, 5, 6, 7]])
        self.assertEqual(batch["input_ids"], [[1, 0, 7, 7], [4, 5, 6, 7]])
        self.assertEqual(batch["labels"][0], [1, 0, NO, NO])
        self.assertEqual(batch["attention_mask"][0], [1, 1, 0, 0])
        self.assertEqual(left, [])

    def test_samples_stay_apart_in_a_sequence(self):
        rows = [{"text": "1 2"}, {"text": "3 4 5 6"}, {"text": "7"}]
        found, batch, left = self.made(rows, True, settings={"separate": True})
        self.assertEqual(found, [[[1, 2, 0, 3], [NO, 2, 0, NO], [0, 1, 2, 0]], [[4, 5, 6, 0], [4, 5, 6, 0], [0, 1, 2, 3]]],
                         "positions begin anew with each sample and with the rest of one that is cut")
        self.assertEqual(left, [7, 0])
        self.assertNotIn("attention_mask", batch, "attention goes by the positions")
        self.assertEqual(batch["position_ids"], [[0, 1, 2, 0], [0, 1, 2, 3]])
        # FlashAttention finds the ends in one row only; no label crosses them.
        _, batch, _ = self.made(rows, True, settings={"separate": True, "attention": {"implementation": "flash_attention_2"}})
        self.assertEqual(batch["position_ids"], [[0, 1, 2, 0, 0, 1, 2, 3]])
        self.assertEqual(batch["labels"], [[NO, 2, 0, NO, NO, 5, 6, 0]])

    def test_only_answers_are_learnt(self):
        found, _, _ = self.made([{"prompt": "1 2", "completion": " 3"}])
        self.assertEqual(found, [[[1, 2, 3, 0], [NO, NO, 3, 0]]])
        talk = [{"role": "user", "content": "1"}, {"role": "assistant", "content": "2 3"}]
        expected = [[[9, 1, 9, 2, 3], [NO, NO, NO, 2, 3]]]
        for row in ({"messages": talk}, {"prompt": talk[:1], "completion": talk[1:]}, {"instruction": "1", "input": "", "output": "2 3"},
                    {"conversations": [{"from": "human", "value": "1"}, {"from": "gpt", "value": "2 3"}]}):
            with self.subTest(row=row):
                self.assertEqual(self.made([row], length=8)[0], expected)
        found, _, _ = self.made([{"instruction": "1", "input": "4", "output": "2", "text": "5"}], length=8)
        self.assertEqual(found, [[[9, 1, 4, 9, 2], [NO, NO, NO, NO, 2]]], "Alpaca's text column is the same once more")

    def test_all_answers_of_a_conversation_are_learnt(self):
        said = [("system", "6"), ("user", "1"), ("assistant", "2 3"), ("user", "4"), ("assistant", "5")]
        talk = {"messages": [{"role": role, "content": content} for role, content in said]}
        found, _, _ = self.made([talk], length=16)
        self.assertEqual(found, [[[9, 6, 9, 1, 9, 2, 3, 9, 4, 9, 5], [NO, NO, NO, NO, NO, 2, 3, NO, NO, NO, 5]]])

    ASKED, SAID = {"role": "user", "content": "1"}, {"role": "assistant", "content": "2 3"}

    def test_what_generation_answered_is_learnt_and_never_the_question(self):
        row = {"id": 0, "messages": [self.ASKED], "completion": "2 3", "new_tokens": 2}
        learnt = [[[9, 1, 9, 2, 3], [NO, NO, NO, 2, 3]]]
        for one in (row, {**row, "messages": [self.ASKED, self.SAID], "completion": "4"}):
            self.assertEqual(self.made([one], length=8)[0], learnt)
        longer = {**row, "messages": [self.ASKED, self.SAID, {"role": "user", "content": "4"}], "completion": "5"}
        self.assertEqual(self.made([longer], length=16)[0], [[[9, 1, 9, 2, 3, 9, 4, 9, 5], [NO, NO, NO, 2, 3, NO, NO, NO, 5]]])
        self.assertEqual(self.made([{"text": "1 2", "completion": " 3", "new_tokens": 1}])[0], [[[1, 2, 3, 0], [NO, NO, 3, 0]]])
        for nothing in ({"messages": [self.ASKED]}, {**row, "completion": ""}):
            for packing in (False, True):
                self.assertEqual(self.made([nothing, row], packing, length=5)[0], learnt, "no row of its own, and no label")

    def test_earlier_answers_are_learnt_where_the_template_drops_their_thoughts(self):
        """The whole text no longer begins with what was shown when they were the last; the question is no answer either."""
        talk = {"messages": [self.ASKED, self.SAID, {"role": "user", "content": "4"}, {"role": "assistant", "content": "1"}]}
        tokens = [6, 1, 5, 9, 2, 3, 5, 6, 4, 5, 9, 7, 8, 1, 5]
        found, _, _ = self.made([talk], length=16, THINKS="{}")
        self.assertEqual(found, [[tokens, [NO] * 5 + [3, 5] + [NO] * 4 + [7, 8, 1, 5]]],
                         "from its second word: the first would teach to answer without a thought")
        found, _, _ = self.made([talk], length=16, THINKS="0")
        self.assertEqual(found[0][1], [NO] * (len(found[0][0]) - 4) + [7, 8, 1, 5], "what is not shown is not learnt")

    def test_models_without_a_template_get_one_and_it_is_said(self):
        talk = {"messages": [{"role": "user", "content": "1"}, {"role": "assistant", "content": "2 3"}]}
        said = self.python(PIECES, json.dumps([talk]), BASE="1")
        self.assertIn("no chat template, as base models have none", said)
        self.assertIn("CHAT_TEMPLATE=FILE", said)
        self.assertNotIn("template", self.python(PIECES, json.dumps([{"text": "1"}]), BASE="1"))


MADE = PROGRAM + """
import trl_columns
rows, held_out = data_sources.load_both(False)
training_data.prepared(rows, tokenizer)
made = training_data.tokens_of(rows, tokenizer, trl_columns.columns)
training_data.tell_epochs(made)
print(json.dumps(made.rows))
"""


class Told(Data):
    """The log says what became of the rows: nobody would know of those that are cut."""

    thinks = ""

    def told(self, rows, **settings):
        (self.place / "trl_columns.py").write_text(
            "def columns(pieces, separate):\n    return {'input_ids': [piece[0] for piece in pieces], 'labels': [piece[1] for piece in pieces]}\n")
        said = self.python(MADE, DATA=self.write("a.jsonl", rows), THINKS=self.thinks, PYTHONPATH=f"{self.place / 'files'}:{STAND_INS}:{self.place}",
                           settings={"sequence": 4, "steps": 6, "batch": 2, "epochs": 3, **settings}).splitlines()
        return said[1:-1], json.loads(said[-1])

    def test_rows_that_are_cut_or_left_out(self):
        said, made = self.told([{"prompt": "1", "completion": " 2"}, {"prompt": "1 2", "completion": " 3 4 5"}, {"prompt": "1 2 3 4 5", "completion": " 6"},
                                {"prompt": "1", "completion": " 2 3"}])
        self.assertEqual(said[0], "data (DATA): 1 of 3 rows are longer than 4 tokens and were cut there (sequence: in the job takes longer ones); "
                                  "1 more have nothing to learn before the cut, and are left out")
        self.assertEqual([row["input_ids"] for row in made], [[1, 2, 0], [1, 2, 3, 4], [1, 2, 3, 0]])
        self.assertEqual({name for row in made for name in row}, {"input_ids", "labels"})
        said, _ = self.told([{"prompt": "1", "completion": " 2"}])
        self.assertEqual(said[0], "data (DATA): 0 of 1 rows are longer than 4 tokens and were cut there")

    def test_rows_without_an_answer_and_answers_that_are_not_shown(self):
        asked = [{"role": "user", "content": "1"}]
        talk = asked + [{"role": "assistant", "content": "2"}, {"role": "user", "content": "3"}, {"role": "assistant", "content": "4"}]
        self.thinks = "0"
        for packing in (False, True):
            with self.subTest(packing=packing):
                said, made = self.told([{"messages": asked}, {"messages": talk}, {"messages": asked}], sequence=12, packing=packing, separate=False)
                self.assertIn("data (DATA): 2 rows hold no answer, and are left out", said)
                self.assertIn("data (DATA): 1 answers before the last one of their conversations are not learnt: the chat template shows them "
                              "otherwise than they were given", said)
                self.assertEqual(({name for row in made for name in row}, len(made)), ({"input_ids", "labels"}, 1))
                self.assertFalse(any("nothing to learn before the cut" in line for line in said))

    def test_rows_that_all_hold_no_answer_are_refused(self):
        for packing in (False, True):
            with self.assertRaises(AssertionError) as refused:
                self.told([{"messages": [{"role": "user", "content": "1 2 3"}]}] * 3, packing=packing)
            self.assertIn("DATA: no row holds an answer, and there is nothing to learn: expected a message of the role \"assistant\", or "
                          "\"completion\" beside \"messages\"\n", str(refused.exception))

    def test_how_often_the_plan_goes_through_them(self):
        rows = [{"text": str(at)} for at in range(1, 9)]
        self.assertEqual(self.told(rows)[0][1], "data (DATA): 8 sequences, which the plan's 6 steps of 2 go through 1.50 times (planned: 4, 3 times)")
        said, made = self.told(rows, packing=True, epochs=0)
        self.assertEqual((said, len(made)), (["data (DATA): 4 sequences, which the plan's 6 steps of 2 go through 3.00 times"], 4))


class Sources(Data):
    """DATA names files or a data set of the hub."""

    ROWS = [{"text": "1 2"}, {"text": "3"}]

    def read(self, data, how="whole", **more):
        return json.loads(self.python(READ, how, DATA=data, **more).splitlines()[-1])

    def test_files_of_every_kind(self):
        for name, text in (("a.jsonl", self.ROWS), ("a.json", json.dumps(self.ROWS)), ("a.parquet", self.ROWS), ("a.txt", "1 2\n\n\n3"),
                           ("UPPER.JSONL", self.ROWS)):
            for how in ("whole", "stream"):
                with self.subTest(name=name, how=how):
                    self.assertEqual([row["text"].strip() for row in self.read(self.write(name, text), how)[0]], ["1 2", "3"])

    def test_a_folder_of_files(self):
        self.write("rows/b/2.jsonl", self.ROWS[1:])
        self.write("rows/1.jsonl", self.ROWS[:1])
        self.write("rows/README.rst", "not read")
        self.assertEqual(self.read(str(self.place / "rows"))[0], self.ROWS)
        self.write("rows/3.txt", "4")
        self.assertIn("files of several kinds (json, text)", self.refused(DATA=str(self.place / "rows")))
        self.assertIn("no file with an ending of .jsonl", self.refused(DATA=str((self.place / "empty").mkdir() or self.place / "empty")))

    def test_names_of_the_hub(self):
        self.write("hub/owner/name/train.jsonl", self.ROWS)
        self.write("hub/owner/name/some.jsonl", self.ROWS[:1])
        self.assertEqual(self.read("owner/name")[0], self.ROWS)
        self.assertEqual(self.read("owner/name:some")[0], self.ROWS[:1])
        self.assertEqual(self.read("owner/name", DATA_SPLIT="some")[0], self.ROWS[:1])
        said = self.refused(DATA="owner/other")
        self.assertIn("DATA: owner/other cannot be read: Dataset 'owner/other' doesn't exist on the Hub (of the hub: DATA_CONFIG", said)

    def test_what_is_no_name_is_said_before_the_hub_is_asked(self):
        for data in ("rows.jsonl", "/none/rows", "", "two words"):
            self.assertIn("neither a file or folder here nor a name of the Hugging Face hub", self.refused(DATA=data))
        self.assertIn("of no kind that is known", self.refused(DATA=self.write("rows.csv", "a,b")))

    def test_columns_that_do_not_fit_are_named(self):
        said = self.refused(DATA=self.write("a.jsonl", [{"question": "1", "answer": "2"}]))
        self.assertIn('DATA: a row has "answer", "question"; expected "text"; "prompt" and "completion"; "messages"', said)
        for bad in ("hello", [], [{"role": "user"}], [{"role": "user", "content": None}]):
            said = self.refused(DATA=self.write("b.jsonl", [{"messages": bad}]))
            self.assertIn('"messages" of a row is no list of texts with "role" and "content"' if bad else "a row", said)
        self.assertIn("cannot be read: Expecting", self.refused(DATA=self.write("d.jsonl", '{"text": ')))
        self.assertIn("no rows", self.refused(DATA=self.write("c.jsonl", "")))

    def test_what_is_seen_or_heard_is_never_passed_over(self):
        """The texts alone would be learnt, and the model never see what they speak of."""
        talk = [{"role": "user", "content": "1"}, {"role": "assistant", "content": "2"}]
        for name in ("image", "images", "video", "videos", "audio", "audios"):
            said = self.refused(DATA=self.write("a.jsonl", [{"messages": talk, name: ["picture.png"]}]))
            self.assertIn(f'DATA: a row has "{name}", and the texts alone would be learnt', said)
            self.assertIn(f'"{name}"', self.python(FIRST, "messages", code=78, DATA=self.write("b.jsonl", [{"messages": talk, name: "x"}])))
        self.assertIn("whole texts", self.python(READ, "whole", DATA=self.write("c.jsonl", [{"text": "1", "images": []}])))
        seen = [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "1"}]}, talk[1]]
        self.assertIn("holds more than text", self.refused(DATA=self.write("d.jsonl", [{"messages": seen}])))
        pair = {"chosen": seen, "rejected": seen}
        self.assertIn("holds more than text", self.python(READ, "whole", code=78, settings={"objective": "dpo"}, DATA=self.write("e.jsonl", [pair])))

    def test_the_first_row_of_what_another_program_reads(self):
        talk = [{"role": "user", "content": "1"}, {"role": "assistant", "content": "2"}]
        self.python(FIRST, "messages", DATA=self.write("a.jsonl", [{"messages": talk}]))
        said = self.python(FIRST, "messages", code=78, DATA=self.write("b.jsonl", [{"text": "1"}]))
        self.assertIn('a row has no "messages" (it reads as "text")', said)

    def test_what_generation_answered_is_written_for_programs_that_read_messages_alone(self):
        """axolotl and LLaMA-Factory pass over "completion", and would have no answer to learn."""
        asked, written = [{"role": "user", "content": "1\u2028"}], self.place / "answered.jsonl"
        rows = [{"id": 0, "messages": asked, "completion": "2", "new_tokens": 1}, {"id": 1, "messages": asked, "completion": "3"}]
        self.assertIn(str(written), self.python(FIRST, "messages", DATA=self.write("a.jsonl", rows)))
        self.assertEqual([json.loads(line)["messages"][-1] for line in written.read_text(encoding="utf-8").split("\n") if line],
                         [{"role": "assistant", "content": text} for text in "23"])
        self.assertEqual([path.name for path in self.place.glob("answered*")], ["answered.jsonl"])
        said = self.python(FIRST, "messages", code=78, DATA=self.write("b.jsonl", [{"messages": asked}]))
        self.assertIn('DATA: the first row holds no answer: expected a message of the role "assistant"', said)
        talk = asked + [{"role": "assistant", "content": "2"}]
        self.python(FIRST, "messages", DATA=self.write("c.jsonl", [{"messages": talk}]))
        self.assertFalse(written.exists(), "those were of other rows")

    def test_what_is_learnt_is_said(self):
        for row, text in (({"text": "1"}, "whole texts are learnt"), ({"prompt": "1", "completion": "2"}, "completions are learnt"),
                          ({"instruction": "1", "output": "2"}, "outputs are learnt")):
            self.assertIn(text, self.python(READ, "whole", DATA=self.write("a.jsonl", [row])))

    def test_rows_to_evaluate_on(self):
        rows = [{"text": str(i)} for i in range(500)]
        data = self.write("a.jsonl", rows)
        for how, least, most in (("whole", 10, 10), ("stream", 3, 25)):
            train, held_out, _ = self.read(data, how, settings={"eval_steps": 10})
            self.assertTrue(least <= len(held_out) <= most, len(held_out))
            self.assertEqual(sorted(int(row["text"]) for row in train + held_out), list(range(500)))
            self.assertEqual(self.read(data, how, settings={"eval_steps": 10}), [train, held_out, "9"], "each start keeps the same ones out")
            again = self.read(self.write("b.jsonl", rows[::-1]), how, settings={"eval_steps": 10})
            if how == "stream":
                self.assertEqual(again[1], held_out[::-1], "in whatever order they come")
            train, held_out, _ = self.read(data, how, settings={"eval_steps": 10}, EVAL_DATA=self.write("e.jsonl", self.ROWS))
            self.assertEqual((train, held_out), (rows, self.ROWS))
            self.assertEqual(self.read(data, how)[:2], [rows, None])
        self.assertIn("too few rows to keep some", self.refused("stream", DATA=self.write("one.jsonl", rows[:1]), settings={"eval_steps": 10}))
        self.assertIn("name others in EVAL_DATA", self.refused(DATA=self.write("one.jsonl", rows[:1]), settings={"eval_steps": 10}))
        self.assertIn("EVAL_DATA: 'none.jsonl' is neither", self.refused(DATA=data, EVAL_DATA="none.jsonl", settings={"eval_steps": 10}))

    def test_a_template_of_ones_own(self):
        data = self.write("a.jsonl", [{"instruction": "1", "output": "2"}])
        self.assertEqual(self.read(data, CHAT_TEMPLATE=self.write("t.jinja", "mine"))[2], "mine")
        self.assertIn("CHAT_TEMPLATE: none.jinja is no file", self.refused(DATA=data, CHAT_TEMPLATE="none.jinja"))


class Templates(Data):
    """The two templates for base models, as transformers renders them."""

    RENDER = """
import jinja2.sandbox, json, os, sys
import chat_template
class Tokenizer:
    chat_template = None
    def get_vocab(self):
        return json.loads(os.environ["VOCABULARY"])
tokenizer = chat_template.with_template(Tokenizer())
template = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True).from_string(tokenizer.chat_template)
talk = [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]
marks = {"eos_token": "</s>", "bos_token": "<s>"} if os.environ.get("MARKS") else {}
print(json.dumps([template.render(messages=talk, add_generation_prompt=False, **marks), template.render(messages=talk[:2], add_generation_prompt=True, **marks)]))
"""

    def rendered(self, vocabulary, **more):
        return json.loads(self.python(self.RENDER, VOCABULARY=json.dumps(vocabulary), **more).splitlines()[-1])

    def test_words_that_every_tokenizer_has(self):
        whole, asked = self.rendered({"a": 0}, MARKS="1")
        self.assertEqual(whole, "<s>### system\nbe brief\n### user\nhi\n### assistant\nho</s>\n")
        self.assertTrue(whole.startswith(asked), "what is asked is what was taught")
        self.assertEqual(self.rendered({"a": 0})[0], "### system\nbe brief\n### user\nhi\n### assistant\nho\n")

    def test_chatml_where_its_marks_are_known(self):
        whole, asked = self.rendered({"<|im_start|>": 1, "<|im_end|>": 2}, MARKS="1")
        self.assertEqual(whole, "<|im_start|>system\nbe brief<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\nho<|im_end|>\n")
        self.assertTrue(whole.startswith(asked))


if __name__ == "__main__":
    main(__doc__)
