"""The manual's tutorials run as written, are short, and end in a picture."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TUTORIALS = Path(__file__).resolve().parents[3] / "docs" / "tutorials"
SCRIPTS = sorted(TUTORIALS.glob("*.py"))

#: Lines that a script may have.
MOST_LINES = 59
#: Seconds after which a script is taken for one that hangs: a hundred times what the slowest needs on an idle machine.
PATIENCE = 1500


#: What a page says in the words of the report, and where that is said by what its script prints or by a report of it.
VERDICTS = {
    "read_a_report": [
        ("ends in the grey is generalises", "| generalises |"),
        ("one that begins beyond it breaks", "breaks if all of it is"),
        ("one that reaches across its edge is undecided", "| undecided |"),
        ("at the floor, or below it", "| below the floor |"),
    ],
    "torch_agent": [("agent breaks: from", "agent breaks: from")],
    "train_with_sb3": [
        ("PPO is at the floor in training", "PPO is at the floor in training"),
        ("there is nothing that could generalise", "there is nothing that could generalise"),
    ],
}


def read(script: Path) -> str:
    return script.with_suffix(".md").read_text(encoding="utf-8")


def plain(text: str) -> str:
    """Return a text without emphasis, all in one line."""
    return " ".join(text.replace("*", "").split())


def test_every_page_that_quotes_a_verdict_is_held_to_it() -> None:
    emphasised = re.compile(r"(?<!\*)\*(?![*\s])([^*]+)\*(?!\*)")
    verdict = re.compile(r"\b(generalises|breaks|undecided|floor)\b")
    pages = [script for script in SCRIPTS if script.with_suffix(".md").exists()]
    quoting = {page.stem for page in pages if any(verdict.search(words) for words in emphasised.findall(read(page)))}
    assert quoting == set(VERDICTS)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_tutorial_ends_in_a_picture(script: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "Agg"}
    run = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning:heldout", str(script), str(tmp_path / "made")],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    picture = tmp_path / "made" / f"{script.stem}.png"
    assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert {path.name for path in tmp_path.iterdir()} == {"made"}, "it writes to the folder that it is given alone"
    made = [path.read_text(encoding="utf-8") for path in sorted((tmp_path / "made").rglob("report.md"))]
    told, page = plain("\n".join([run.stdout, *made])), plain(read(script)) if script.stem in VERDICTS else ""
    for quoted, said in VERDICTS.get(script.stem, []):
        assert quoted in page, f"the page does not say `{quoted}`"
        assert said in told, f"the page says `{quoted}`, and the report does not say `{said}`"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_tutorial_is_short(script: Path) -> None:
    lines = script.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= 120


def test_all_that_are_listed_are_here() -> None:
    listed = {
        "dynamic_tests",
        "environment",
        "families",
        "first_evaluation",
        "read_a_report",
        "torch_agent",
        "train_with_sb3",
        "two_agents",
    }
    assert {script.stem for script in SCRIPTS} == listed


def test_the_page_on_writing_an_environment_shows_what_its_command_makes(tmp_path: Path) -> None:
    page = (TUTORIALS / "environment.md").read_text(encoding="utf-8")
    (words,) = re.findall(r"^heldout (render .+)$", page, re.MULTILINE)
    subprocess.run([sys.executable, "-m", "heldout", *words.split()], cwd=tmp_path, check=True)
    assert (tmp_path / "grid.png").read_bytes() == (TUTORIALS.parent / "pictures" / "grid.png").read_bytes()
