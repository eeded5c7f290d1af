"""What sources in Go, C and JSON Schema say of keys and flags."""

import json
import re

import yaml

GO_TYPES = {"string": "str", "bool": "bool", "int": "int", "int32": "int", "int64": "int", "float32": "float", "float64": "float"}


def go_type(text, known):
    text = text.lstrip("*")
    if text.startswith("[]"):
        inner = go_type(text[2:], known)
        return "list|" + inner if inner in known else "list"
    if text.startswith("map["):
        return "dict"
    name = text.split(".")[-1]
    return GO_TYPES.get(text) or (name if name in known else "any")


def go_structs(texts, names):
    """Keys of the structs of these names, by their JSON tags; embedded ones count as their own."""
    text = "\n".join(texts)
    bodies = {name: body for name, body in re.findall(r"^type (\w+) struct \{\n(.*?)^\}", text, re.M | re.S)}
    values = {}
    for kind, value in re.findall(r"^\s+\w+\s+(\w+)\s*=\s*\"([^\"]*)\"", text, re.M):
        values.setdefault(kind, []).append(value)
    rows = []

    def add(name, section):
        for line in bodies[name].splitlines():
            found = re.match(r"\s*(?:(\w+)\s+)?([\w.*\[\]]+)\s+`[^`]*json:\"([^\",]*)([^\"]*)\"", line)
            if not found or line.strip().startswith("//"):
                continue
            _, kind, key, options = found.groups()
            if "inline" in options or not key:
                inner = kind.lstrip("*").split(".")[-1]
                if inner in bodies:
                    add(inner, section)
                continue
            plain = kind.lstrip("*[]").split(".")[-1]
            written = go_type(kind, names)
            # Constants of a type of their own are its values; those of plain strings are anything.
            chosen = values.get(plain, []) if plain not in GO_TYPES else []
            if written == "any" and chosen:
                written = "str"
            rows.append((section, key, written, "|".join(chosen), ""))

    for name in names:
        if name not in bodies:
            raise ValueError(f"no struct {name} in these sources")
        add(name, name)
    return rows


def go_flags(texts, section):
    """Flags of cobra: cmd.Flags().StringVar(&x, "name", default, ...)."""
    kinds = {"String": "str", "Int": "int", "Bool": "flag", "Float64": "float", "Float32": "float", "StringSlice": "list", "StringArray": "list"}
    rows = []
    for text in texts:
        for kind, name, default in re.findall(r"Flags\(\)\.(\w+?)Var(?:P)?\(&\w+, \"([\w-]+)\", (?:\"\w\", )?([^,]+),", text):
            rows.append((section, "--" + name, kinds.get(kind, "any"), "", "" if default == "nil" else default.strip('"')))
    return rows


def slurm_options(texts):
    """Options of sbatch and srun: Slurm's table of them, in C."""
    rows = []
    for text in texts:
        for body in re.findall(r"slurm_cli_opt_t \w+ = \{\n(.*?)^\};", text, re.M | re.S):
            name = re.search(r"\.name = \"([\w-]+)\"", body)
            if not name:
                continue
            kind = "flag" if "no_argument" in body else "flag|str" if "optional_argument" in body else "str"
            for program in ("sbatch", "srun"):
                if re.search(rf"\.set_func(_{program})? =", body):
                    rows.append((program, "--" + name[1], kind, "", ""))
    return rows


def schema_rows(text, section, inside=""):
    """Properties of a JSON Schema, nested ones under their path; inside: where in the file it stands, by dots."""
    node = json.loads(text) if text.lstrip().startswith("{") else yaml.safe_load(text)
    for step in filter(None, inside.split(".")):
        node = node[int(step)] if isinstance(node, list) else node[step]
    names = {"string": "str", "boolean": "bool", "integer": "int", "number": "float", "array": "list", "object": "dict", "null": ""}
    rows = []

    def add(schema, path):
        for key, value in schema.get("properties", {}).items():
            kinds = value.get("type", [])
            written = [names.get(kind, "any") for kind in ([kinds] if isinstance(kinds, str) else kinds)]
            inner = value if "properties" in value else value.get("items", {})
            if isinstance(inner, dict) and "properties" in inner:
                written = [kind for kind in written if kind != "dict"] + [f"{path}.{key}"]
                add(inner, f"{path}.{key}")
            choices = value.get("enum", [])
            rows.append((path, key, "|".join(filter(None, written)) or "any", "|".join(str(one) for one in choices if one is not None),
                         str(value["default"]) if "default" in value else ""))

    add(node, section)
    return rows
