"""The confidence loop: bulk change in tiers, with proof at each step."""

from __future__ import annotations

from guildmoot.loops.confidence.loop import ConfidenceLoop
from guildmoot.loops.confidence.start import run_confidence

__all__ = ["ConfidenceLoop", "run_confidence"]
