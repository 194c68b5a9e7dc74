"""What the manual takes from elsewhere in the repository, at build time: nothing of it is copied by hand.

A line `<!-- file: PATH -->` stands for a document of the repository, `<!-- cards: FAMILY -->` for the cards of a
family's environments, `<!-- protocols -->` for the list of built-in protocols, `<!-- excerpt: PATH START -->` for the
item of a Rust source whose first line begins with START, `<!-- api: MODULE -->` for the reference of what the package
exports from a module. Scripts are included by the snippets extension.
"""

import re
import textwrap
from pathlib import Path
from typing import Any

import tomllib

ROOT = Path(__file__).resolve().parent.parent

#: Documents that are pages of the manual, by their paths in the repository.
PAGES = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "results/shortcuts.md": "shortcuts.md",
    "results/sb3/README.md": "trained.md",
}

MARK = re.compile(r"^<!-- (file|cards|excerpt|api|protocols)(?:: (.+))? -->$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put what is generated in place of the marks."""
    return expand(markdown)


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Take away the roles of docstrings, which name what they refer to in code anyway.

    The contents of a family's page are its environments: their cards all have the same headings.
    """
    if page.file.src_uri.startswith("families/"):
        for title in page.toc:
            for environment in title.children:
                environment.children = []
    return re.sub(r":(?:class|func|meth|mod|attr|data):(?=<code>)", "", html)


def expand(markdown: str) -> str:
    """Return a page with what its marks stand for."""
    makers = {"file": document, "cards": cards, "excerpt": excerpt, "api": api, "protocols": lambda _: protocols()}
    return MARK.sub(lambda found: makers[found[1]](found[2] or ""), markdown)


def document(path: str) -> str:
    """Return a document of the repository whose links lead to pages, and to nowhere else."""

    def target(found: re.Match[str]) -> str:
        bang, text, link = found.groups()
        path, hash_mark, anchor = link.partition("#")
        if link.startswith(("http://", "https://", "#")):
            return found[0]
        if path in PAGES:
            return f"[{text}]({PAGES[path]}{hash_mark}{anchor})"
        if path.startswith("docs/"):
            return f"{bang}[{text}]({path.removeprefix('docs/')})"
        return text

    return re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", target, (ROOT / path).read_text(encoding="utf-8"))


def excerpt(place: str) -> str:
    """Return an item of a Rust source, from its comments to its closing brace."""
    path, start = place.split(" ", 1)
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    (first,) = [i for i, line in enumerate(lines) if line.lstrip().startswith(start)]
    indent = lines[first][: -len(lines[first].lstrip())]
    last = next(i for i in range(first, len(lines)) if lines[i] in (f"{indent}}}", f"{indent}}};"))
    while lines[first - 1].lstrip().startswith(("///", "#[")):
        first -= 1
    return "```rust\n" + textwrap.dedent("\n".join(lines[first : last + 1])) + "\n```"


def api(module: str) -> str:
    """Return the reference of what the package exports from one of its modules, in the order of the module."""
    import heldout

    names = [name for name in heldout.__all__ if getattr(getattr(heldout, name), "__module__", None) == module]
    source = (ROOT / "crates/py/python" / module.replace(".", "/")).with_suffix(".py").read_text(encoding="utf-8")
    found = {name: re.search(rf"^(?:def|class) {name}\b", source, re.MULTILINE) for name in names}
    placed = sorted((place.start(), name) for name, place in found.items() if place is not None)
    if not placed:
        raise ValueError(f"the package exports nothing from `{module}`")
    return "\n\n".join(f"::: heldout.{name}" for _, name in placed)


def cards(family: str) -> str:
    """Return the cards of a family's environments, each below a heading of its own."""
    import heldout

    ids = [env_id for env_id in heldout.ids() if env_id.startswith(f"{family}/")]
    if not ids:
        raise ValueError(f"there is no environment of the family `{family}`")
    rows = [f"| [`{i}`](#{anchor(i)}) | {heldout.about(i)['summary']} |" for i in ids]
    text = "\n".join(["| id | what it asks |", "|---|---|", *rows, ""])
    for env_id in ids:
        title, body = heldout.card(env_id).split("\n", 1)
        assert title == f"# {env_id}", f"the card of `{env_id}` begins with `{title}`"
        text += f"\n## {env_id} {{ #{anchor(env_id)} }}\n" + re.sub(r"^(#+ )", r"#\1", body, flags=re.MULTILINE)
    return text


def anchor(env_id: str) -> str:
    """Return what a link to a card is called."""
    return env_id.replace("/", "-")


def protocols() -> str:
    """Return the list of built-in protocols, from their files."""
    import heldout

    text = ""
    for name in heldout.protocols():
        (path,) = ROOT.glob(f"crates/*/protocols/{name}.toml")
        protocol = tomllib.loads(path.read_text(encoding="utf-8"))
        text += f"\n### {name}\n\n**{protocol['title']}.** {protocol['summary']}\n\n"
        if "paper" in protocol:
            text += f"Paper: {protocol['paper']}.\n\n"
        if "lacks" in protocol:
            text += f"Not to be had: {protocol['lacks']}.\n\n"
        text += f"{protocol['seeds']} run seeds. File: `{path.relative_to(ROOT)}`.\n\n"
        text += "| task | environment | scored | conditions (*held out*) |\n|---|---|---|---|\n"
        for task in protocol["task"]:
            task = {"metric": "return", **protocol.get("defaults", {}), **task}
            told = [
                f"*{c['name']}*" if c["held_out"] else c["name"]
                for c in task.get("condition", protocol.get("condition"))
            ]
            text += f"| {task['name']} | `{task['id']}` | `{task['metric']}` | {', '.join(told)} |\n"
    return text
