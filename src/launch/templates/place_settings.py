"""Writes settings for this run: place_settings.py FROM TO. Marks in them stand for folders and data that are known now."""
import json
import os
import re
import sys

MARKS = {"@GPUPLAN_FILES@": "GPUPLAN_FILES", "@GPUPLAN_RUN_DIR@": "GPUPLAN_RUN_DIR",
         "@GPUPLAN_BASE_MODEL@": "GPUPLAN_BASE_MODEL", "@GPUPLAN_ROWS@": "GPUPLAN_ROWS", "@GPUPLAN_REPORTS@": "REPORT_TO"}
DATA_MARKS = ("@GPUPLAN_DATA@", "@GPUPLAN_SPLIT@")


def data_set():
    """Path, split and configuration of DATA: owner/name:split is the hub's, and its programs want each by itself."""
    name = os.environ["DATA"]
    found = None
    if not os.path.exists(name):
        from data_sources import on_hub
        found = on_hub(name, os.environ.get("DATA_SPLIT", "train"))
    path, split = found or (name, "train")
    return {"@GPUPLAN_DATA@": path, "@GPUPLAN_SPLIT@": split}


def placed(mark):
    if mark.group() == '"@GPUPLAN_CONFIG@"':
        return json.dumps(os.environ.get("DATA_CONFIG") or None)
    if mark.group() == "@GPUPLAN_REPORTS@":  # a list with as many texts
        names = [name.strip() for name in os.environ.get("REPORT_TO", "").split(",")]
        return '", "'.join(json.dumps(name)[1:-1] for name in names if name) or "none"
    value = data_set()[mark.group()] if mark.group() in DATA_MARKS else os.environ[MARKS[mark.group()]]
    # They stand in double quotes.
    return value.replace("\\", "\\\\").replace('"', '\\"')


with open(sys.argv[1], encoding="utf-8") as source:
    text = source.read()
# In one go: what is put in may look like another mark.
text = re.sub("|".join([*MARKS, *DATA_MARKS, '"@GPUPLAN_CONFIG@"']), placed, text)
with open(sys.argv[2], "w", encoding="utf-8") as target:
    target.write(text)
