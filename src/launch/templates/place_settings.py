"""Writes settings for this run: place_settings.py FROM TO. Marks in them stand for folders and data that are known now."""
import os
import re
import sys

MARKS = {"@GPUPLAN_FILES@": "GPUPLAN_FILES", "@GPUPLAN_RUN_DIR@": "GPUPLAN_RUN_DIR", "@GPUPLAN_DATA@": "DATA",
         "@GPUPLAN_BASE_MODEL@": "GPUPLAN_BASE_MODEL"}


def placed(mark):
    # They stand in double quotes.
    return os.environ[MARKS[mark.group()]].replace("\\", "\\\\").replace('"', '\\"')


with open(sys.argv[1], encoding="utf-8") as source:
    text = source.read()
# In one go: what is put in may look like another mark.
text = re.sub("|".join(MARKS), placed, text)
with open(sys.argv[2], "w", encoding="utf-8") as target:
    target.write(text)
