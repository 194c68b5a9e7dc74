"""Every native name is in the stub and used by the package; what the package exports exists."""

import ast
import re
from pathlib import Path

import heldout
from heldout import _native

PACKAGE = Path(heldout.__file__).parent


def public(names: object) -> set[str]:
    return {name for name in dir(names) if not name.startswith("_")}


def test_the_stub_lists_every_native_name() -> None:
    stub = ast.parse((PACKAGE / "_native.pyi").read_text())
    listed = {node.name: node for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert public(_native) == listed.keys()
    for cls in (_native.Batch, _native.Level):
        methods = {node.name for node in listed[cls.__name__].body if isinstance(node, ast.FunctionDef)}
        assert public(cls) == {name for name in methods if not name.startswith("_")}
    assert isinstance(_native.__version__, str)


def test_the_package_wraps_every_native_name() -> None:
    source = "".join(path.read_text() for path in PACKAGE.rglob("*.py"))
    used = {node.attr for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)}
    # Two are exported as they are; tests ask by the others how numbers are told and words taken apart.
    assert public(_native) - used <= {"Batch", "HeldoutError", "shortest", "word_pieces"}
    # `problem` is for callers of the bare batch: elsewhere infos hold it.
    assert public(_native.Batch) - used <= {"problem"}
    assert public(_native.Level) <= used


def test_what_runs_under_one_gymnasium_alone_asks_nothing_of_it() -> None:
    here = Path(__file__).parent
    (listed,) = re.findall(r"^ONCE = (\[.*?\])", (here / "conftest.py").read_text(), re.MULTILINE | re.DOTALL)
    for name in ast.literal_eval(listed):
        assert "gymnasium" not in (here / name).read_text().lower(), f"{name} is to run under every version"


def test_exports_exist() -> None:
    assert all(hasattr(heldout, name) for name in heldout.__all__)
    assert (PACKAGE / "py.typed").exists()
    assert issubclass(heldout.HeldoutError, ValueError) and heldout.HeldoutError.__module__ == "heldout"
