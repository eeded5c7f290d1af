"""What a row of training data says: which part of it is given and which is learnt."""
from phase_parts import SETTINGS, give_up

# The first whose columns a row has.
FORMS = {
    "messages": ("messages",),
    "conversations": ("conversations",),
    "completion": ("prompt", "completion"),
    "instruction": ("instruction", "output"),
    "continued": ("text", "completion", "new_tokens"),  # as generation leaves a text that it was asked to go on with
    "text": ("text",),
}
LEARNT = {
    "messages": "the answers of conversations are learnt",
    "conversations": "the answers of conversations (from and value) are learnt",
    "completion": "completions are learnt, prompts are not",
    "instruction": "outputs are learnt; instruction and input are what the user says",
    "continued": "what goes on with the texts is learnt, the texts are not",
    "text": "whole texts are learnt",
}
EXPECTED = ('"text"; "prompt" and "completion"; "messages" (a list of role and content); "instruction", "input" and '
            '"output"')
NO_ANSWER = 'expected a message of the role "assistant", or "completion" beside "messages"'
PAIR = '"chosen" and "rejected", texts beside a "prompt" or lists of role and content'
SPEAKERS = {"human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant", "system": "system",
            "tool": "tool"}


def form_of(row):
    """Name of a form, None where the row has the columns of none."""
    return next((form for form, columns in FORMS.items() if all(row.get(c) is not None for c in columns)), None)


# What is seen or heard, which no program here learns.
SEEN = ("image", "images", "video", "videos", "audio", "audios")


def parts_of(messages):
    """The parts of messages that are lists of them: [{"type": "image"}, {"type": "text", "text": ...}]."""
    for message in messages if isinstance(messages, list) else ():
        content = message.get("content") if isinstance(message, dict) else None
        yield from (part for part in content if isinstance(part, dict)) if isinstance(content, list) else ()


def checked(row, variable="DATA"):
    """The form of a row; ends the program where it has none, or where it would be learnt without what it shows."""
    for name in SEEN:
        if row.get(name):
            give_up(f'{variable}: a row has "{name}", and the texts alone would be learnt: leave the column out where that is '
                    "meant, or give the phase a `command`")
    for messages in row.values():
        if any(part.get("type", "text") != "text" for part in parts_of(messages)):
            give_up(f"{variable}: a message of a row holds more than text, which would not be learnt: leave it out, or give the "
                    "phase a `command`")
    if SETTINGS.get("objective") == "dpo":
        return checked_pair(row, variable)
    if SETTINGS.get("objective") == "grpo":
        return checked_prompt(row, variable)
    form = form_of(row)
    if form is None:
        held = ", ".join(f'"{name}"' for name in sorted(row)) or "no columns"
        give_up(f"{variable}: a row has {held}; expected {EXPECTED}. Rename its columns, or write it as JSON lines with these")
    if form in ("messages", "conversations"):
        whole = row[form]
        keys = ("role", "content") if form == "messages" else ("from", "value")
        if not isinstance(whole, list) or not whole or not all(
                isinstance(m, dict) and isinstance(m.get(keys[0]), str) and isinstance(m.get(keys[1]), str) for m in whole):
            give_up(f'{variable}: "{form}" of a row is no list of texts with "{keys[0]}" and "{keys[1]}": {str(whole)[:200]}')
    return form


def checked_pair(row, variable):
    """"pair"; ends the program where a row is no pair of answers."""
    answers = [row.get("chosen"), row.get("rejected")]
    texts = all(isinstance(one, str) for one in answers) and isinstance(row.get("prompt"), str)
    talks = all(isinstance(one, list) and one and all(isinstance(m, dict) and "role" in m and "content" in m for m in one)
                for one in answers)
    if not texts and not talks:
        held = ", ".join(f'"{name}"' for name in sorted(row)) or "no columns"
        give_up(f"{variable}: a row has {held}; expected {PAIR}")
    return "pair"


def checked_prompt(row, variable):
    """"prompt"; ends the program where a row has none."""
    prompt = row.get("prompt")
    if not (isinstance(prompt, str) and prompt) and not (isinstance(prompt, list) and prompt and all(
            isinstance(m, dict) and "role" in m and "content" in m for m in prompt)):
        held = ", ".join(f'"{name}"' for name in sorted(row)) or "no columns"
        give_up(f'{variable}: a row has {held}; expected "prompt", a text or a list of messages (role and content)')
    return "prompt"


def answered(row):
    """The messages of a row. Generation leaves an answer beside the conversation that asked for it."""
    messages, answer = row["messages"], row.get("completion")
    if messages[-1]["role"] == "assistant" or not isinstance(answer, str) or not answer:
        return messages
    return [*messages, {"role": "assistant", "content": answer}]


def conversation(row, form):
    """Messages of a row that is a conversation; None for plain texts."""
    if form == "messages":
        return answered(row)
    if form == "conversations":
        return [{"role": SPEAKERS.get(m["from"], m["from"]), "content": m["value"]} for m in row["conversations"]]
    if form == "instruction":
        asked = row["instruction"] + ("\n\n" + row["input"] if row.get("input") else "")
        earlier = [{"role": "system", "content": row["system"]}] if row.get("system") else []
        return earlier + [{"role": "user", "content": asked}, {"role": "assistant", "content": row["output"]}]
    if form == "completion" and isinstance(row["prompt"], list):
        return list(row["prompt"]) + list(row["completion"])
    return None
