"""Ends the phase where LLaMA-Factory, which was named none of its templates, would write conversations wrongly.

It then takes the tokenizer's own template apart with a few short conversations (data/template.py, parse_template) and puts
others together of the parts. Some templates refuse the conversation that it begins with; of others a part holds what belongs
to the beginning alone, and would stand before every question."""
import os
import re

from transformers import AutoTokenizer

from phase_parts import give_up

MARK = "{{content}}"
TURNS = [("One?", "Two."), ("Three?", "Four.")]
SPEAKERS = ("user", "assistant")


def beyond(short, whole):
    """The letters of the longer text that the shorter one lacks."""
    at, more = 0, ""
    for letter in whole:
        if at < len(short) and short[at] == letter:
            at += 1
        else:
            more += letter
    return more


def put_together(tokenizer, prefix):
    """TURNS as it would write them."""
    def shown(asks, *messages):
        messages = [{"role": role, "content": content} for role, content in messages]
        return tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=asks)[len(prefix):]

    system, question = shown(False, ("system", MARK)), shown(True, ("user", MARK))
    without = shown(True, ("system", ""), ("user", MARK))
    answer = shown(False, ("user", MARK), ("assistant", MARK))[len(question):]
    answer = answer.replace("<think>", "").replace("</think>", "").lstrip("\n")
    first = ""
    if len(question) > len(without):  # the template has words of its own for the system
        first = system.replace(MARK, beyond(without, question), 1)
        question = question[len(first):]
    return prefix + first + "".join(part.replace(MARK, text) for turn in TURNS for part, text in zip((question, answer), turn))


def right(tokenizer):
    messages = [{"role": role, "content": text} for turn in TURNS for role, text in zip(SPEAKERS, turn)]
    own = tokenizer.apply_chat_template(messages, tokenize=False)
    made = put_together(tokenizer, tokenizer.decode(tokenizer.encode("")))
    bare = [re.sub(r"<think>.*?</think>\s*", "", text, flags=re.DOTALL).rstrip() for text in (own, made)]
    return bare[0] == bare[1]


def main():
    model = os.environ["GPUPLAN_BASE_MODEL"]
    name_one = "name one of LLaMA-Factory's in the job, as in args: {template: llama3}"
    try:
        tokenizer = AutoTokenizer.from_pretrained(model)
    except Exception as problem:  # whatever the hub, the network or a file has to say
        give_up(f"the tokenizer of {model} cannot be read: {str(problem).strip().splitlines()[0][:300]}")
    if not isinstance(tokenizer.chat_template, str):
        give_up(f"the tokenizer of {model} has no chat template: {name_one}")
    try:
        good = right(tokenizer)
    except Exception:  # the template's own refusals
        good = False
    if not good:
        give_up(f"LLaMA-Factory would write conversations otherwise than the chat template of {model} does, which it takes apart: "
                + name_one)


if __name__ == "__main__":
    main()
