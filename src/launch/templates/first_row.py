"""Looks at the first row of DATA before a program that reads DATA itself: first_row.py messages|text.

A column that such a program is not told of it passes over without a word: it would learn what is said of a picture, and never
see it; and of conversations that generation answered, the questions alone. Those are written again as answered.jsonl of the
run, each with its answer as the last message, and the script goes on with that file."""
import json
import os
import sys

import data_sources
from data_rows import NO_ANSWER, answered, form_of
from phase_parts import RUN_DIR, give_up, say

ANSWERED = RUN_DIR / "answered.jsonl"


def write_answered(rows):
    """Whole or not at all: several machines may do so at once."""
    draft = ANSWERED.with_name(f"{ANSWERED.name}.{os.uname().nodename}-{os.getpid()}")
    with draft.open("w", encoding="utf-8") as out:
        for row in rows:
            if row.get("messages"):
                out.write(json.dumps({"messages": answered(row)}, ensure_ascii=False) + "\n")
    draft.replace(ANSWERED)
    say(f"data (DATA): answers that stand beside their conversations are put at their ends: {ANSWERED}")


def main():
    rows = data_sources.load(streaming=True)
    row = next(iter(rows))
    if row.get(sys.argv[1]) is None:
        give_up(f'DATA: a row has no "{sys.argv[1]}" (it reads as "{form_of(row)}"), which is what this program learns')
    if sys.argv[1] == "messages":
        messages = answered(row)
        if all(message["role"] != "assistant" for message in messages):
            give_up(f"DATA: the first row holds no answer: {NO_ANSWER}")
        if messages != row["messages"]:
            write_answered(rows)
            return
    ANSWERED.unlink(missing_ok=True)  # of other rows


if __name__ == "__main__":
    main()
