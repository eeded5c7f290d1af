"""Writes settings for this run: place_settings.py FROM TO. Marks in them stand for folders and data that are known now."""
import os
import sys

MARKS = {"@GPUPLAN_FILES@": "GPUPLAN_FILES", "@GPUPLAN_RUN_DIR@": "GPUPLAN_RUN_DIR", "@GPUPLAN_DATA@": "DATA"}

with open(sys.argv[1], encoding="utf-8") as source:
    text = source.read()
for mark, name in MARKS.items():
    # They stand in double quotes.
    text = text.replace(mark, os.environ[name].replace("\\", "\\\\").replace('"', '\\"'))
with open(sys.argv[2], "w", encoding="utf-8") as target:
    target.write(text)
