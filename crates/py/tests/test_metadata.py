"""What an index of packages shows of the wheel that is installed."""

import re
from importlib.metadata import distribution
from pathlib import Path

import heldout

ROOT = Path(__file__).resolve().parents[3]
OURS = distribution("heldout")
SHOWN = OURS.metadata["Description"]


def test_the_long_description_has_nothing_that_an_index_cannot_show() -> None:
    assert OURS.metadata["Description-Content-Type"].startswith("text/markdown")
    assert SHOWN.startswith("# heldout\n")
    for target in re.findall(r"\]\(([^)]+)\)", SHOWN):
        assert target.startswith("https://"), f"`{target}` leads nowhere there"
    assert "<img" not in SHOWN and "cargo" not in SHOWN, "who reads it has the wheel, not the sources"


def test_the_long_description_has_the_python_of_the_readme() -> None:
    (shown,) = re.findall(r"```python\n(.*?)```", SHOWN, re.DOTALL)
    assert f"```python\n{shown}```" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_long_description_names_extras_that_there_are() -> None:
    extras = set(OURS.metadata.get_all("Provides-Extra") or [])
    named = {name for names in re.findall(r"heldout\[([\w,-]+)\]", SHOWN) for name in names.split(",")}
    assert named == extras - {"test"}
    assert extras == {"dm-env", "dm-env-rpc", "human", "minari", "pettingzoo", "ray", "rllib", "sb3", "test"}


def test_licences_and_links_come_with_the_wheel() -> None:
    assert OURS.version == heldout.__version__ and OURS.metadata["License-Expression"] == "MIT OR Apache-2.0"
    files = OURS.metadata.get_all("License-File") or []
    assert set(files) == {"LICENSE-MIT", "LICENSE-APACHE", "NOTICE"}
    for name in files:
        (found,) = [path for path in OURS.files or [] if path.name == name and "licenses" in path.parts]
        assert found.read_text(encoding="utf-8") == (ROOT / name).read_text(encoding="utf-8")
    links = [link.split(", ")[-1] for link in OURS.metadata.get_all("Project-URL") or []]
    assert links and all(link.startswith("https://") for link in links)
    (script,) = [point for point in OURS.entry_points if point.group == "console_scripts"]
    assert (script.name, script.value) == ("heldout", "heldout.__main__:main")
