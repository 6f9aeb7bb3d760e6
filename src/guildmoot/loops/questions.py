"""What a person is asked. A flag answers beforehand; without one and without a terminal the loop stops and
says the exact command. Nothing is decided by silence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guildmoot.loops.values import Ask, LoopStop, Question
from guildmoot.text.clean import count as counted

if TYPE_CHECKING:
    from guildmoot.loops.units import UnitContract


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
    left = f"; {routed} of tier 4 are left to a person" if routed else ""
    proof = "; ".join(contract.verify)
    text = f"apply {contract.transformer.name!r} to {counted(items, 'item')}{moves}{cut}, each unit proven by"
    return Question(f"{text} {proof!r}{left}. Start?", "--yes")
