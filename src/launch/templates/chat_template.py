"""How conversations are written: by CHAT_TEMPLATE (a file), by the model's tokenizer or, for base models, which come
without a template, by one of these two. And which token ends an answer then."""
import os
from pathlib import Path

from phase_parts import give_up, say

# With the marks of ChatML where the tokenizer knows them.
CHATML = """{% for message in messages %}<|im_start|>{{ message['role'] }}
{{ message['content'] }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
# Else with words that every tokenizer has; an answer ends with the token that ends a text.
# Line ends stand in quotes, since those behind a block are dropped.
PLAIN = """{% if bos_token is defined and bos_token %}{{ bos_token }}{% endif %}
{% for message in messages %}
{{ '### ' + message['role'] + '\\n' + message['content'] }}
{%- if message['role'] == 'assistant' and eos_token is defined and eos_token %}{{ eos_token }}{% endif %}
{{- '\\n' }}
{%- endfor %}
{% if add_generation_prompt %}{{ '### assistant\\n' }}{% endif %}"""


def with_template(tokenizer):
    """The tokenizer, which knows how to write a conversation then."""
    chosen = os.environ.get("CHAT_TEMPLATE")
    if chosen:
        if not Path(chosen).is_file():
            give_up(f"CHAT_TEMPLATE: {chosen} is no file; expected one with a Jinja template")
        tokenizer.chat_template = Path(chosen).read_text(encoding="utf-8")
    elif not tokenizer.chat_template:
        chatml = {"<|im_start|>", "<|im_end|>"} <= set(tokenizer.get_vocab())
        tokenizer.chat_template = CHATML if chatml else PLAIN
        say("the model has no chat template, as base models have none: conversations are written "
            + ("as ChatML" if chatml else 'with lines "### role" before each message')
            + " (CHAT_TEMPLATE=FILE takes another one); the template is saved with the model")
    return tokenizer


MARK = "@gpuplan-answer@"


def end_of_answer(tokenizer):
    """What follows an answer: the first special token, else the end of texts."""
    asked = [{"role": "user", "content": "?"}, {"role": "assistant", "content": MARK}]
    _, shown, after = tokenizer.apply_chat_template(asked, tokenize=False).rpartition(MARK)
    special = [token for token in {*tokenizer.all_special_tokens, *tokenizer.get_added_vocab()} if shown and token in after]
    return min(special, key=lambda token: (after.index(token), -len(token)), default=tokenizer.eos_token)
