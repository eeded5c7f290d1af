"""The readers on small sources made up here: each way in which real programs say what they take."""

import tempfile
import unittest
from pathlib import Path

import interfaces
import other_sources
from python_source import Sources


class Python(unittest.TestCase):
    def rows(self, text, name, section=""):
        return {row[:2]: row[2:] for row in Sources([text]).rows(name, section)}

    def test_dataclasses_with_bases_choices_and_sections(self):
        rows = self.rows('''
class Kind(str, Enum):
    A = "a"
    B = "b"
class Stage(int, Enum):
    off = 0
    on = 1
@dataclass
class Base:
    steps: int = 10
    lr: float | None = None
@dataclass
class Inner:
    folder: str = "x"
@dataclass
class All(Base):
    steps: int = 20
    mode: Literal["full", "none"] = "none"
    kind: Kind = Kind.A
    stage: Optional[Stage] = None
    free: str | Literal["auto"] = "auto"
    inner: Inner = field(default_factory=Inner)
    many: list[Inner] | None = None
    hidden: ClassVar[int] = 1
''', "All")
        self.assertEqual(rows[("", "steps")], ("int", "", "20"))
        self.assertEqual(rows[("", "lr")], ("float", "", ""))
        self.assertEqual(rows[("", "mode")], ("str", "full|none", "none"))
        self.assertEqual(rows[("", "kind")][:2], ("str", "a|b"))
        self.assertEqual(rows[("", "stage")][:2], ("int", "0|1"))
        self.assertEqual(rows[("", "free")][:2], ("str", ""))
        self.assertEqual(rows[("", "inner")][0], "Inner")
        self.assertEqual(rows[("", "many")][0], "list|Inner")
        self.assertEqual(rows[("Inner", "folder")], ("str", "", "x"))
        self.assertNotIn(("", "hidden"), rows)

    def test_pydantic_fields(self):
        rows = self.rows('''
class Model(BaseModel):
    size: Annotated[int, Field(description="d")] = 3
    name: str = Field("n", alias="other")
    on: bool | None = Field(default=None, json_schema_extra={})
    time: Annotated[int, BeforeValidator(parse)] = 1
''', "Model")
        self.assertEqual(rows, {("", "size"): ("int", "", "3"), ("", "other"): ("str", "", "n"), ("", "on"): ("bool", "", ""),
                                ("", "time"): ("any", "", "1")})

    def test_flags(self):
        rows = {row[1]: row[2:] for row in Sources(['''
p.add_argument("--size", "-s", type=int, default=4)
p.add_argument("--kind", choices=["a", "b"])
p.add_argument("--on", action="store_true")
p.add_argument("--both", action=argparse.BooleanOptionalAction)
p.add_argument("--many", nargs="+", type=float)
skip = ["gone"]
ArgumentGroupFactory(Config, exclude=skip)
@dataclass
class Config:
    hidden_size: int = 0
    fast: bool = False
    bias: bool = True
    gone: int = 1
    rope: str = field(default="x", metadata={"argparse_meta": {"arg_names": ["--rope-kind"], "choices": ["x", "y"]}})
    made: int = field(init=False)
''']).flags("")}
        self.assertEqual(rows, {"--size": ("int", "", "4"), "-s": ("int", "", "4"), "--kind": ("str", "a|b", ""), "--on": ("flag", "", ""),
                                "--both": ("flag", "", ""), "--no-both": ("flag", "", ""), "--many": ("list|float", "", ""),
                                "--hidden-size": ("int", "", "0"), "--fast": ("flag", "", "false"), "--no-bias": ("flag", "", "true"),
                                "--disable-bias": ("flag", "", "true"), "--rope-kind": ("str", "x|y", "x")})

    def test_commands_constants_names_and_signatures(self):
        commands = Sources(['more = [argument("--b", type=str)]\n@parser.command(argument("--a", type=int), *more)\ndef search__offers(args): pass\n'
                            '@parser.command(argument("--c"))\ndef other(args): pass']).commands(["search offers"])
        self.assertEqual([row[:3] for row in commands], [("search offers", "--a", "int"), ("search offers", "--b", "str")])
        self.assertEqual([row[1:3] for row in Sources(['a = 1\nb = "x"\nc = f()\nd = 2 * 3']).constants("")],
                         [("a", "int"), ("b", "str"), ("d", "int")])
        self.assertEqual(Sources(['CLIP = "clip"\nCLIP_DEFAULT = 1.0\nOTHER = "x"']).names(""), [("", "clip", "any", "", "1.0")])
        rows = Sources(["class A:\n  def load(self, name: str = 'm', rank = 8, *, bits: Literal['4', '8'] = '4'): pass"]).signature("A.load", "load")
        self.assertEqual(rows, [("load", "name", "str", "", "m"), ("load", "rank", "int", "", "8"), ("load", "bits", "str", "4|8", "4")])
        self.assertEqual(Sources(['f = {"a", "b"}']).set_of("f", "q"), [("q", "a", "any", "", ""), ("q", "b", "any", "", "")])


class Others(unittest.TestCase):
    def test_go(self):
        text = '''
type Mode string
const (
\tA Mode = "Always"
\tB Mode = "Never"
\tlabel string = "x/y"
)
type Meta struct {
\tName string `json:"name,omitempty"`
}
type Spec struct {
\tMeta `json:",inline"`
\tMode *Mode `json:"mode" protobuf:"x"`
\tParts []Part `json:"parts"`
\tLimits map[string]string `json:"limits"`
}
type Part struct {
\tCount *int32 `json:"count"`
}
'''
        text = text.replace("\tMeta `json", "\tMeta Meta `json")
        rows = {row[:2]: row[2:4] for row in other_sources.go_structs([text], ["Spec", "Part"])}
        self.assertEqual(rows, {("Spec", "name"): ("str", ""), ("Spec", "mode"): ("str", "Always|Never"), ("Spec", "parts"): ("list|Part", ""),
                                ("Spec", "limits"): ("dict", ""), ("Part", "count"): ("int", "")})
        with self.assertRaises(ValueError):
            other_sources.go_structs([text], ["Gone"])

    def test_go_flags_and_slurm(self):
        self.assertEqual(other_sources.go_flags(['cmd.Flags().IntVarP(&n, "count", "c", 1, "help")\ncmd.Flags().BoolVar(&s, "ssh", true, "help")'], "pod"),
                         [("pod", "--count", "int", "", "1"), ("pod", "--ssh", "flag", "", "true")])
        self.assertEqual(other_sources.slurm_options(['static slurm_cli_opt_t a = {\n\t.name = "hold",\n\t.has_arg = no_argument,\n\t.set_func_sbatch = f,\n};\n']),
                         [("sbatch", "--hold", "flag", "", "")])

    def test_schema(self):
        rows = other_sources.schema_rows('{"spec": {"properties": {"n": {"type": "integer", "default": 2}, "k": {"enum": ["a"], "type": ["string", "null"]},'
                                         ' "o": {"type": "object", "properties": {"x": {"type": "boolean"}}}}}}', "top", "spec")
        self.assertEqual(sorted(rows), [("top", "k", "str", "a", ""), ("top", "n", "int", "", "2"), ("top", "o", "top.o", "", ""), ("top.o", "x", "bool", "", "")])


class Versions(unittest.TestCase):
    def test_rows_say_since_and_until(self):
        with tempfile.TemporaryDirectory() as place:
            file = Path(place) / "settings.py"

            def git(*words):
                interfaces.subprocess.run(["git", "-C", place, "-c", "user.name=x", "-c", "user.email=x@example.org", *words], check=True,
                                          capture_output=True)
            git("init")
            for tag, text in (("v1.0", "a = 1\nold = 2\n"), ("v1.1", "a = 1\nnew = 2\n")):
                file.write_text(text, encoding="utf-8")
                git("add", ".")
                git("commit", "-m", tag)
                git("tag", tag)
            made = interfaces.table(place, [{"reader": "constants", "section": "", "what": "", "files": "settings.py"}], ["v1.0", "v1.1"])
            self.assertEqual({row["name"]: (row["since"], row["until"]) for row in made}, {"a": ("", ""), "old": ("", "1.0"), "new": ("1.1", "")})


def main():
    return not unittest.main(module=__name__, argv=["self_test"], exit=False, verbosity=0).result.wasSuccessful()
