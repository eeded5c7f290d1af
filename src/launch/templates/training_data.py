"""Makes training data of rows (data_rows.py): tokens, and labels for those that are learnt."""
import hashlib
import json
import os

from chat_template import with_template
from data_rows import LEARNT, checked, conversation
from phase_parts import SETTINGS, give_up, say

IGNORED = -100  # label of a token that is not learnt


def earlier_answers(messages, text, tokenizer):
    """From which token to which the answers before the last message reach. Templates that change earlier turns later
    (they drop thoughts) show none of them as it was given: those are not learnt."""
    for at, message in enumerate(messages[:-1]):
        if message["role"] != "assistant" or at == 0:
            continue
        before = tokenizer.apply_chat_template(messages[:at], tokenize=False, add_generation_prompt=True)
        after = tokenizer.apply_chat_template(messages[:at + 1], tokenize=False)
        if text.startswith(after) and after.startswith(before):
            yield tuple(len(tokenizer(part, add_special_tokens=False)["input_ids"]) for part in (before, after))


def prepared(rows, tokenizer, variable="DATA"):
    """Says what is learnt of the rows, and gives the tokenizer a chat template where conversations need one."""
    row = next(iter(rows))
    form = checked(row, variable)
    say(f"data ({variable}): {LEARNT[form]}")
    return tokenizer if conversation(row, form) is None else with_template(tokenizer)


def encode(row, tokenizer):
    """Tokens and labels of one row. Of a prompt with a completion only that is learnt, of a conversation its answers."""
    form = checked(row)
    messages = conversation(row, form)
    if messages:
        if not tokenizer.chat_template:  # the first row was none
            with_template(tokenizer)
        answers = [at for at, message in enumerate(messages) if message["role"] == "assistant"]
        if answers:  # what follows the last answer has none
            messages = messages[:answers[-1] + 1]
        text = tokenizer.apply_chat_template(messages, tokenize=False)
        prompt = tokenizer.apply_chat_template(messages[:-1], tokenize=False, add_generation_prompt=True)
        special = False
    elif form == "completion":
        prompt, text, special = row["prompt"], row["prompt"] + row["completion"], True
    else:
        prompt, text, special = "", row["text"], True
    tokens = tokenizer(text, add_special_tokens=special)["input_ids"]
    if special and tokenizer.eos_token_id is not None and (not tokens or tokens[-1] != tokenizer.eos_token_id):
        tokens = tokens + [tokenizer.eos_token_id]
    known = len(tokenizer(prompt, add_special_tokens=special)["input_ids"]) if prompt else 0
    known = min(known, len(tokens) - 1)
    labels = [IGNORED] * known + tokens[known:]
    for begin, end in earlier_answers(messages, text, tokenizer) if messages else ():
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
            return [encode(row, self.tokenizer) for row in rows]
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


WHOLE = "tokens before the cut"


def tokens_of(rows, tokenizer, columns_of, packing=None, what="data (DATA)"):
    """A data set with the columns that `columns_of` makes of a list of sequences, separate ones or not, and the line of the
    log that says what became of the rows. Every process that asks for the same finds what the first one made: by itself
    `map` names it by the state of the tokenizer, which changes with use."""
    pieces = Pieces(tokenizer, packing)

    def cut(columns):
        rows = [dict(zip(columns, values)) for values in zip(*columns.values())]
        found = list(pieces.add(rows))
        if pieces.packing:
            return columns_of(found, pieces.separate)
        # A prompt that fills its sequence leaves nothing to learn.
        kept = [at for at, piece in enumerate(found) if any(label != IGNORED for label in piece[1])]
        return {**columns_of([found[at] for at in kept], False), WHOLE: [pieces.whole[at] for at in kept]}

    made_of = json.dumps([rows._fingerprint, SETTINGS["sequence"], pieces.packing, pieces.separate, columns_of.__name__,
                          tokenizer.name_or_path, tokenizer.chat_template, len(tokenizer), WHOLE], sort_keys=True, default=str)
    made = rows.map(cut, batched=True, remove_columns=rows.column_names, desc="tokens", num_proc=workers(rows, pieces),
                    new_fingerprint=hashlib.sha256(made_of.encode()).hexdigest()[:32])
    if len(made) == 0:
        give_up("DATA: no sequence of the plan's length comes of it")
    if not pieces.packing:
        left_out = len(rows) - len(made)
        say(f"{what}: {cut_words(sum(length > pieces.length for length in made[WHOLE][:]), len(made))}"
            + (f"; {left_out:,} more have nothing to learn before the cut, and are left out" if left_out else ""))
        made = made.remove_columns([WHOLE])
    return made


def tell_epochs(made):
    """How often the plan's steps go through the sequences, beside what was planned."""
    epochs, seen = SETTINGS["epochs"], SETTINGS["steps"] * SETTINGS["batch"]
    say(f"data (DATA): {len(made):,} sequences, which the plan's {SETTINGS['steps']:,} steps of {SETTINGS['batch']:,} go "
        f"through {seen / len(made):.2f} times" + (f" (planned: {seen / epochs:,.0f}, {epochs:g} times)" if epochs else ""))
