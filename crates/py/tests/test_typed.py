"""Editors and type checkers know the keys of every id, as the registry has them."""

import sysconfig
from pathlib import Path

import gymnasium
import pytest
from mypy import api

import heldout
from cases import IDS, SEVERAL
from heldout import _typed, configs

PACKAGE = Path(heldout.__file__).parent


def test_the_written_types_are_those_of_the_registry() -> None:
    for name, text in _typed.files().items():
        assert (PACKAGE / name).read_text() == text, f"`python -m heldout._typed` writes `{name}` anew"


@pytest.mark.parametrize("env_id", IDS)
def test_every_key_is_typed(env_id: str) -> None:
    about = heldout.about(env_id)
    typed = getattr(configs, _typed.class_name(env_id)).__annotations__
    assert typed.keys() - {"preset"} == about["defaults"].keys()
    assert ("preset" in typed) == bool(about["presets"])


def test_one_function_makes_what_the_agents_ask_for() -> None:
    assert sorted(configs.SEVERAL) == sorted(SEVERAL)
    assert isinstance(heldout.make("example/grid-v1", split="heldout", size=5), heldout.Env)
    assert isinstance(heldout.make_vec("example/grid-v1", 2, text="bytes"), heldout.VectorEnv)
    assert heldout.make("example/signal-v1").possible_agents == ["guide", "walker"]
    assert isinstance(heldout.make_vec("example/signal-v1", 2), heldout.ParallelVectorEnv)
    with pytest.raises(heldout.HeldoutError, match="no environment"):
        heldout.make("example/none-v1")


PROGRAM = """
import heldout

good = heldout.make("example/grid-v1", split="heldout", size=5, walls=0.1, text="bytes")
good.reset(seed=1)
listener = heldout.make_vec("s2b/listener-v1", 8, preset="parity", rewards={"query_wrong": -1.0}, target_ratio=0.5)
listener.action_masks()
pair = heldout.make("example/signal-v1")
reveal_type(heldout.make_vec("example/signal-v1", 2))
heldout.make("example/grid-v1", spilt="heldout")  # wrong: key
heldout.make("example/grid-v1", size="five")  # wrong: value
heldout.make_vec("s2b/listener-v1", rewards={"query_wrng": 1.0})  # wrong: key of a table
heldout.make("example/grid-v2")  # wrong: id
heldout.make("lilgym/tower-scratch-v1", text="words")  # wrong: form of text
heldout.make("lilgym/tower-scratch-v1", preset="papper")  # wrong: preset
"""


#: Nothing of ours has the types of Gymnasium's wrappers, whose check would be most of the time.
SETTINGS = """
[mypy]
strict = true
follow_imports = silent
[mypy-gymnasium.wrappers.*]
follow_imports = skip
"""


@pytest.mark.skipif(gymnasium.__version__.startswith("1.2."), reason="one Gymnasium is enough: the keys are ours")
def test_a_wrong_key_is_an_error_of_the_type_checker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, settings = tmp_path / "program.py", tmp_path / "mypy.ini"
    program.write_text(PROGRAM)
    settings.write_text(SETTINGS)
    if PACKAGE.parent != Path(sysconfig.get_path("platlib")):
        monkeypatch.setenv("MYPYPATH", str(PACKAGE.parent))
    said, problems, _ = api.run(["--config-file", str(settings), "--cache-dir", str(tmp_path), str(program)])
    lines = {int(line.split(":")[1]) for line in said.splitlines() if ": error:" in line and "program.py" in line}
    wrong = {i for i, line in enumerate(PROGRAM.splitlines(), 1) if "# wrong" in line}
    assert lines == wrong and not problems, said
    assert 'Revealed type is "heldout.parallel_vector.ParallelVectorEnv"' in said
