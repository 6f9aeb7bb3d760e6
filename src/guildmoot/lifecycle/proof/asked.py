"""What the work of a run is held to: the criteria of its plan's lanes, and those of its spec."""

from __future__ import annotations

from pathlib import Path

from guildmoot.lifecycle.documents import FrontMatterError, SourceDocument, read_markdown
from guildmoot.lifecycle.plan import read_plan
from guildmoot.lifecycle.spec import read_spec
from guildmoot.system.files import read_text_inside

_MOST = 1_000_000


def criteria_of(root: Path, run: str) -> tuple[str, ...]:
    """Every criterion of the work that a run (``run-DAY-TIME-SLUG``) carries out; none where nothing can be read."""
    slug = run.split("-", 3)[-1]
    plan, spec = (_read(root, f".guild/{kind}/{slug}.md") for kind in ("plan", "spec"))
    lanes = read_plan(plan).lanes if plan else ()
    own = read_spec(spec).criteria if spec else ()
    return (*(text for lane in lanes for text in lane.criteria), *(line.text for line in own))


def _read(root: Path, name: str) -> SourceDocument | None:
    text, problem = read_text_inside(root / name, root, _MOST)
    try:
        return None if problem else read_markdown(text)
    except FrontMatterError:
        return None
