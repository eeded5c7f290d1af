"""Makes training data of rows (data_rows.py): tokens, and labels for those that are learnt."""
import hashlib
import json
import os
import re
from collections import Counter

from chat_template import with_template
from data_rows import LEARNT, NO_ANSWER, checked, conversation
from phase_parts import SETTINGS, give_up, say

IGNORED = -100  # label of a token that is not learnt
# Columns of what is counted beside the tokens.
WHOLE, UNANSWERED, UNFOUND = "tokens before the cut", "rows without an answer", "answers not found"
NOTHING = f"DATA: no row holds an answer, and there is nothing to learn: {NO_ANSWER}"


def length_of(text, tokenizer):
    return len(tokenizer(text, add_special_tokens=False)["input_ids"])


def earlier_answers(messages, text, tokenizer):
    """From which token to which the answers before the last message reach; None for one that is not found."""
    for at, message in enumerate(messages[:-1]):
        if message["role"] != "assistant":
            continue
        before = tokenizer.apply_chat_template(messages[:at], tokenize=False, add_generation_prompt=True) if at else ""
        after = tokenizer.apply_chat_template(messages[:at + 1], tokenize=False)
        if at and text.startswith(after) and after.startswith(before):
            yield length_of(before, tokenizer), length_of(after, tokenizer)
        else:
            yield changed_answer(messages, at, text, after, tokenizer)


def changed_answer(messages, at, text, after, tokenizer):
    """The same for an answer that the template shows otherwise once something follows it: without its thoughts, or with
    another end. `after`: how the template shows it as the last message."""
    given = [tokenizer.apply_chat_template(messages[:-1], tokenize=False, add_generation_prompt=asks) for asks in (False, True)]
    head = given[1][len(os.path.commonprefix(given)):].partition("<think>")[0]
    # What stands before each answer. Where other texts hold it, too, nobody knows which is which.
    starts = [found.end() for found in re.finditer(re.escape(head), text)] if head.strip() else []
    which = [number for number, message in enumerate(messages) if message["role"] == "assistant"]
    if len(starts) != len(which) or head not in after:
        return None
    begin = starts[which.index(at)]
    turn, alone = text[begin:], after[after.rindex(head) + len(head):]
    content, following = messages[at]["content"].strip(), messages[at + 1]["content"].strip()
    shown = content if content in turn else content.rpartition("</think>")[2].strip()
    place = turn.find(shown) if shown else -1
    if place < 0 or shown not in alone or following and following in turn[:place]:
        return None
    skipped = 0
    if not alone.startswith(turn[:place] + shown):
        # From the text on. Its first word, where thoughts would stand, would teach not to think.
        skipped = 0 if turn[:place].strip() else 1
        begin += place
    end = starts[which.index(at)] + place + len(shown)
    tail = alone[alone.rindex(shown) + len(shown):]
    ends = (tail, tail.removesuffix(tokenizer.eos_token or ""))  # some close the whole text behind the last message
    end += len(next((one for one in ends if text.startswith(one, end)), ""))
    return length_of(text[:begin], tokenizer) + skipped, length_of(text[:end], tokenizer)


def answers_of(row):
    """Whether a row holds something to learn."""
    messages = conversation(row, checked(row))
    return messages is None or any(message["role"] == "assistant" for message in messages)


def prepared(rows, tokenizer, variable="DATA"):
    """Says what is learnt of the rows, and gives the tokenizer a chat template where conversations need one."""
    row = next(iter(rows))
    form = checked(row, variable)
    say(f"data ({variable}): {LEARNT[form]}")
    return tokenizer if conversation(row, form) is None else with_template(tokenizer)


def encode(row, tokenizer, missed=None):
    """Tokens and labels of one row, no tokens where it holds no answer. Of a prompt with a completion only that is learnt,
    of a conversation its answers. `missed` counts the rows without one, and answers that are not found."""
    form = checked(row)
    messages = conversation(row, form)
    missed = Counter() if missed is None else missed
    if messages:
        if not tokenizer.chat_template:  # the first row was none
            with_template(tokenizer)
        answers = [at for at, message in enumerate(messages) if message["role"] == "assistant"]
        if not answers:  # the question would be learnt
            missed[UNANSWERED] += 1
            return [], []
        messages = messages[:answers[-1] + 1]  # what follows the last answer has none
        text = tokenizer.apply_chat_template(messages, tokenize=False)
        prompt = tokenizer.apply_chat_template(messages[:-1], tokenize=False, add_generation_prompt=True) if messages[1:] else ""
        prompt = os.path.commonprefix([prompt, text])
        special = False
    elif form in ("completion", "continued"):
        prompt = row["prompt" if form == "completion" else "text"]
        text, special = prompt + row["completion"], True
    else:
        prompt, text, special = "", row["text"], True
    tokens = tokenizer(text, add_special_tokens=special)["input_ids"]
    if special and tokenizer.eos_token_id is not None and (not tokens or tokens[-1] != tokenizer.eos_token_id):
        tokens = tokens + [tokenizer.eos_token_id]
    known = len(tokenizer(prompt, add_special_tokens=special)["input_ids"]) if prompt else 0
    known = min(known, len(tokens) - 1)
    labels = [IGNORED] * known + tokens[known:]
    for found in earlier_answers(messages, text, tokenizer) if messages else ():
        if found is None:
            missed[UNFOUND] += 1
            continue
        begin, end = found
        labels[begin:end] = tokens[begin:end]
    return tokens, labels


class Pieces:
    """Rows in, sequences out: packed to full length without a gap, or one by one, cut to the length.

    Sequences of several samples (`separate` of the settings) come with a third list, positions that begin anew with
    each: attention then sees none but its own. Texts that are counted in tokens are one long text instead."""

    def __init__(self, tokenizer, packing=None):
        self.tokenizer = tokenizer
        self.length = SETTINGS["sequence"]
        self.packing = SETTINGS["packing"] if packing is None else packing
        self.separate = self.packing and SETTINGS.get("separate", False)
        self.tokens, self.labels, self.positions = [], [], []
        self.whole, self.rows, self.longer = [], 0, 0  # lengths of the rows of the last add(); how many there were
        self.missed = Counter()  # of encode()

    def add(self, rows):
        """All that the rows give; what is left of them waits for the next ones."""
        encoded = self._encode(rows)
        self.whole = [len(tokens) for tokens, _ in encoded]
        self.rows += len(encoded)
        self.longer += sum(length > self.length for length in self.whole)
        for tokens, labels in encoded:
            if not self.packing:
                yield tokens[:self.length], labels[:self.length]
                continue
            self.tokens += tokens
            # Nothing before the first token of a sample tells of it.
            self.labels += [IGNORED] + labels[1:] if self.separate and labels else labels
            self.positions += range(len(tokens)) if self.separate else ()
            while len(self.tokens) >= self.length:
                yield self._cut()

    def _cut(self):
        piece = self.tokens[:self.length], self.labels[:self.length]
        del self.tokens[:self.length], self.labels[:self.length]
        if not self.separate:
            return piece
        positions = self.positions[:self.length]
        del self.positions[:self.length]
        # The rest of a sample that is cut begins at 0 again.
        end = next((at for at, position in enumerate(self.positions) if at and position == 0), len(self.positions))
        self.positions[:end] = range(end)
        return (*piece, positions)

    def _encode(self, rows):
        plain = all(checked(row) == "text" for row in rows)
        if not plain:
            found = [encode(row, self.tokenizer, self.missed) for row in rows]
            return [one for one in found if one[0]]
        # All at once: the tokenizer uses every core.
        end = self.tokenizer.eos_token_id
        found = self.tokenizer([row["text"] for row in rows])["input_ids"]
        closed = [t if end is None or (t and t[-1] == end) else t + [end] for t in found]
        return [(t, list(t)) for t in closed]


def cut_words(longer, rows):
    return (f"{longer:,} of {rows:,} rows are longer than {SETTINGS['sequence']:,} tokens and were cut there"
            + (" (sequence: in the job takes longer ones)" if longer else ""))


def batch(pieces, pad):
    """A list of sequences as lists of one length, with a mask; pads on the right. Separate samples have positions in
    place of the mask, and in one row where the attention is FlashAttention, which finds their ends there only."""
    if len(pieces[0]) == 3:
        made = [[list(piece[part]) for piece in pieces] for part in range(3)]
        if SETTINGS["attention"]["implementation"].startswith("flash"):
            for labels in made[1]:
                labels[0] = IGNORED
            made = [[sum(rows, [])] for rows in made]
        return dict(zip(("input_ids", "labels", "position_ids"), made))
    width = max(len(tokens) for tokens, _ in pieces)
    if not SETTINGS["packing"]:
        width = min((width + 7) // 8 * 8, SETTINGS["sequence"])
    result = {"input_ids": [], "labels": [], "attention_mask": []}
    for tokens, labels in pieces:
        gap = width - len(tokens)
        result["input_ids"].append(tokens + [pad] * gap)
        result["labels"].append(labels + [IGNORED] * gap)
        result["attention_mask"].append([1] * len(tokens) + [0] * gap)
    return result


def workers(rows, pieces):
    """Processes that make tokens; None: this one. What is packed is packed by each for itself, and loses the rest of a
    sequence: they are few where rows are few."""
    each = 100_000 if pieces.packing else 20_000
    several = min(len(os.sched_getaffinity(0)) // 2, len(rows) // each)
    return several if several > 1 else None


def missed_words(missed, what):
    """Lines of the log on what is not learnt of the rows."""
    if missed[UNANSWERED]:
        yield f"{what}: {missed[UNANSWERED]:,} rows hold no answer, and are left out"
    if missed[UNFOUND]:
        yield (f"{what}: {missed[UNFOUND]:,} answers before the last one of their conversations are not learnt: the chat template "
               "shows them otherwise than they were given")


def tokens_of(rows, tokenizer, columns_of, packing=None, what="data (DATA)"):
    """A data set with the columns that `columns_of` makes of a list of sequences, separate ones or not, and the line of the
    log that says what became of the rows. Every process that asks for the same finds what the first one made: by itself
    `map` names it by the state of the tokenizer, which changes with use."""
    pieces = Pieces(tokenizer, packing)

    def cut(columns):
        rows = [dict(zip(columns, values)) for values in zip(*columns.values())]
        found = list(pieces.add(rows))
        kept = range(len(found))
        if not pieces.packing:  # a prompt that fills its sequence leaves nothing to learn
            kept = [at for at, piece in enumerate(found) if any(label != IGNORED for label in piece[1])]
        made = dict(columns_of([found[at] for at in kept], pieces.separate))
        if not pieces.packing:
            made[WHOLE] = [pieces.whole[at] for at in kept]
        for name in (UNANSWERED, UNFOUND):  # with the next sequence that there is: what is kept of an earlier start tells it, too
            made[name] = [pieces.missed.pop(name, 0) if at == 0 else 0 for at in range(len(kept))]
        return made

    made_of = json.dumps([rows._fingerprint, SETTINGS["sequence"], pieces.packing, pieces.separate, columns_of.__name__,
                          tokenizer.name_or_path, tokenizer.chat_template, len(tokenizer), WHOLE, UNFOUND], sort_keys=True, default=str)
    made = rows.map(cut, batched=True, remove_columns=rows.column_names, desc="tokens", num_proc=workers(rows, pieces),
                    new_fingerprint=hashlib.sha256(made_of.encode()).hexdigest()[:32])
    if len(made) == 0:
        give_up(NOTHING if not any(answers_of(row) for row in rows) else "DATA: no sequence of the plan's length comes of it")
    missed = Counter({name: sum(made[name][:]) for name in (UNANSWERED, UNFOUND)})
    if not pieces.packing:
        left_out = len(rows) - len(made) - missed[UNANSWERED]
        say(f"{what}: {cut_words(sum(length > pieces.length for length in made[WHOLE][:]), len(made))}"
            + (f"; {left_out:,} more have nothing to learn before the cut, and are left out" if left_out > 0 else ""))
    for line in missed_words(missed, what):
        say(line)
    return made.remove_columns([UNANSWERED, UNFOUND] + ([] if pieces.packing else [WHOLE]))


def tell_epochs(made):
    """How often the plan's steps go through the sequences, beside what was planned."""
    epochs, seen = SETTINGS["epochs"], SETTINGS["steps"] * SETTINGS["batch"]
    say(f"data (DATA): {len(made):,} sequences, which the plan's {SETTINGS['steps']:,} steps of {SETTINGS['batch']:,} go "
        f"through {seen / len(made):.2f} times" + (f" (planned: {seen / epochs:,.0f}, {epochs:g} times)" if epochs else ""))
