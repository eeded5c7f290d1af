"""Lines of axolotl's settings that say how conversations are written, and which token ends an answer.

By itself axolotl writes those of models without a template as ChatML, whose marks the tokenizer may not know, and learns of
an answer's end only where that is the tokenizer's own end of text: other models would never learn to stop."""
import contextlib
import json
import os
import sys

from transformers import AutoTokenizer

from chat_template import end_of_answer, with_template


def main():
    tokenizer = AutoTokenizer.from_pretrained(os.environ["GPUPLAN_BASE_MODEL"])
    own = tokenizer.chat_template
    with contextlib.redirect_stdout(sys.stderr):  # what it says is no line of the settings
        tokenizer = with_template(tokenizer)
    if tokenizer.chat_template == own:
        print("chat_template: tokenizer_default")
    else:
        print("chat_template: jinja")
        print(f"chat_template_jinja: {json.dumps(tokenizer.chat_template)}")
    if (end := end_of_answer(tokenizer)) is not None:
        print(f"eot_tokens: {json.dumps([end])}")


if __name__ == "__main__":
    main()
