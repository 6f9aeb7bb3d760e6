"""Who changes, who mends, what must pass: made from what was asked for, and agreed to by a person.

A flag answers beforehand; without one and without a terminal the loop stops and says the exact command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guildmoot.calls.pricing import prices_of
from guildmoot.errors import UsageError
from guildmoot.guard.settings import settings_for
from guildmoot.loops.confidence.preview import Preview, load_preview
from guildmoot.loops.transform import (
    AgentTransformer,
    CommandTransformer,
    KeptTransformer,
    Transformer,
    find_worker,
)
from guildmoot.loops.units import UnitContract
from guildmoot.loops.values import Ask, LoopStop, Question
from guildmoot.text.clean import count as counted

if TYPE_CHECKING:
    from guildmoot.loops.phase import PhasePlace
    from guildmoot.loops.values import Employ, LoopRequest


def make_contract(
    request: LoopRequest, place: PhasePlace, employ: Employ
) -> tuple[UnitContract, Preview | None]:
    """What every unit is held to, and the preview that is applied, if one is."""
    verify = request.verify or place.verify
    made_by = request.transform or request.implementer or request.plan
    if not verify or not made_by:
        missing = "--verify" if made_by else "--transform or --implementer"
        raise UsageError(
            f"the loop needs {missing}",
            "e.g. --transform 'ruff check --fix {files}' --verify 'pytest -q'",
        )
    goal = request.task or place.goal

    def agent(word: str) -> AgentTransformer:
        worker = find_worker(request.root, word)
        prices = prices_of(settings_for(request.root))
        return AgentTransformer(worker, goal, employ, request.timeout, request.max_usd, prices)

    preview = load_preview(request.root, request.plan) if request.plan else None
    if preview and request.transform not in ("", preview.transform):
        raise UsageError(
            f"the plan {preview.plan} was made by {preview.transform!r}, not by this --transform",
            "Leave --transform away, or make another plan with --dry-run.",
        )
    transformer: Transformer
    if preview is not None and preview.after is not None:
        transformer = KeptTransformer(f"the plan {preview.plan}", preview.after)
    elif request.implementer:
        transformer = agent(request.implementer)
    else:
        transformer = CommandTransformer(request.transform, request.timeout)
    fixer: Transformer | None = None
    if request.fixer_agent:
        fixer = agent(request.fixer_agent)
    elif request.fixer:
        fixer = CommandTransformer(request.fixer, request.timeout)
    return UnitContract(transformer, fixer, verify, goal), preview


def settle(
    question: Question, given: bool, ask: Ask, command: str, status: str = "aborted"
) -> bool:
    """Whether it is agreed to; LoopStop when it is not, or when nobody can be asked."""
    if given:
        return True
    answer = ask(question)
    if answer is None:
        raise LoopStop(
            status, f"a person must decide: {question.text}", f"{command} {question.flag}"
        )
    if not answer:
        raise LoopStop(status, f"not agreed: {question.text}", question.refused)
    return True


def start_question(
    contract: UnitContract, items: int, branch: str, cut_from: str, routed: int
) -> Question:
    """What is agreed to before the first change."""
    moves = f" on the branch {branch}" if branch else ""
    cut = f", cut from {cut_from}" if branch and cut_from else ""
    left = f"; {routed} of tier 4 or above are left to a person" if routed else ""
    proof = "; ".join(contract.verify)
    text = f"apply {contract.transformer.name!r} to {counted(items, 'item')}{moves}{cut}, each unit proven by"
    return Question(f"{text} {proof!r}{left}. Start?", "--yes")
