"""The manual: its pages exist, what it names is there, and what it shows as an example can be played."""

import importlib.util
import itertools
import re
from pathlib import Path
from types import ModuleType

import pytest

import heldout

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
CONFIG = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
PAGES = re.findall(r"^ +- (?:[^:\n]+: )?(\S+\.md)$", CONFIG, re.MULTILINE)
TUTORIALS = sorted(path.stem for path in (DOCS / "tutorials").glob("*.py") if path.stem != "families")


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    pytest.importorskip("tomllib", reason="Python 3.10 cannot read protocols; the site is made by a newer one")
    spec = importlib.util.spec_from_file_location("hooks", DOCS / "hooks.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def run_by_cargo_and_pytest() -> set[str]:
    """Return the names of all tests of the repository that are not left out: what else is called so shows nothing."""
    crates = ROOT / "crates"
    rust = "\n".join(path.read_text(encoding="utf-8") for path in crates.rglob("*.rs"))
    attributes = r"#\[test\]\n((?:\s*#\[.*\]\n)*)\s*fn (\w+)"
    names = {name for more, name in re.findall(attributes, rust) if "ignore" not in more}
    promises = (crates / "envs/tests/conformance/main.rs").read_text(encoding="utf-8")
    names |= set(re.findall(r'"\w+::(\w+)"', promises))
    for path in crates.glob("py/tests*/test_*.py"):
        names |= set(re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE))
    return names


def test_every_page_is_in_the_nav_and_every_entry_of_the_nav_is_a_page() -> None:
    assert "index.md" in PAGES and len(PAGES) == len(set(PAGES))
    assert {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")} == set(PAGES)


def test_every_tutorial_is_linked_and_shown_with_its_picture() -> None:
    assert TUTORIALS
    for name in TUTORIALS:
        assert f"tutorials/{name}.md" in PAGES
        assert f"({name}.md)" in read("tutorials/index.md")
        page = read(f"tutorials/{name}.md")
        assert f'--8<-- "docs/tutorials/{name}.py"' in page
        assert f"(../pictures/{name}.png)" in page
    assert '--8<-- "docs/tutorials/families.py"' in read("tutorials/index.md")


def test_no_tutorial_shows_sixty_lines_of_another_language(hooks: ModuleType) -> None:
    for page in PAGES:
        if page.startswith("tutorials/"):
            blocks = re.findall(r"```rust\n(.*?)```", hooks.expand(read(page)), re.DOTALL)
            assert sum(block.count("\n") for block in blocks) < 60, page


def test_the_reference_of_every_crate_is_linked_by_the_name_of_one() -> None:
    linked = re.findall(r'<a href="\.\./rust/(\w+)/index\.html"><code>(\w+)</code></a>', read("library.md"))
    assert all(folder == shown for folder, shown in linked) and len(linked) == len(set(linked))
    crates = {f"heldout_{manifest.parent.name}" for manifest in (ROOT / "crates").glob("*/Cargo.toml")}
    # What Python calls has a reference of its own.
    assert {folder for folder, _ in linked} == crates - {"heldout_py"}


def test_nothing_but_an_empty_line_follows_a_table() -> None:
    for path in sorted(DOCS.rglob("*.md")):
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, (row, after) in enumerate(itertools.pairwise(lines), 2):
            if row.startswith("|"):
                where = f"{path.relative_to(DOCS)}, line {number}"
                assert after.startswith("|") or not after.strip(), f"{where} becomes a row of the table before it"


def test_pictures_are_there_and_small() -> None:
    for page in PAGES:
        for name in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", read(page)):
            assert (DOCS / page).parent.joinpath(name).resolve().is_file(), f"{page}: {name}"
    for picture in (DOCS / "pictures").iterdir():
        assert picture.stat().st_size <= 60_000, picture.name
    assert (DOCS / "families.png").stat().st_size <= 200_000


def test_every_yes_of_the_neighbours_page_is_shown_by_tests_that_exist() -> None:
    offers, shows = read("neighbours.md").split("## What shows it")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in offers.splitlines() if line.startswith("|")
    ]
    assert len({len(row) for row in rows}) == 1 and rows[0][1] == "heldout"
    yes = [row[0] for row in rows if row[1].startswith("yes")]
    shown = dict(re.findall(r"^\| (.+?) \| (`[^|]+`) \|$", shows, re.MULTILINE))
    assert list(shown) == yes
    known = run_by_cargo_and_pytest()
    for promise, tests in shown.items():
        names = re.findall(r"`(\w+)`", tests)
        assert names, promise
        assert set(names) <= known, f"{promise}: {set(names) - known}"


def test_every_key_of_a_protocol_is_documented() -> None:
    page = read("protocols.md")
    for path, structs in (
        ("protocol.rs", ["Protocol", "Task", "Condition"]),
        ("comparison.rs", ["Claim", "Comparison"]),
    ):
        source = (ROOT / "crates/eval/src" / path).read_text(encoding="utf-8")
        for struct in structs:
            body = re.search(rf"pub struct {struct} {{\n(.*?)\n}}", source, re.DOTALL)
            assert body is not None
            for attributes, name in re.findall(r"((?: +#\[serde.*\n)*) +pub (\w+):", body[1]):
                renamed = re.search(r'rename = "(\w+)"', attributes)
                if "serde(skip)" not in attributes:
                    assert f"`{renamed[1] if renamed else name}`" in page, f"{struct}: {name}"


def test_the_example_of_a_protocol_is_one(tmp_path: Path) -> None:
    example = re.search(r'```toml title="(.+?)"\n(.*?)```', read("protocols.md"), re.DOTALL)
    assert example is not None
    path = tmp_path / example[1]
    path.write_text(example[2], encoding="utf-8")
    told = heldout.evaluate("greedy", path, tmp_path / "out", episodes=2)
    assert told == {"episodes": 2 * 2 * 2 * 3, "of": 24, "failures": []}
    heldout.report(tmp_path / "out")
    assert "Slipping costs more" in (tmp_path / "out/report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_what_is_generated_is_all_there(page: str, hooks: ModuleType) -> None:
    text = hooks.expand(read(page))
    assert hooks.MARK.search(text) is None
    assert text.lstrip().startswith("# ")


def test_every_card_and_every_protocol_is_in_the_manual(hooks: ModuleType) -> None:
    text = "\n".join(hooks.expand(read(page)) for page in PAGES)
    for env_id in heldout.ids():
        assert f"\n## {env_id} {{" in text
    for protocol in heldout.protocols():
        assert f"\n### {protocol}\n" in text


def test_every_public_name_is_in_the_reference(hooks: ModuleType) -> None:
    page = hooks.expand(read("python.md"))
    native = {"Batch", "HeldoutError", "__version__"}
    missing = {name for name in heldout.__all__ if f"::: heldout.{name}\n" not in page} - native
    assert not missing
    assert "`HeldoutError`" in page


def test_an_excerpt_that_is_not_there_is_refused(hooks: ModuleType) -> None:
    place = "crates/examples/src/grid.rs fn step(&self, state"
    assert hooks.excerpt(place).startswith("```rust\nfn step(") and hooks.excerpt(place).endswith("\n}\n```")
    with pytest.raises(ValueError, match="unpack"):
        hooks.excerpt("crates/examples/src/grid.rs fn nothing(")


def test_the_first_page_is_the_readme(hooks: ModuleType) -> None:
    text = hooks.expand(read("index.md"))
    assert text.startswith("# heldout\n") and "(families.png)" in text and "(architecture.md)" in text
    assert "(docs/" not in text and "(LICENSE" not in text
