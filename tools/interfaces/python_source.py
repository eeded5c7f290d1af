"""What a Python source says of its arguments and settings, without running it: argparse, dataclasses and pydantic models,
signatures, constants."""

import ast

SIMPLE = {"bool": "bool", "int": "int", "float": "float", "str": "str", "StrictBool": "bool", "StrictInt": "int",
          "constr": "str", "conint": "int", "confloat": "float", "PositiveInt": "int", "NonNegativeInt": "int", "Path": "str",
          "dict": "dict", "Dict": "dict", "list": "list", "List": "list", "tuple": "list", "Tuple": "list", "set": "list",
          "Sequence": "list", "pp_int": "int"}
TYPES = ("bool", "int", "float", "str")


def literal(node):
    """The value as a cell; "" where it is computed."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return ""
    if value is None or value is ...:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def name_of(node):
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


class Sources:
    """Classes of several files, found by name; the first of a name counts."""

    def __init__(self, texts):
        self.modules = [ast.parse(text) for text in texts]
        self.classes, self.aliases = {}, {}
        for module in self.modules:
            for node in ast.walk(module):
                if isinstance(node, ast.ClassDef):
                    self.classes.setdefault(node.name, node)
            for node in module.body:
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    self.aliases.setdefault(node.targets[0].id, node.value)

    def enum(self, name):
        """Values of an enumeration; None for another class."""
        node = self.classes.get(name)
        if node is None or not any("Enum" in name_of(base) for base in node.bases):
            return None
        return [literal(item.value) for item in node.body if isinstance(item, ast.Assign) and literal(item.value)]

    def annotation(self, node, depth=0):
        """(types, choices, classes) of an annotation."""
        types, choices, classes = set(), [], []
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                node = ast.parse(node.value, mode="eval").body
            except SyntaxError:
                return {"any"}, [], []
        parts = []
        if isinstance(node, ast.Constant):  # None
            return set(), [], []
        if isinstance(node, ast.BinOp):
            parts = [node.left, node.right]
        elif isinstance(node, ast.Subscript):
            outer, inner = name_of(node.value), node.slice
            many = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            if outer in ("Optional", "Union"):
                parts = many
            elif outer in ("Annotated", "Required", "NotRequired"):
                parts = many[:1]
                if any("Validator" in ast.unparse(one) for one in many[1:]):  # takes more than it says
                    return {"any"}, [], []
            elif outer == "Literal":
                return ({"int" if isinstance(one, ast.Constant) and type(one.value) is int else "str" for one in many},
                        [literal(one) for one in many if literal(one)], [])
            elif SIMPLE.get(outer) == "list":
                found = self.annotation(many[0], depth + 1)
                # What a list holds: its class, where it has one.
                return {"list"}, found[1], found[2]
            else:
                return {SIMPLE.get(outer, "any")}, [], []
        elif isinstance(node, ast.Call):
            parts = [node.func]
        else:
            name = name_of(node)
            values = self.enum(name)
            if name in SIMPLE:
                return {SIMPLE[name]}, [], []
            if values is not None:
                return {"int" if values and all(value.isdigit() for value in values) else "str"}, list(dict.fromkeys(values)), []
            if name in self.classes:
                # One without fields is a number or text of its own notation ("2h", "24GB").
                return (set(), [], [name]) if self.fields(name) else ({"any"}, [], [])
            if name in self.aliases and depth < 8:
                parts = [self.aliases[name]]
            else:
                return {"any"}, [], []
        free = False
        for part in parts:
            found = self.annotation(part, depth + 1)
            types |= found[0]
            choices += [choice for choice in found[1] if choice not in choices]
            classes += found[2]
            # A choice beside a free text limits nothing.
            free = free or bool(found[0] & {"str", "any"} and not found[1])
        return types, [] if free else choices, classes

    def fields(self, name, seen=()):
        """(name, annotation, value) of a class and of those it comes from, which it overrides."""
        found = {}
        node = self.classes.get(name)
        if node is None or name in seen:
            return found
        for base in reversed(node.bases):
            found.update(self.fields(name_of(base), (*seen, name)))
        for item in node.body:
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                if name_of(getattr(item.annotation, "value", item.annotation)) == "ClassVar" or item.target.id.startswith("_"):
                    continue
                found[item.target.id] = (item.annotation, item.value)
        return found

    def rows(self, name, section=None, seen=None):
        """Rows of a class and of every class that its fields name; section: what its own is called."""
        seen = set() if seen is None else seen
        if name in seen or name not in self.classes:
            return []
        seen.add(name)
        rows, inner = [], []
        for field, (annotation, value) in self.fields(name).items():
            types, choices, classes = self.annotation(annotation)
            default = ""
            if isinstance(value, ast.Call):
                words = {word.arg: word.value for word in value.keywords}
                if "alias" in words:
                    field = literal(words["alias"]) or field
                given = words.get("default", value.args[0] if value.args and name_of(value.func) == "Field" else None)
                default = literal(given) if given is not None else ""
            elif value is not None:
                default = literal(value)
            inner += classes
            rows.append((name if section is None else section, field, "|".join([*sorted(types), *classes]) or "any",
                         "|".join(choices), default))
        for other in inner:
            rows += self.rows(other, None, seen)
        return rows

    def signature(self, path, section):
        """Arguments of Class.method or function."""
        *owner, method = path.split(".")
        bodies = [self.classes[owner[0]].body] if owner else [module.body for module in self.modules]
        node = next(item for body in bodies for item in body if isinstance(item, ast.FunctionDef) and item.name == method)
        args = node.args.args + node.args.kwonlyargs
        defaults = dict(zip((a.arg for a in reversed(node.args.args)), reversed(node.args.defaults)))
        defaults.update((a.arg, d) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults) if d is not None)
        rows = []
        for arg in args:
            if arg.arg in ("self", "cls"):
                continue
            types, choices, classes = self.annotation(arg.annotation) if arg.annotation else ({"any"}, [], [])
            default = defaults.get(arg.arg)
            if arg.annotation is None and isinstance(default, ast.Constant) and type(default.value).__name__ in TYPES:
                types = {type(default.value).__name__}
                # False or a word of its own, a number or a share of one: the default does not say.
                types = {"any"} if types == {"bool"} or types == {"str"} else types
            rows.append((section, arg.arg, "|".join([*sorted(types), *classes]) or "any", "|".join(choices),
                         literal(default) if default is not None else ""))
        return rows

    def constants(self, section):
        """Assignments of a module, as nanoGPT has its settings."""
        rows = []
        for module in self.modules:
            for item in module.body:
                if isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name) and not item.targets[0].id.startswith("_"):
                    value = item.value
                    kind = type(value.value).__name__ if isinstance(value, ast.Constant) else ""
                    if isinstance(value, ast.IfExp):
                        kind = "str"
                    if isinstance(value, ast.BinOp):
                        kind = "int"
                    if kind in TYPES:
                        rows.append((section, item.targets[0].id, kind, "", literal(value)))
        return rows

    def names(self, section):
        """Constants that name keys, as DeepSpeed has them: GRADIENT_CLIPPING = "gradient_clipping"."""
        rows = []
        for module in self.modules:
            values = {name_of(item.targets[0]): item.value for item in module.body if isinstance(item, ast.Assign)}
            for name, value in values.items():
                if isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value == name.lower():
                    default = values.get(name + "_DEFAULT")
                    rows.append((section, value.value, "any", "", literal(default) if default is not None else ""))
        return rows

    def flags(self, section, dataclass_flags=True):
        """Flags of argparse: add_argument() calls, and dataclasses that a factory makes groups of (Megatron-LM)."""
        rows = []
        for module in self.modules:
            for node in ast.walk(module):
                if isinstance(node, ast.Call) and name_of(node.func) == "add_argument":
                    rows += self.flag(node, section)
                if dataclass_flags and isinstance(node, ast.Call) and name_of(node.func) == "ArgumentGroupFactory":
                    rows += self.group_flags(node, module, section)
        return rows

    def flag(self, call, section):
        names = [literal(arg) for arg in call.args if isinstance(arg, ast.Constant)]
        words = {word.arg: word.value for word in call.keywords}
        action, kind = literal(words["action"]) if "action" in words else "", name_of(words.get("type"))
        choices, types = [], SIMPLE.get(kind, "any") if kind else "any" if None in words else "str"  # **more says it
        if "choices" in words and isinstance(words["choices"], ast.List | ast.Tuple):
            choices = [literal(one) for one in words["choices"].elts if literal(one)]
        if action in ("store_true", "store_false", "store_const", "append_const", "count", "help", "version"):
            types = "flag"
        if name_of(words.get("action")) == "BooleanOptionalAction":
            types = "flag"
            names += ["--no-" + name[2:] for name in names if name.startswith("--")]
        if "nargs" in words and types != "flag":
            types = f"list|{types}"
        default = literal(words["default"]) if "default" in words else ""
        if types == "str" and default in ("true", "false"):
            types = "any"
        return [(section, name, types, "|".join(choices), default) for name in names if name]

    def group_flags(self, call, module, section):
        excluded = set()
        for word in call.keywords:
            if word.arg == "exclude":
                value = word.value
                if isinstance(value, ast.Name):
                    # The list of that name that was assigned, in any function.
                    value = next((item.value for item in ast.walk(module)
                                  if isinstance(item, ast.Assign) and name_of(item.targets[0]) == value.id), value)
                if isinstance(value, ast.List):
                    excluded = {literal(one) for one in value.elts}
        rows = []
        for field, (annotation, value) in self.fields(name_of(call.args[0])).items():
            if field in excluded:
                continue
            meta, default, init = {}, value, True
            if isinstance(value, ast.Call):
                words = {word.arg: word.value for word in value.keywords}
                default, init = words.get("default"), literal(words["init"]) != "false" if "init" in words else True
                if isinstance(words.get("metadata"), ast.Dict):
                    meta = {literal(k): v for k, v in zip(words["metadata"].keys, words["metadata"].values)}.get("argparse_meta", {})
                    meta = {literal(k): v for k, v in zip(meta.keys, meta.values)} if isinstance(meta, ast.Dict) else {}
            if not init:
                continue
            types, choices, _ = self.annotation(annotation)
            names = ["--" + field.replace("_", "-")]
            kind = "|".join(sorted(types)) or "any"
            if types == {"bool"}:
                kind = "flag"
                if default is not None and literal(default) != "false":
                    names = [f"--{word}-" + field.replace("_", "-") for word in ("no", "disable")]
            if "arg_names" in meta:
                names = [literal(one) for one in getattr(meta["arg_names"], "elts", [])]
            if "choices" in meta and isinstance(meta["choices"], ast.List | ast.Tuple):
                choices = [literal(one) for one in meta["choices"].elts if literal(one)]
            if "type" in meta:
                kind = SIMPLE.get(name_of(meta["type"]), "any")
            if literal(meta.get("action", ast.Constant(None))) in ("store_true", "store_false"):
                kind = "flag"
            if "nargs" in meta:
                kind = "list|any"
            rows += [(section, name, kind, "|".join(choices), literal(default) if default is not None else "") for name in names]
        return rows

    def commands(self, wanted):
        """Commands of vast's command line: flags stand in the decorator, the command in the function's name."""
        rows = []
        for module in self.modules:
            for node in ast.walk(module):
                if not isinstance(node, ast.FunctionDef):
                    continue
                command = node.name.replace("__", " ").replace("_", "-")
                for decorator in node.decorator_list:
                    if not (isinstance(decorator, ast.Call) and name_of(decorator.func) == "command") or command not in wanted:
                        continue
                    listed = [arg for one in decorator.args for arg in self.elements(one)]
                    for arg in listed:
                        if isinstance(arg, ast.Call) and name_of(arg.func) == "argument":
                            rows += self.flag(arg, command)
        return rows

    def elements(self, node):
        """What an argument stands for: of *LIST, what the module puts into LIST."""
        if not isinstance(node, ast.Starred):
            return [node]
        return list(getattr(self.aliases.get(name_of(node.value)), "elts", []))

    def set_of(self, name, section):
        """Members of a set or dict of texts."""
        for module in self.modules:
            for item in module.body:
                if isinstance(item, ast.Assign) and name_of(item.targets[0]) == name:
                    members = item.value.keys if isinstance(item.value, ast.Dict) else item.value.elts
                    return [(section, literal(one), "any", "", "") for one in members if one is not None and literal(one)]
        return []
