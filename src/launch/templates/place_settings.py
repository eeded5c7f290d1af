"""Writes settings for this run: place_settings.py FROM TO. Marks in them stand for folders and data that are known now."""
import json
import os
import re
import sys

MARKS = {"@GPUPLAN_FILES@": "GPUPLAN_FILES", "@GPUPLAN_RUN_DIR@": "GPUPLAN_RUN_DIR", "@GPUPLAN_DATA@": "DATA",
         "@GPUPLAN_BASE_MODEL@": "GPUPLAN_BASE_MODEL", "@GPUPLAN_ROWS@": "GPUPLAN_ROWS", "@GPUPLAN_REPORTS@": "REPORT_TO"}


def placed(mark):
    if mark.group() == "@GPUPLAN_REPORTS@":  # a list with as many texts
        names = [name.strip() for name in os.environ.get("REPORT_TO", "").split(",")]
        return '", "'.join(json.dumps(name)[1:-1] for name in names if name) or "none"
    # They stand in double quotes.
    return os.environ[MARKS[mark.group()]].replace("\\", "\\\\").replace('"', '\\"')


with open(sys.argv[1], encoding="utf-8") as source:
    text = source.read()
# In one go: what is put in may look like another mark.
text = re.sub("|".join(MARKS), placed, text)
with open(sys.argv[2], "w", encoding="utf-8") as target:
    target.write(text)
